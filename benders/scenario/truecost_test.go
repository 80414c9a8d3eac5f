package scenario

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
)

// TestObjectiveWithoutTrueCost solves random programs within wide gaps, without true-cost selection: the objective is
// what the design costs.
func TestObjectiveWithoutTrueCost(t *testing.T) {
	for seed := range uint64(60) {
		program := fixedCharge(rand.New(rand.NewPCG(seed, 43)))
		for _, gap := range []float64{1e-4, 0.05, 0.3} {
			p, err := New(program)
			if err != nil {
				t.Fatal(err)
			}
			o := decompose.DefaultOptions()
			o.Scheme = decompose.BBC
			o.Benders.Gap = gap
			o.Benders.TrueCost = false
			got, err := decompose.Solve(t.Context(), p.Program(), o)
			if err != nil || got.Design == nil {
				t.Fatalf("seed %d, gap %g: %+v, %v", seed, gap, got, err)
			}

			// Another run has no answers yet, and prices the design by linear programs.
			q, err := New(program)
			if err != nil {
				t.Fatal(err)
			}
			cost, feasible, err := (&solvers{p: q}).cost(t.Context(), got.Design)
			if err != nil || !feasible || math.Abs(cost-got.Objective) > 1e-6*max(1, math.Abs(cost)) {
				t.Errorf("seed %d, gap %g, %v: objective %g, cost %g, %v", seed, gap, got.Status, got.Objective, cost, err)
			}
		}
	}
}
