package bnb

import (
	"math"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestBoundAtStep has an optimum one step of the objective, 1e-4, below a start. The point of a relaxation may miss rows
// by the tolerance of the LP: its objective, a little above that of the optimum, must not be rounded up to the start's.
func TestBoundAtStep(t *testing.T) {
	m := tiny{
		cost:  []float64{14.4352, 14.4445, -11.5486, -15.6925, 12.4918, 8.6394, 17.5403, -2.2194, -7.2625, -0.107, 0.0001},
		lower: make([]float64, 11), upper: slices.Repeat([]float64{1}, 11), integer: slices.Repeat([]bool{true}, 11),
		rows: []row{
			{19, 22, []float64{4, 4, 3, 4, 4, 4, 4, 3, 4, 5, 0}},
			{18, 21, []float64{5, 5, 4, 3, 5, 5, 3, 4, 4, 3, 0}},
			{14, math.Inf(1), []float64{5, 4, 3, 3, 4, 3, 3, 3, 0, 3, 0}},
			{10, 10, []float64{5, 0, 5, 4, 0, 5, 5, 5, 4, 0, 0}},
		}, box: 1}
	want := m.solve()
	for seed := range uint64(8) {
		opt := exact()
		opt.Presolve, opt.Seed = false, seed
		opt.tuning.conflictsOff = true
		opt.Start = [][]float64{{0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1}}
		res, err := Solve(t.Context(), m.model(nil), opt, Hooks{})
		if err != nil || res.Status != lp.Optimal || !(math.Abs(res.Objective-want) < 1e-6) {
			t.Errorf("seed %d: %v, %v, objective %.9g of %.9g", seed, res.Status, err, res.Objective, want)
		}
	}
}
