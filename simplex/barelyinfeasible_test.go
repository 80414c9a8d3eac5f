package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// barelyInfeasible returns a random model whose rows contradict their sum by 1e-8 to 1e-5, in data of up to 1e5.
func barelyInfeasible(rng *rand.Rand) *lp.Model {
	n, unit := 1+rng.IntN(6), math.Pow(10, 4*rng.Float64())
	m := &lp.Model{}
	x, sum, total := make([]float64, n), make([]float64, n), 0.0
	for j := range x {
		up := lp.Inf
		if rng.IntN(2) == 0 {
			up = unit * float64(1+rng.IntN(5))
		}
		m.AddCol(lp.Col{Cost: float64(rng.IntN(5)), Upper: up})
		x[j] = min(unit*float64(rng.IntN(4)), up)
	}
	for range 1 + rng.IntN(5) {
		var index []int32
		var value []float64
		activity := 0.0
		for j := range n {
			if rng.IntN(3) == 0 {
				continue
			}
			v := float64(rng.IntN(9)-4) * math.Pow(10, float64(rng.IntN(3)-1))
			index, value = append(index, int32(j)), append(value, v)
			activity += v * x[j]
			sum[j] += v
		}
		total += activity
		r := lp.Row{Lower: activity, Upper: activity}
		if rng.IntN(3) == 0 {
			r.Upper = lp.Inf
		}
		m.AddRow(r, index, value)
	}
	var all []int32
	for j := range n {
		all = append(all, int32(j))
	}
	m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: total - math.Pow(10, -8+3*rng.Float64())}, all, sum)
	return m
}

// TestBarelyInfeasible solves models whose infeasibility is near the tolerance, and near what rounding can separate: the
// answer must be a proof, or a point within the tolerance of the last attempt.
func TestBarelyInfeasible(t *testing.T) {
	count := map[lp.Status]int{}
	for seed := range uint64(6000) {
		m := barelyInfeasible(rand.New(rand.NewPCG(seed, 16)))
		opt := DefaultOptions()
		opt.Presolve = seed%2 == 0
		sol, err := Solve(context.Background(), m, opt)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		certify(t, seed, m, sol)
		count[sol.Status]++
		for i := range m.Rows {
			r, a := &m.Rows[i], sol.RowActivity[i]
			if over := max(r.Lower-a, a-r.Upper); sol.Status == lp.Optimal && over > 1.01*wideTol*opt.Tolerances.Primal {
				t.Fatalf("seed %d: row %d is violated by %g", seed, i, over)
			}
		}
	}
	t.Log(count)
	if count[lp.Optimal] == 0 || count[lp.Infeasible] == 0 {
		t.Error("one side of the tolerance is missing")
	}
}
