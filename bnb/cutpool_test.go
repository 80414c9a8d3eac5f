package bnb

import (
	"context"
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestMergedScale has a lazy hook that returns cuts that are parallel, with different scales or in different units. The
// last start violates one of them, and must not be accepted.
func TestMergedScale(t *testing.T) {
	x, y := lp.Var(0), lp.Var(1)
	small := AtMost(0, x.Times(1e-3), y.Times(-1e-3))
	coarse, fine := AtMost(0, x, y.Times(-1)), AtMost(0, x, y.Times(-1))
	coarse.Scale = 1e5

	// The last start is within the tolerance of one cut, and violates the other one: its units or its scale are finer.
	for name, c := range map[string]struct {
		calls [][]Cut   // the answers of the hook
		start []float64 // values of x, for y = 0
	}{
		"larger multiple":   {[][]Cut{{small}, {AtMost(0, x.Times(1e3), y.Times(-1e3))}}, []float64{8, 5e-4}},
		"negative multiple": {[][]Cut{{small}, {AtLeast(0, x.Times(-1e3), y.Times(1e3))}}, []float64{8, 5e-4}},
		"coarser scale":     {[][]Cut{{fine, coarse}}, []float64{8, 0.05}},
		"finer scale":       {[][]Cut{{coarse, fine}}, []float64{8, 0.05}},
	} {
		// The objective is x - y, which is at most 0 with x <= y. The starts have a better one and violate the cuts.
		m := &lp.Model{Maximize: true}
		m.AddCol(lp.Col{Cost: 1, Upper: 10})
		m.AddCol(lp.Col{Cost: -1, Upper: 10})
		opt := exact()
		for _, v := range c.start {
			opt.Start = append(opt.Start, []float64{v, 0})
		}

		// The hook gives its answers one by one where a candidate has x > y.
		calls := c.calls
		lazy := func(_ context.Context, c Candidate) (sep Separation, err error) {
			if len(calls) > 0 && c.X[0] > c.X[1] {
				sep.Cuts = calls[0]
				calls = calls[1:]
			}
			return sep, nil
		}

		// All answers were used, and no start that violates a cut was accepted.
		res, err := Solve(context.Background(), m, opt, Hooks{Lazy: lazy})
		if err != nil || res.Status != lp.Optimal || !(math.Abs(res.Objective) <= 1e-5) || len(calls) > 0 {
			t.Errorf("%s: %v, objective %g, %d answers left, %v", name, res.Status, res.Objective, len(calls), err)
		}
	}
}

// TestRefinedScale merges cuts of a hook and compares the scale with what both ask for.
func TestRefinedScale(t *testing.T) {
	cutOf := func(size, lower, upper, scale float64) *cut {
		return &cut{index: []int32{0}, value: []float64{size}, lower: lower, upper: upper, scale: scale}
	}

	// A scale of 0 stands for the size of the side, and for 1 where the side is smaller.
	for k, c := range []struct {
		old, other *cut
		want       float64
	}{
		{cutOf(1, -inf, 7, 0), cutOf(1, -inf, 5, 0), 0}, // each side is its own scale
		{cutOf(1, -inf, 5, 0), cutOf(1, -inf, 7, 0), 0},
		{cutOf(1, -inf, 5, 0), cutOf(10, -inf, 50, 0), 0}, // the same side in other units
		{cutOf(1, -inf, 5, 0), cutOf(0.1, -inf, 0.4, 0), 0},

		// With sides of 0 the scale is 1 in the units of each cut, so that larger coefficients make it finer.
		{cutOf(1, -inf, 0, 0), cutOf(10, -inf, 0, 0), 0.1},
		{cutOf(1, -inf, 0, 0), cutOf(-10, 0, inf, 0), 0.1},
		{cutOf(1, -inf, 0, 0), cutOf(10, -inf, 2e3, 0), 0}, // the other cut adds nothing

		// Of two scales the finer one counts, in the units of the first cut.
		{cutOf(1, -inf, 4, 0), cutOf(1, -inf, 4, 9), 0},
		{cutOf(1, -inf, 4, 0), cutOf(1, -inf, 4, 3), 3},
		{cutOf(1, -inf, 4, 9), cutOf(1, -inf, 4, 0), 4},
		{cutOf(1, -inf, 4, 9), cutOf(2, -inf, 8, 16), 8},
		{cutOf(1, -inf, 4, 8), cutOf(1, -inf, 4, 9), 8},
	} {
		// The second cut is merged into the first one.
		q := newPool(nil)
		q.add(c.old)
		kept, isNew, _ := q.add(c.other)
		q.refine(kept, c.other)
		if isNew || math.Abs(kept.scale-c.want) > 1e-12 {
			t.Errorf("%d: new: %t, scale %g, want %g", k, isNew, kept.scale, c.want)
		}
	}
}
