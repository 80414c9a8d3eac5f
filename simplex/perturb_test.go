package simplex

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestColdFactor: costs with few different values get the wide perturbation, other costs the usual one.
func TestColdFactor(t *testing.T) {
	m := &lp.Model{}
	for range 500 {
		m.AddCol(lp.Col{Cost: 2, Upper: lp.Inf})
	}
	s := newSolver(t, m)
	if f := s.coldFactor(true); f != wideFactor {
		t.Errorf("factor %g for equal costs", f)
	}
	for j := range 10 {
		s.SetCost(lp.Var(j), float64(j))
	}
	if f := s.coldFactor(true); f != 1 {
		t.Errorf("factor %g for ten different costs", f)
	}
}

// TestColdFactorOfBoxedColumns has most columns boxed and without a cost, and then some of them without a bound.
func TestColdFactorOfBoxedColumns(t *testing.T) {
	var m lp.Model
	for j := range 200 {
		m.AddCol(lp.Col{Cost: max(0, float64(j-180)), Upper: 3})
	}
	factor := func(once bool) float64 {
		s, err := New(&m, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		return s.coldFactor(once)
	}
	if got, later := factor(true), factor(false); got != boxedFactor*later {
		t.Errorf("%g, and %g in a tree", got, later)
	}
	for j := range 30 {
		m.Cols[j].Upper = lp.Inf
	}
	if got, later := factor(true), factor(false); got != later {
		t.Errorf("%g, and %g in a tree, with open columns", got, later)
	}
}

// TestColdFactorOfSmallCosts has most columns without a cost, and small ones for the others: the perturbation of a cold
// solve is well above the dual tolerance.
func TestColdFactorOfSmallCosts(t *testing.T) {
	var m lp.Model
	for j := range 200 {
		m.AddCol(lp.Col{Cost: max(0, float64(j-180)) / 1000, Upper: lp.Inf})
	}
	s := newSolver(t, &m)
	if got := s.coldFactor(true) * s.perturbationUnit(); math.Abs(got-freeUnit) > 1e-6*freeUnit {
		t.Errorf("%g for a cost of zero, want %g", got, freeUnit)
	}
	if f := s.coldFactor(false); f != 1 {
		t.Errorf("factor %g in a tree", f)
	}
	for j := range 60 {
		s.SetCost(lp.Var(j), float64(j+1)/1e4)
	}
	if f := s.coldFactor(true); f != 1 {
		t.Errorf("factor %g where fewer columns are without a cost", f)
	}
}
