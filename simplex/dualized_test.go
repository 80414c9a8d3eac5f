package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// newTall makes a certified model with far more rows than columns.
func newTall(seed uint64) certified {
	rng := rand.New(rand.NewPCG(seed, 22))
	n := 1 + rng.IntN(6)
	return makeCertified(rng, 2*n+rng.IntN(6*n), n)
}

// TestDualModel solves the duals of models of all shapes. What they say of the models must be right, and the basis
// taken back from an optimum must need no pivots.
func TestDualModel(t *testing.T) {
	ctx := context.Background()
	count := map[lp.Status]int{}
	for seed := range uint64(4000) {
		c := newCertified(seed)
		d := newDualModel(c.model)
		if d == nil {
			continue // made infeasible by crossed bounds
		}
		opt := DefaultOptions()
		opt.Presolve, opt.Fold, opt.Dualize = seed%2 == 0, false, false
		sol, err := Solve(ctx, d.Model, opt)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		count[c.status]++
		switch {
		case c.status == lp.Infeasible && sol.Status == lp.Optimal, c.status == lp.Unbounded && sol.Status != lp.Infeasible:
			t.Fatalf("seed %d: dual %v of a model that is %v", seed, sol.Status, c.status)
		case c.status != lp.Optimal:
			continue
		case sol.Status != lp.Optimal || math.Abs(sol.Objective-c.objective) > 1e-6*(1+math.Abs(c.objective)+c.size):
			t.Fatalf("seed %d: dual %v %g, optimum %g", seed, sol.Status, sol.Objective, c.objective)
		}
		s, err := New(c.model, opt)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SetBasis(d.basis(&sol.Basis)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		s.start.advanced = true
		if r, err := s.Solve(ctx, NoLimits()); err != nil || r.Status != lp.Optimal || r.Iterations > 0 {
			t.Fatalf("seed %d: from the complementary basis %+v, %v", seed, r, err)
		}
	}
	t.Log(count)
	for _, st := range [...]lp.Status{lp.Optimal, lp.Infeasible, lp.Unbounded} {
		if count[st] == 0 {
			t.Errorf("no model is %v", st)
		}
	}
}

// TestDualize compares answers by way of the dual with those without, and with what is known.
func TestDualize(t *testing.T) {
	count, used := comparison{}, 0
	for seed := range uint64(3000) {
		c := newTall(seed)
		on := DefaultOptions()
		on.Presolve = seed%2 == 0
		off := on
		off.Dualize, off.Perturb = false, false // a slack basis would count as a cold start
		count.solve(t, seed, c.model, on, off)
		if err := c.solve(seed, on.Presolve); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if solveDual(context.Background(), c.model, on, logged{}).basis != nil {
			used++
		}
	}
	count.end(t)
	t.Logf("%d by way of the dual", used)
	if used < 500 {
		t.Error("too few")
	}
}

// TestDualizeLimits stops a solve by way of the dual everywhere: limits must hold, and the bound that is reported too.
func TestDualizeLimits(t *testing.T) {
	ctx := context.Background()
	stopped := 0
	for seed := range uint64(300) {
		c := newTall(seed)
		opt := DefaultOptions()
		opt.Presolve = false
		first := solveDual(ctx, c.model, opt, logged{})
		if c.status != lp.Optimal || first.basis == nil {
			continue
		}
		sense := 1.0
		if c.model.Maximize {
			sense = -1
		}
		for k := range first.Iterations + 2 {
			opt.Limits.Iterations = k
			r, err := Solve(ctx, c.model, opt)
			if err != nil || r.Iterations > k || r.Status != lp.Optimal && r.Status != lp.IterationLimit {
				t.Fatalf("seed %d, limit %d: %+v, %v", seed, k, r, err)
			}
			if sense*(r.Bound-c.objective) > 1e-6*(1+math.Abs(c.objective)+c.size) {
				t.Fatalf("seed %d, limit %d: bound %g, optimum %g", seed, k, r.Bound, c.objective)
			}
			if r.Status == lp.IterationLimit {
				stopped++
			}
		}
		opt.Limits.Iterations = math.MaxInt
		opt.Limits.Time = time.Nanosecond
		if r, err := Solve(ctx, c.model, opt); err != nil || r.Status != lp.Optimal && r.Status != lp.TimeLimit {
			t.Fatalf("seed %d, no time: %+v, %v", seed, r, err)
		}
	}
	if stopped == 0 {
		t.Error("the limit stopped nothing")
	}
}
