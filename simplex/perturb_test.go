package simplex

import (
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
