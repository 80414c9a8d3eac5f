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
	for name, c := range map[string]struct {
		calls [][]Cut   // the answers of the hook
		start []float64 // values of x, for y = 0
	}{
		"larger multiple":   {[][]Cut{{small}, {AtMost(0, x.Times(1e3), y.Times(-1e3))}}, []float64{8, 5e-4}},
		"negative multiple": {[][]Cut{{small}, {AtLeast(0, x.Times(-1e3), y.Times(1e3))}}, []float64{8, 5e-4}},
		"coarser scale":     {[][]Cut{{fine, coarse}}, []float64{8, 0.05}},
		"finer scale":       {[][]Cut{{coarse, fine}}, []float64{8, 0.05}},
	} {
		m := &lp.Model{Maximize: true}
		m.AddCol(lp.Col{Cost: 1, Upper: 10})
		m.AddCol(lp.Col{Cost: -1, Upper: 10})
		opt := exact()
		for _, v := range c.start {
			opt.Start = append(opt.Start, []float64{v, 0})
		}
		calls := c.calls
		lazy := func(_ context.Context, c Candidate) (sep Separation, err error) {
			if len(calls) > 0 && c.X[0] > c.X[1] {
				sep.Cuts = calls[0]
				calls = calls[1:]
			}
			return sep, nil
		}
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
	for k, c := range []struct {
		old, other *cut
		want       float64
	}{
		{cutOf(1, -inf, 7, 0), cutOf(1, -inf, 5, 0), 0}, // each side is its own scale
		{cutOf(1, -inf, 5, 0), cutOf(1, -inf, 7, 0), 0},
		{cutOf(1, -inf, 5, 0), cutOf(10, -inf, 50, 0), 0}, // the same side in other units
		{cutOf(1, -inf, 5, 0), cutOf(0.1, -inf, 0.4, 0), 0},
		{cutOf(1, -inf, 0, 0), cutOf(10, -inf, 0, 0), 0.1},
		{cutOf(1, -inf, 0, 0), cutOf(-10, 0, inf, 0), 0.1},
		{cutOf(1, -inf, 0, 0), cutOf(10, -inf, 2e3, 0), 0}, // the other cut adds nothing
		{cutOf(1, -inf, 4, 0), cutOf(1, -inf, 4, 9), 0},
		{cutOf(1, -inf, 4, 0), cutOf(1, -inf, 4, 3), 3},
		{cutOf(1, -inf, 4, 9), cutOf(1, -inf, 4, 0), 4},
		{cutOf(1, -inf, 4, 9), cutOf(2, -inf, 8, 16), 8},
		{cutOf(1, -inf, 4, 8), cutOf(1, -inf, 4, 9), 8},
	} {
		q := newPool(nil)
		q.add(c.old)
		kept, isNew, _ := q.add(c.other)
		q.refine(kept, c.other)
		if isNew || math.Abs(kept.scale-c.want) > 1e-12 {
			t.Errorf("%d: new: %t, scale %g, want %g", k, isNew, kept.scale, c.want)
		}
	}
}
