package bnb

import (
	"context"
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// parallelPair has two rows over an integer and a continuous column that are parallel, with sides that exclude each
// other by gap at 144: far above the tolerance of 1e-6, and less than 1e-6 of the side.
func parallelPair(gap float64, equal bool) *lp.Model {
	m := &lp.Model{}
	m.AddCol(lp.Col{Cost: 1, Upper: 25, Integer: true})
	m.AddCol(lp.Col{Cost: 1, Upper: 35})
	first := lp.Row{Lower: math.Inf(-1), Upper: 144.2}
	if equal {
		first.Lower = 144.2
	}
	m.AddRow(first, []int32{0, 1}, []float64{3.5, 7.25})
	m.AddRow(lp.Row{Lower: 144.2 + gap, Upper: lp.Inf}, []int32{0, 1}, []float64{3.5, 7.25})
	return m
}

// Parallel rows are merged; their sides contradict each other by an absolute amount, and not by one relative to their
// size.
func TestParallelRowsContradict(t *testing.T) {
	for _, equal := range []bool{false, true} {
		for _, gap := range []float64{1e-4, 1e-5, 3e-6} {
			m := parallelPair(gap, equal)
			wantInfeasible(t, m)
			m.AddCol(lp.Col{Cost: -1, Upper: lp.Inf}) // a ray in a model without a point
			wantInfeasible(t, m)
		}
		for _, gap := range []float64{1e-9, 0} {
			m := parallelPair(gap, equal)
			res := wantOptimal(t, m)
			if math.Abs(res.Objective-144.2/7.25) > 1e-6 {
				t.Errorf("gap %g: objective %.9g", gap, res.Objective)
			}
		}
	}
}

func wantInfeasible(t *testing.T, m *lp.Model) {
	t.Helper()
	for _, on := range []bool{true, false} {
		opt := DefaultOptions()
		opt.Presolve = on
		if res, err := Solve(context.Background(), m, opt, Hooks{}); err != nil || res.Status != lp.Infeasible {
			t.Errorf("presolve %v: %v, %v", on, res.Status, err)
		}
	}
}

func wantOptimal(t *testing.T, m *lp.Model) Result {
	t.Helper()
	var last Result
	for _, on := range []bool{false, true} {
		opt := DefaultOptions()
		opt.Presolve = on
		res, err := Solve(context.Background(), m, opt, Hooks{})
		if err != nil || res.Status != lp.Optimal {
			t.Fatalf("presolve %v: %v, %v", on, res.Status, err)
		}
		last = res
	}
	return last
}

// TestSmallCoefficientProvesNothing has one point, planted at bounds that its rows imply for each other: u at 0 by the
// first row, z at 16 by the first, y by the second, and the third as an equation with coefficients of 6e-5 and 3e-4 for
// z and u. What rounding leaves of the bounds must not contradict it.
func TestSmallCoefficientProvesNothing(t *testing.T) {
	const z, k = 16.0, 12.0
	for n := range 200 {
		f := 1 + float64(n)/137
		y := (141.7 * f) / 193.1
		m := &lp.Model{}
		m.AddCol(lp.Col{Cost: 3e5, Upper: 1})
		m.AddCol(lp.Col{Cost: -0.3, Upper: 18, Integer: true})
		m.AddCol(lp.Col{Cost: -9e4, Upper: 2})
		m.AddCol(lp.Col{Cost: 6e-6, Upper: 25})
		side := 0.0231 * z
		m.AddRow(lp.Row{Lower: side, Upper: side + 20}, []int32{0, 3}, []float64{-712345.5, 0.0231})
		m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 141.7 * f}, []int32{2}, []float64{193.1})
		m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: -101.3*k - 3.2*z}, []int32{0, 1, 3}, []float64{5e-4, -101.3, -3.2})
		side = 331.7*k - 51.3*y + 6.3e-5*z
		m.AddRow(lp.Row{Lower: side, Upper: side}, []int32{0, 1, 2, 3}, []float64{-2.7e-4, 331.7, -51.3, 6.3e-5})
		res := wantOptimal(t, m)
		if want := -0.3*k - 9e4*y + 6e-6*z; math.Abs(res.Objective-want) > 0.5 {
			t.Errorf("%d: objective %.9g, planted %.9g", n, res.Objective, want)
		}
	}
}

// The bound that closes a search may come from another one, in which the objective of the same point is another sum.
func TestGapClosesToRounding(t *testing.T) {
	p, err := newProblem(&lp.Model{}, DefaultOptions().Tolerances)
	if err != nil {
		t.Fatal(err)
	}
	opt := DefaultOptions()
	opt.Gap = 0
	one, other := newIncumbent(p, opt, nil), newIncumbent(p, opt, nil)
	one.set(nil, 87.56818881959423, FromStart)
	other.set(nil, math.Nextafter(87.56818881959423, 100), FromStart)
	if !other.closes(one.cutoff) {
		t.Error("an ulp keeps the gap open")
	}
	if other.closes(one.cutoff - 1e-9) {
		t.Error("more than rounding closes the gap")
	}
}
