package bnb

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestFailedRounds has a model without a point whose integer columns lack bounds. Each dive from the root fails, and its
// conflict moves a bound by a unit: the root ends all the same, and the limit of nodes is obeyed.
func TestFailedRounds(t *testing.T) {
	m := &lp.Model{}
	for _, c := range []lp.Col{
		{Lower: 3.5, Upper: inf},
		{Lower: math.Inf(-1), Upper: -2, Integer: true},
		{},
		{Lower: math.Inf(-1), Upper: inf, Integer: true},
		{Lower: math.Inf(-1), Upper: inf, Integer: true},
	} {
		m.AddCol(c)
	}
	m.AddRow(lp.Row{Lower: 6, Upper: 7}, []int32{0, 4}, []float64{400, -1})
	m.AddRow(lp.Row{Lower: 5, Upper: 5}, []int32{0, 1, 3, 4}, []float64{1, 3, -3, -4})
	m.AddRow(lp.Row{Lower: 3, Upper: 3}, []int32{0, 1}, []float64{4, 3})
	m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 3}, []int32{1, 2}, []float64{300, 3})

	opt := DefaultOptions()
	opt.MaxNodes = 2
	opt.MaxWork = 1e8
	res, err := Solve(t.Context(), m, opt, Hooks{})
	if err != nil || res.Status != lp.NodeLimit {
		t.Errorf("%v after %d nodes, %v", res.Status, res.Nodes, err)
	}
}
