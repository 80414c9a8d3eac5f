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

// TestPresolve compares answers with and without presolve and checks them on the model.
func TestPresolve(t *testing.T) {
	ctx := context.Background()
	count := map[lp.Status]int{}
	for seed := range uint64(3000) {
		m := reducible(rand.New(rand.NewPCG(seed, 10)))
		with, err := Solve(ctx, m, DefaultOptions())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		certify(t, seed, m, with)
		opt := DefaultOptions()
		opt.Presolve = false
		without, err := Solve(ctx, m, opt)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if with.Status != without.Status || with.Status == lp.Optimal && math.Abs(with.Objective-without.Objective) > 1e-6*(1+math.Abs(without.Objective)) {
			t.Fatalf("seed %d: %v %g with presolve, %v %g without", seed, with.Status, with.Objective, without.Status, without.Objective)
		}
		count[with.Status]++
		if with.Status != lp.Optimal {
			continue
		}
		s, err := New(m, opt)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SetBasis(&with.Basis); err != nil {
			t.Fatal(err)
		}
		if r, err := s.Solve(ctx); err != nil || r.Status != lp.Optimal || r.Iterations > 0 {
			t.Fatalf("seed %d: %d pivots from the basis of the answer, %v", seed, r.Iterations, err)
		}
	}
	t.Log(count)
	if count[lp.Optimal] == 0 || count[lp.Infeasible] == 0 || count[lp.Unbounded] == 0 {
		t.Errorf("statuses %v", count)
	}
}

// TestPresolveLimits checks that the limits count what the reduced model takes.
func TestPresolveLimits(t *testing.T) {
	stopped := 0
	for seed := range uint64(200) {
		m := reducible(rand.New(rand.NewPCG(seed, 11)))
		opt := DefaultOptions()
		opt.MaxIterations = 2
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
