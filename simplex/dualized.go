package simplex

import (
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// dualRatio is the least number of rows of a model for each row of its dual for the dual to be solved, and dualStart
// the factor by which the share of columns that spoil the start may be larger in the dual. Both were chosen on duals of
// Netlib models; of Netlib itself only agg, agg2, agg3 and ceria3d come to it.
const (
	dualRatio = 1.25
	dualStart = 1.5
)

// solveDual solves the dual of m, if the options have it, where that has far fewer rows and its slack basis is no worse
// a start, and returns the complementary basis of m. Where the dual is infeasible or unbounded that is the basis which
// proved it. Only the objective at a feasible point of the dual is a bound of m, and there is none until the end, or
// nearly, so that an objective limit rules it out. The dual of d6cube, 6184 x 415, takes 455 pivots so and took 10260.
func solveDual(ctx context.Context, m *lp.Model, opt Options, at logged) (first coldStart) {
	// The dual pays only for tall models, and only where its start is no worse.
	if !opt.Dualize || !isInf(opt.Limits.Objective) || !isTall(m) {
		return first
	}
	d := newDualModel(m)
	if d == nil || spoiled(d.Model) > dualStart*spoiled(m) {
		return first
	}

	// Reduced costs of m are activities of the dual, so the two tolerances change places.
	first.begun = true
	first.Work = 2 * float64(m.NumEntries())
	first.Span = first.Work
	opt.Limits.Work = max(0, opt.Limits.Work-first.Work)
	opt.Tolerances = Tolerances{Primal: opt.Tolerances.Dual, Dual: opt.Tolerances.Primal}
	opt.Dualize = false
	opt.logSize("dualize", d.Model)
	at.inner = true
	r, err := d.solve(ctx, opt, at)

	// The bound is that of a feasible point of the dual; without one it is unknown.
	first.include(&r.Result)
	first.Bound = math.NaN()
	if err == nil && r.Primal == lp.FeasiblePoint {
		first.Bound = r.Objective
	}

	// Without a basis m is solved from its slack basis.
	if err == nil && r.basis != nil {
		first.basis = d.basis(r.basis)
	}
	return first
}

// solve solves the dual, after presolve if the options have it. Where what presolve leaves has no optimum, the basis
// that proved it is good enough: going on to the whole dual, as solveCold does for its ray, may take as long again.
func (d *dualModel) solve(ctx context.Context, opt Options, at logged) (coldStart, error) {
	// Presolve may already decide the dual.
	r, err := presolved(ctx, d.Model, opt, at, time.Now())
	if err != nil || r.begun {
		return r, err
	}
	s, err := New(d.Model, opt)
	if err != nil {
		return r, err
	}
	s.logged = at

	// The basis that proves that the dual has no optimum is as good a start for the whole model as an optimal one.
	r.Result, err = s.Solve(ctx, opt.Limits)
	r.basis = new(Basis)
	s.GetBasis(r.basis)
	return r, err
}

// isTall reports whether the dual of m has far fewer rows than m; columns with one coefficient are bounds there.
func isTall(m *lp.Model) bool {
	a, err := m.Matrix()
	if err != nil { // New reports it
		return false
	}

	// A column with more than one coefficient is a row of the dual.
	rows := 0
	for j := range m.Cols {
		if a.Start[j+1]-a.Start[j] > 1 {
			rows++
		}
	}
	return float64(len(m.Rows)) >= dualRatio*float64(rows)
}

// spoiled returns the share of columns that make the slack basis of m a bad start for the dual simplex method: those
// that are dual infeasible there and have no other bound to go to, and, if there are such, the free ones, which have to
// enter.
func spoiled(m *lp.Model) float64 {
	free := 0
	infeasible := 0
	for j := range m.Cols {
		c := &m.Cols[j]
		cost := senseOf(m) * c.Cost

		// The optimum over the bounds of the column alone would be infinite.
		unboundedBelow := cost > 0 && isInf(c.Lower)
		unboundedAbove := cost < 0 && isInf(c.Upper)
		switch {
		case unboundedBelow || unboundedAbove:
			infeasible++
		case isInf(c.Lower) && isInf(c.Upper):
			free++
		}
	}

	if infeasible == 0 {
		return 0
	}
	return float64(infeasible+free) / float64(len(m.Cols))
}
