package integer_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/lp"
)

// TestWithoutTrueCost solves random programs with a 0-1 first stage without true-cost selection. The design of the
// master has to cost what the result says, also where it costs more than the design of the start, and a run that ends
// as optimal has to be so.
func TestWithoutTrueCost(t *testing.T) {
	solved := 0

	// The optimum is that of the extensive form. Programs without one are skipped.
	for seed := range uint64(150) {
		p := random(rand.New(rand.NewPCG(seed, 19)), binary)
		want, err := extensive(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if want.Status != lp.Optimal {
			continue
		}

		for _, gap := range []float64{1e-4, 0.05, 0.3} {
			// A larger gap ends the run earlier, when the cuts may still underestimate the cost of the design of the master.
			o := decompose.DefaultOptions()
			o.Threads = 1
			o.Benders.Gap = gap
			o.Benders.TrueCost = false
			got, err := decomposed(t.Context(), p, o)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if got.Design == nil {
				t.Errorf("seed %d, gap %v: no design, %v", seed, gap, got.Status)
				continue
			}

			// The design is priced again, independently of the run.
			if cost := price(t, p, got.Design); !(math.Abs(cost-got.Objective) <= 1e-5*max(1, math.Abs(cost))) {
				t.Errorf("seed %d, gap %v, %v: the design costs %v, not %v", seed, gap, got.Status, cost, got.Objective)
			}

			// A run that ends as optimal is within its gap of the optimum.
			if got.Status != lp.Optimal {
				continue
			}
			solved++
			beyond := math.Abs(got.Objective - want.Objective)
			if beyond > 1.001*gap*math.Abs(got.Objective)+1e-5*max(1, math.Abs(want.Objective)) {
				t.Errorf("seed %d, gap %v: %v is optimal, and the optimum is %v", seed, gap, got.Objective, want.Objective)
			}
		}
	}

	if solved < 100 {
		t.Errorf("%d runs ended as optimal: the test has no force", solved)
	}
}
