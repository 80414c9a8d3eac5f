package simplex

import (
	"context"
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
	if f := s.coldFactor(); f != wideFactor || !s.ctl.stall.widened {
		t.Errorf("factor %g for equal costs", f)
	}
	for j := range 10 {
		s.SetCost(j, float64(j))
	}
	s.ctl.stall.widened = false
	if f := s.coldFactor(); f != 1 || s.ctl.stall.widened {
		t.Errorf("factor %g for ten different costs", f)
	}
}

// TestWiden stops the dual loop on its way, makes the perturbation wider, and checks that the reduced costs are
// those of the new working costs and still of the right sign; the optimum does not change.
func TestWiden(t *testing.T) {
	for seed := range uint64(20) {
		m := transportation(seed, 10, 25)
		want, err := Solve(context.Background(), m, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		s := newSolver(t, m)
		s.begin(context.Background())
		s.sync()
		s.perturbCosts(1)
		s.computeDual()
		s.correctDual()
		s.computePrimal()
		s.opt.MaxIterations = 15
		if out := s.dual(); out != outLimit {
			t.Fatalf("seed %d: the loop ended after %d pivots", seed, s.ctl.iterations)
		}
		s.widen()
		moved := 0.0
		for v, c := range s.cost {
			moved = max(moved, math.Abs(s.wc[v]-c))
		}
		if unit := s.perturbationUnit(); moved < wideFactor*unit {
			t.Errorf("seed %d: costs moved by %g, unit %g", seed, moved, unit)
		}
		kept := append([]float64(nil), s.d...)
		if k := s.countDualInfeasible(); k > 0 {
			t.Errorf("seed %d: %d reduced costs of the wrong sign", seed, k)
		}
		s.computeDual()
		for v, d := range s.d {
			if math.Abs(d-kept[v]) > 1e-9*(1+math.Abs(d)) {
				t.Fatalf("seed %d: variable %d: reduced cost %g, anew %g", seed, v, kept[v], d)
			}
		}
		s.opt.MaxIterations = math.MaxInt
		if r := mustSolve(t, s); math.Abs(r.Objective-want.Objective) > 1e-6*(1+math.Abs(want.Objective)) {
			t.Errorf("seed %d: %g, want %g", seed, r.Objective, want.Objective)
		}
	}
}
