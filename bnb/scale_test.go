package bnb

import (
	"context"
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// solveBoth solves m with and without presolve and compares the objectives with want.
func solveBoth(t *testing.T, name string, m *lp.Model, want float64) {
	t.Helper()
	for _, presolve := range []bool{true, false} {
		opt := DefaultOptions()
		opt.Presolve = presolve
		res, err := Solve(context.Background(), m, opt, Hooks{})
		if err != nil || res.Status != lp.Optimal || !(math.Abs(res.Objective-want) <= 1e-6*(1+math.Abs(want))) {
			t.Errorf("%s, presolve %t: %v, objective %.10g, want %.10g, %v", name, presolve, res.Status,
				res.Objective, want, err)
		}
	}
}

// TestLargeCoefficients has rows in which an integer column a hair off an integer violates nothing, and on it too much:
// x - M y <= -d asks for y = 1, k y + k z <= 2 k - d for y + z <= 1.
func TestLargeCoefficients(t *testing.T) {
	for _, big := range []float64{1e2, 1e4, 1e6, 1e7} {
		for _, d := range []float64{0.02, 0.5} {
			m := &lp.Model{}
			m.AddCol(lp.Col{Cost: 1, Upper: math.Inf(1)})
			m.AddCol(lp.Col{Cost: 300, Upper: 1, Integer: true})
			m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: -d}, []int32{0, 1}, []float64{1, -big})
			m.AddRow(lp.Row{Lower: 0, Upper: math.Inf(1)}, []int32{0, 1}, []float64{1, -2})
			solveBoth(t, "cover", m, 302)

			m = &lp.Model{Maximize: true}
			m.AddCol(lp.Col{Cost: 3, Upper: 1, Integer: true})
			m.AddCol(lp.Col{Cost: 2, Upper: 1, Integer: true})
			m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 2*big - d}, []int32{0, 1}, []float64{big, big})
			solveBoth(t, "packing", m, 3)
		}
	}
}

// TestInfeasibleLeaf has a node with all integer columns fixed that is infeasible by little beside its coefficients:
// for k = 5 the first row asks for x <= 0, the second for x >= 2.
func TestInfeasibleLeaf(t *testing.T) {
	for _, big := range []float64{1e4, 1e6, 1e7} {
		m := &lp.Model{}
		m.AddCol(lp.Col{Cost: 1e-3, Upper: 1e5})
		m.AddCol(lp.Col{Cost: 100, Lower: 5, Upper: 6, Integer: true})
		m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: -5 * big}, []int32{0, 1}, []float64{0.75, -big})
		m.AddRow(lp.Row{Lower: 1.0/512 - 40, Upper: math.Inf(1)}, []int32{0, 1}, []float64{1.0 / 1024, -8})
		solveBoth(t, "leaf", m, 600+1e-3*(2+8*1024))
	}
}
