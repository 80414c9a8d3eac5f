package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// reducible returns a random model with every kind of row and column that presolve removes; some are
// infeasible, some unbounded.
func reducible(rng *rand.Rand) *lp.Model {
	n := 6 + rng.IntN(25)
	m := &lp.Model{Maximize: rng.IntN(3) == 0}
	x := make([]float64, n)
	for j := range n {
		lo, up := 0.0, float64(1+rng.IntN(9))
		switch rng.IntN(8) {
		case 0:
			up = lo
		case 1:
			lo, up = math.Inf(-1), lp.Inf
		case 2, 3:
			up = lp.Inf
		}
		m.AddCol(lp.Col{Cost: float64(rng.IntN(15) - 3), Lower: lo, Upper: up})
		x[j] = min(max(float64(rng.IntN(6)), lo), up)
	}
	for range n {
		var idx []int32
		var val []float64
		act := 0.0
		for _, j := range rng.Perm(n)[:[]int{0, 1, 1, 2, 2, 2, 3, 5}[rng.IntN(8)]] {
			v := float64(rng.IntN(9) - 4)
			idx, val = append(idx, int32(j)), append(val, v)
			act += v * x[j]
		}
		if rng.IntN(100) == 0 {
			act++
		}
		lo, up := act, act
		switch rng.IntN(4) {
		case 0:
			lo, up = math.Inf(-1), up+float64(rng.IntN(6))
		case 1:
			lo, up = lo-float64(rng.IntN(6)), lp.Inf
		}
		m.AddRow(lp.Row{Lower: lo, Upper: up}, idx, val)
	}
	return m
}

// comparison counts the statuses of models that were solved both with a reduction and without.
type comparison map[lp.Status]int

// solve compares the answers of m by the two options, checks the first on the model, and starts again from its basis,
// which must be optimal.
func (c comparison) solve(t *testing.T, seed uint64, m *lp.Model, with, without Options) {
	t.Helper()
	ctx := context.Background()
	got, err := Solve(ctx, m, with)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	certify(t, seed, m, got)
	want, err := Solve(ctx, m, without)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if got.Status != want.Status || got.Status == lp.Optimal &&
		math.Abs(got.Objective-want.Objective) > 1e-6*(1+math.Abs(want.Objective)) {
		t.Fatalf("seed %d: %v %g with the reduction, %v %g without", seed, got.Status, got.Objective, want.Status,
			want.Objective)
	}
	c[got.Status]++
	if got.Status != lp.Optimal {
		return
	}
	s, err := New(m, without)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetBasis(&got.Basis); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if r, err := s.Solve(ctx, NoLimits()); err != nil || r.Status != lp.Optimal || r.Iterations > 0 {
		t.Fatalf("seed %d: again from the basis: %+v, %v", seed, r, err)
	}
}

// end fails where a status has not been met.
func (c comparison) end(t *testing.T) {
	t.Helper()
	t.Log(c)
	for _, st := range [...]lp.Status{lp.Optimal, lp.Infeasible, lp.Unbounded} {
		if c[st] == 0 {
			t.Errorf("no model is %v", st)
		}
	}
}

// TestPresolve compares answers with and without presolve.
func TestPresolve(t *testing.T) {
	count := comparison{}
	for seed := range uint64(3000) {
		off := DefaultOptions()
		off.Presolve = false
		count.solve(t, seed, reducible(rand.New(rand.NewPCG(seed, 10))), DefaultOptions(), off)
	}
	count.end(t)
}

// TestPresolveLimits checks that the limits count what the reduced model takes.
func TestPresolveLimits(t *testing.T) {
	stopped := 0
	for seed := range uint64(200) {
		m := reducible(rand.New(rand.NewPCG(seed, 11)))
		opt := DefaultOptions()
		opt.Limits.Iterations = 2
		sol, err := Solve(context.Background(), m, opt)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if sol.Iterations > 2 {
			t.Fatalf("seed %d: %d iterations", seed, sol.Iterations)
		}
		if sol.Status == lp.IterationLimit {
			stopped++
		}
	}
	if stopped == 0 {
		t.Error("the limit stopped nothing")
	}
}
