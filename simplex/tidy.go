package simplex

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// tidyTol is how near to a bound of its own, relative beyond 1, a value is taken for that bound.
const tidyTol = 1e-9

// Tidy returns x with every value that is its bound but for rounding on that bound, without negative zeros. Everything
// else stays. Where rows or bounds of m are violated by more after that than before, and by more than tol, x itself is
// returned.
func Tidy(m *lp.Model, x []float64, tol float64) []float64 {
	a, err := m.Matrix()
	if err != nil || len(x) != len(m.Cols) {
		return x
	}

	// The change of each activity shows whether rows have to be looked at again.
	y := make([]float64, len(x))
	change := make([]float64, len(m.Rows)) // of the activities
	for j, v := range x {
		c := &m.Cols[j]
		y[j] = nearBound(v, c.Lower, c.Upper) + 0 // no negative zeros
		if d := y[j] - v; d != 0 {
			index, value := a.Vec(j)
			for k, i := range index {
				change[i] += value[k] * d
			}
		}
	}

	// Most points stay as they are; for these no activities are needed.
	if !slices.ContainsFunc(change, func(d float64) bool { return d != 0 }) {
		return y
	}
	before := rowViolation(m, a, x)
	if rowViolation(m, a, y) <= max(before, tol) {
		return y
	}
	return x
}

// nearBound returns the bound that v is, but for rounding, else v.
func nearBound(v, lo, up float64) float64 {
	for _, b := range [2]float64{lo, up} {
		if math.Abs(v-b) <= tidyTol*max(1, math.Abs(b)) && !isInf(b) {
			return b
		}
	}
	return v
}

// rowViolation returns the largest violation of a row at x, absolute.
func rowViolation(m *lp.Model, a *lp.Matrix, x []float64) float64 {
	worst := 0.0
	for i, act := range activities(m, a, x) {
		worst = max(worst, m.Rows[i].Lower-act, act-m.Rows[i].Upper)
	}
	return worst
}

// activities returns the activities of the rows at x.
func activities(m *lp.Model, a *lp.Matrix, x []float64) []float64 {
	act := make([]float64, len(m.Rows))
	for j, v := range x {
		index, value := a.Vec(j)
		for k, i := range index {
			act[i] += value[k] * v
		}
	}
	return act
}

// tidied is the solution with a tidy point, where it has a feasible one.
func (sol *Solution) tidied(m *lp.Model, tol float64) *Solution {
	if sol == nil || sol.Primal != lp.FeasiblePoint {
		return sol
	}

	// The rest of the solution follows only where a value has changed.
	y := Tidy(m, sol.X, tol)
	if !slices.Equal(y, sol.X) {
		a, err := m.Matrix()
		if err != nil {
			return sol
		}
		sol.RowActivity = activities(m, a, y)
		sol.Objective = m.Evaluate(y)
		if sol.Status == lp.Optimal {
			sol.Bound = sol.Objective
		}
	}
	sol.X = y
	return sol
}
