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
	if f := s.coldFactor(); f != wideFactor {
		t.Errorf("factor %g for equal costs", f)
	}
	for j := range 10 {
		s.SetCost(lp.Var(j), float64(j))
	}
	if f := s.coldFactor(); f != 1 {
		t.Errorf("factor %g for ten different costs", f)
	}
}
