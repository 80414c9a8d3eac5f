package simplex

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// limitBound returns a lower bound on the minimised objective, without offset, for a Solve that stopped
// early, and whether the multipliers are dual feasible within the tolerance. The bound is that of the current
// multipliers with the costs of the model, not the perturbed ones. Where that needs a bound that is
// infinite, it tries the multipliers of the basis for the costs of the model, then bounds that the
// rows imply, and at last neglects what the dual tolerance allows, as at an optimum.
func (s *Solver) limitBound() (bound float64, dualFeasible bool) {
	// At the limit of the objective the bound is the dual objective of the model, which was just checked.
	if s.ctl.stop == lp.ObjectiveLimit {
		return s.dualBound(), true
	}

	// A sum that ends at an infinite bound costs next to nothing.
	over := func(lo, up []float64, zero float64) float64 {
		bound := s.boundOver(lo, up, zero)
		if !isInf(bound) {
			s.factor.charge(len(s.cost))
		}
		return bound
	}

	// The current multipliers first, if they are valid.
	if s.duals.ok {
		if bound = over(s.lo, s.up, boundZero); !isInf(bound) {
			return bound, true
		}
	}
	if !s.factor.ok || !s.basis.ok { // as after a limit before the first factorisation
		return math.Inf(-1), false
	}

	// Other multipliers belong to the basis where its variables had other costs.
	s.restoreCosts()
	if !s.duals.ok {
		s.computeDuals()
		if bound = over(s.lo, s.up, boundZero); !isInf(bound) {
			return bound, true
		}
	}

	// Every feasible point is within the implied bounds, so the minimum over those is a bound as well.
	dualFeasible = !isInf(over(s.lo, s.up, s.duals.tol))
	lo, up, work := s.impliedBounds()
	s.factor.charge(work)
	if bound = over(lo, up, boundZero); isInf(bound) {
		bound = over(lo, up, s.duals.tol)
	}
	return bound, dualFeasible
}

// dualBound returns the dual objective of the model at the current multipliers, where wrong signs within the dual
// tolerance count as zero.
func (s *basicSolution) dualBound() float64 { return s.boundOver(s.lo, s.up, s.duals.tol) }

// boundOver returns the least of sum d_v x_v over lo <= x <= up, d the reduced costs at the current multipliers for the
// costs of the model. That is the dual objective, a lower bound on the minimised one without offset: -Inf where a
// reduced cost above zero needs a bound that is infinite.
func (s *basicSolution) boundOver(lo, up []float64, zero float64) float64 {
	return leastOver(lo, up, zero, func(v int) float64 {
		// The reduced cost for the cost of the model: the working cost may be perturbed.
		return s.duals.d[v] + (s.cost[v] - s.duals.cost[v])
	})
}

// leastOver returns the least of sum d(v) x_v over lo <= x <= up; -Inf where a d above zero needs a bound that is
// infinite.
func leastOver(lo, up []float64, zero float64, d func(v int) float64) float64 {
	sum := 0.0
	for v := range lo {
		t := d(v)
		b := pickBound(t < 0, up[v], lo[v])

		switch {
		case !isInf(b):
			sum += t * b
		case math.Abs(t) > zero:
			return math.Inf(-1)
		}
	}
	return sum
}

// boundZero is the size, in the scaled model or in Bound that of the model, below which a reduced cost is taken for
// rounding where its bound is infinite. It is far below the dual tolerance, so that a bound does not rest on neglected
// terms of that size.
const boundZero = 1e-11

// Bound returns the bound on the objective of m that multipliers of its rows prove, with the signs of
// Solution.RowDual: the least value over the bounds of the columns, or the greatest of a maximisation, of the objective
// less the multiples of the rows, plus what the sides of the rows say of these multiples. Infinite bounds are replaced
// by what the rows imply; -Inf, or +Inf of a maximisation, where even these are infinite. Multipliers with the sign of
// a side that a row does not have count as zero. The vector has a value for each row. Sums are rounded as usual. The
// error is that of m.Validate.
func Bound(m *lp.Model, rowDual []float64) (float64, error) {
	if err := m.Validate(); err != nil {
		return math.NaN(), err
	}
	a, err := m.Matrix()
	if err != nil {
		return math.NaN(), err
	}
	var p problem
	p.load(m, a, false)
	lo, up, _ := p.impliedBounds()

	// The reduced costs of the minimisation; those of the rows are the multipliers.
	d := slices.Clone(p.cost)
	for i, y := range rowDual {
		y *= p.sense
		v := p.n + i
		if side := pickBound(y < 0, p.up[v], p.lo[v]); y != 0 && !isInf(side) {
			d[v] = y
		}
	}
	for j := range p.n {
		index, value := a.Vec(j)
		for k, i := range index {
			d[j] -= value[k] * d[p.n+int(i)]
		}
	}

	return p.sense*leastOver(lo, up, boundZero, func(v int) float64 { return d[v] }) + p.offset, nil
}
