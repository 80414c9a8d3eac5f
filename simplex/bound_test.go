package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestBound compares the bound of optimal multipliers with the optimum, and of any other ones: none is better.
func TestBound(t *testing.T) {
	optimal, finite := 0, 0
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 61))
		m := reducible(rng)
		sol, err := Solve(context.Background(), m, DefaultOptions())
		if err != nil || sol.Status != lp.Optimal {
			continue
		}
		optimal++
		sense := 1.0
		if m.Maximize {
			sense = -1
		}
		tol := 1e-6 * (1 + math.Abs(sol.Objective))
		best, err := Bound(m, sol.RowDual)
		if err != nil || sense*best > sense*sol.Objective+tol {
			t.Fatalf("seed %d: bound %g of the optimum %g, %v", seed, best, sol.Objective, err)
		}
		if sense*best > sense*sol.Objective-tol {
			finite++
		}
		y := make([]float64, len(m.Rows))
		for i := range y {
			y[i] = sol.RowDual[i] + rng.NormFloat64()
		}
		if other, err := Bound(m, y); err != nil || sense*other > sense*sol.Objective+tol {
			t.Fatalf("seed %d: bound %g of the optimum %g, %v", seed, other, sol.Objective, err)
		}
	}
	if optimal == 0 || finite < optimal*9/10 {
		t.Errorf("%d of %d bounds meet the optimum", finite, optimal)
	}
}
