package simplex

import (
	"context"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/lp"
)

// Range says how far one number of a model may change, all others as they are, while the optimal basis stays optimal.
type Range struct {
	// Low and High are the ends of the interval of the number, infinite where there is none.
	Low, High float64
	// AtLow and AtHigh are the objective there: it is linear in between. They are infinite or NaN at infinite ends.
	AtLow, AtHigh float64
}

// Ranges is the sensitivity analysis of an optimal basis (Chvatal, Linear Programming, 1983, chapter 10). Where the
// optimum is degenerate it has several bases, and each of them may have ranges of its own, which are all right but
// none the largest possible. Sides and bounds that are infinite have the range from -Inf to +Inf.
type Ranges struct {
	Cost               []Range // of the columns
	Lower, Upper       []Range // bounds of the columns
	RowLower, RowUpper []Range // sides of the rows
}

// Ranging returns the ranges of the optimal basis of a solution of the model. The error wraps ErrBasis where the
// solution is not optimal, or its basis not of the model.
func Ranging(ctx context.Context, m *lp.Model, sol *Solution) (*Ranges, error) {
	if sol.Status != lp.Optimal {
		return nil, fmt.Errorf("simplex: %w: the solution is not optimal", ErrBasis)
	}

	// A solver of its own takes the basis over, which is optimal: it makes no pivot, or a few where rounding decides.
	s, err := New(m, DefaultOptions())
	if err != nil {
		return nil, err
	}
	if err := s.SetBasis(&sol.Basis); err != nil {
		return nil, err
	}
	res, err := s.Solve(ctx, NoLimits())
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if res.Status != lp.Optimal {
		return nil, fmt.Errorf("simplex: %w: it is %v for the model", ErrBasis, res.Status)
	}

	// The columns of the matrix give the rows of the tableau.
	a, err := m.Matrix()
	if err != nil {
		return nil, err
	}
	r := newRanger(m, s, a, res.Objective)
	return r.ranges(ctx)
}

// ranger computes the ranges of the basis of a solver. Variables are the columns and then the activities of the rows.
type ranger struct {
	m         *lp.Model
	s         *Solver
	a         *lp.Matrix
	objective float64
	sense     float64 // 1 for a minimisation, -1 for a maximisation

	value        []float64 // of the variables
	lower, upper []float64
	reduced      []float64 // reduced costs of the minimisation; of an activity the one of its row
	status       []VarStatus

	// Of each nonbasic variable, how far its value may move; of each basic column, its cost.
	down, up        []float64
	cheaper, dearer []float64
}

func newRanger(m *lp.Model, s *Solver, a *lp.Matrix, objective float64) *ranger {
	n := len(m.Cols)
	r := &ranger{m: m, s: s, a: a, objective: objective, sense: 1}
	if m.Maximize {
		r.sense = -1
	}
	r.value = append(append(r.value, s.X()...), s.RowActivity()...)

	// The columns, and then the rows, whose activities are variables with the sides as bounds.
	for j, d := range s.ReducedCost() {
		c := &m.Cols[j]
		r.lower = append(r.lower, c.Lower)
		r.upper = append(r.upper, c.Upper)
		r.reduced = append(r.reduced, r.sense*d)
		r.status = append(r.status, s.ColStatus(lp.Var(j)))
	}
	for i, y := range s.RowDual() {
		row := &m.Rows[i]
		r.lower = append(r.lower, row.Lower)
		r.upper = append(r.upper, row.Upper)
		r.reduced = append(r.reduced, r.sense*y)
		r.status = append(r.status, s.RowStatus(lp.Con(i)))
	}

	// Nothing limits a change before the rows of the tableau are read.
	for range n + len(m.Rows) {
		r.down = append(r.down, math.Inf(-1))
		r.up = append(r.up, math.Inf(1))
		r.cheaper = append(r.cheaper, math.Inf(-1))
		r.dearer = append(r.dearer, math.Inf(1))
	}
	return r
}

// ranges goes through the rows of the tableau, each of which limits how far nonbasic variables may move, and how much
// the cost of its basic variable may change.
func (r *ranger) ranges(ctx context.Context) (*Ranges, error) {
	n := len(r.m.Cols)
	y := make([]float64, len(r.m.Rows))
	for v := range r.value {
		if r.status[v] != Basic {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := r.s.BInvRow(v, y); err != nil {
			return nil, err
		}
		for k := range r.value {
			if r.status[k] == Basic {
				continue
			}

			// The coefficient of nonbasic variable k: x_v changes by -alpha where x_k changes by 1.
			alpha := 0.0
			if k >= n {
				alpha = -y[k-n]
			} else {
				index, value := r.a.Vec(k)
				for e, i := range index {
					alpha += y[i] * value[e]
				}
			}
			if math.Abs(alpha) > tinyAlpha {
				r.move(v, k, alpha)
				r.reprice(v, k, alpha)
			}
		}
	}
	return r.collect(), nil
}

// tinyAlpha is what a coefficient of the tableau may be by rounding alone.
const tinyAlpha = 1e-11

// move limits the values of nonbasic variable k so that basic variable v stays within its bounds.
func (r *ranger) move(v, k int, alpha float64) {
	toLower := (r.value[v] - r.lower[v]) / alpha // the change of x_k at which x_v is at its lower bound
	toUpper := (r.value[v] - r.upper[v]) / alpha
	if alpha < 0 {
		toLower, toUpper = toUpper, toLower
	}
	r.up[k] = min(r.up[k], max(0, toLower))
	r.down[k] = max(r.down[k], min(0, toUpper))
}

// reprice limits the cost of basic variable v so that the reduced cost of nonbasic variable k keeps its sign.
func (r *ranger) reprice(v, k int, alpha float64) {
	if r.lower[k] == r.upper[k] {
		return // a fixed variable has no sign to keep
	}

	// A change of the cost by t changes the reduced cost by -alpha t.
	t := r.reduced[k] / alpha
	falls, rises := alpha > 0, alpha < 0

	// At a lower bound the reduced cost must not fall below zero, at an upper one not rise above it; a free variable
	// allows neither.
	if mayFall := r.status[k] == AtUpper; !mayFall {
		r.limitCost(v, t, falls)
	}
	if mayRise := r.status[k] == AtLower; !mayRise {
		r.limitCost(v, t, rises)
	}
}

// limitCost limits the cost of basic variable v to the change t, upward or downward.
func (r *ranger) limitCost(v int, t float64, upward bool) {
	if upward {
		r.dearer[v] = min(r.dearer[v], max(0, t))
	} else {
		r.cheaper[v] = max(r.cheaper[v], min(0, t))
	}
}

// collect makes the ranges of the changes.
func (r *ranger) collect() *Ranges {
	n := len(r.m.Cols)
	out := &Ranges{}
	for j, c := range r.m.Cols {
		out.Cost = append(out.Cost, r.cost(j, c.Cost))
		out.Lower = append(out.Lower, r.side(j, c.Lower, AtLower))
		out.Upper = append(out.Upper, r.side(j, c.Upper, AtUpper))
	}
	for i, row := range r.m.Rows {
		out.RowLower = append(out.RowLower, r.side(n+i, row.Lower, AtLower))
		out.RowUpper = append(out.RowUpper, r.side(n+i, row.Upper, AtUpper))
	}
	return out
}

// cost is the range of the cost c of column j.
func (r *ranger) cost(j int, c float64) Range {
	// Changes of the cost of the minimisation.
	low, high := math.Inf(-1), math.Inf(1)
	switch r.status[j] {
	case Basic:
		low, high = r.cheaper[j], r.dearer[j]
	case AtLower:
		low = -max(0, r.reduced[j])
	case AtUpper:
		high = max(0, -r.reduced[j])
	default:
		low, high = 0, 0
	}
	if fixed := r.lower[j] == r.upper[j]; fixed && r.status[j] != Basic {
		low, high = math.Inf(-1), math.Inf(1)
	}
	if r.sense < 0 {
		low, high = -high, -low
	}
	return Range{c + low, c + high, r.objective + times(low, r.value[j]), r.objective + times(high, r.value[j])}
}

// side is the range of a bound or side of a variable, at which the variable may be.
func (r *ranger) side(k int, bound float64, at VarStatus) Range {
	out := Range{math.Inf(-1), math.Inf(1), r.objective, r.objective}
	if math.IsInf(bound, 0) {
		return out
	}

	// A variable that is at neither side leaves room up to its value; one at the side moves with it. The two sides of
	// an equation are one.
	fixed := r.lower[k] == r.upper[k]
	switch {
	case r.status[k] != Basic && (r.status[k] == at || fixed):
		slope := r.sense * r.reduced[k]
		out = Range{bound + r.down[k], bound + r.up[k], r.objective + times(r.down[k], slope),
			r.objective + times(r.up[k], slope)}
		if !fixed { // the sides of a range must not cross
			if at == AtLower && out.High > r.upper[k] {
				out.High = r.upper[k]
				out.AtHigh = r.objective + slope*(out.High-bound)
			}
			if at == AtUpper && out.Low < r.lower[k] {
				out.Low = r.lower[k]
				out.AtLow = r.objective + slope*(out.Low-bound)
			}
		}
	case at == AtLower:
		out.High = r.value[k]
	default:
		out.Low = r.value[k]
	}
	return out
}

// times is a*b, and 0 where b is 0.
func times(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a * b
}
