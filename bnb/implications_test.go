package bnb

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestImpliedBoundsCross has a semi-continuous column, zero or at least 0.1, of which a row makes at most 0.7/7: in
// floating point that is less than 0.1. The bounds that cross by rounding leave one point.
func TestImpliedBoundsCross(t *testing.T) {
	for _, presolve := range []bool{true, false} {
		m := &lp.Model{}
		x := m.Nonnegative("x", 1)
		m.AtMost(0.7, x.Times(7))
		m.AtLeast(0.05, x)
		m.Cols[x].Lower, m.Cols[x].Upper = 0.1, inf
		if err := m.Impose(lp.Logic{Semi: []lp.Var{x}, Form: lp.ByBranching}); err != nil {
			t.Fatal(err)
		}
		opt := exact()
		opt.Presolve = presolve
		res, err := Solve(t.Context(), m, opt, Hooks{})
		if err != nil || res.Status != lp.Optimal || !(math.Abs(res.Objective-0.1) <= 1e-9) {
			t.Errorf("presolve %t: %v, %g, %v", presolve, res.Status, res.Objective, err)
			continue
		}
		if err := m.Check(res.X); err != nil {
			t.Error(err)
		}
	}
}
