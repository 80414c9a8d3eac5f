package twostage

import (
	"context"
	"errors"
	"fmt"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// warm is a linear program that is solved again and again from its last basis. The model has the same numbers as the
// solver, so that a new solver can take its place.
type warm struct {
	model  *lp.Model
	solver *simplex.Solver
}

// newWarm returns the linear program m, which the caller must not change any more.
func newWarm(m *lp.Model) (*warm, error) {
	s, err := simplex.New(m, simplex.DefaultOptions())
	if err != nil {
		return nil, prefixed(err)
	}
	return &warm{model: m, solver: s}, nil
}

// setRow changes the bounds of a row and reports whether they were others.
func (w *warm) setRow(i lp.Con, lower, upper float64) bool {
	// An unchanged row costs the solver nothing, and the last result may still hold.
	r := &w.model.Rows[i]
	if r.Lower == lower && r.Upper == upper {
		return false
	}
	r.Lower, r.Upper = lower, upper
	w.solver.SetRowBounds(i, lower, upper)
	return true
}

// setCol changes the bounds of a column and reports whether they were others.
func (w *warm) setCol(j lp.Var, lower, upper float64) bool {
	c := &w.model.Cols[j]
	if c.Lower == lower && c.Upper == upper {
		return false
	}
	c.Lower, c.Upper = lower, upper
	w.solver.SetColBounds(j, lower, upper)
	return true
}

// setCost changes the cost of a column.
func (w *warm) setCost(j lp.Var, c float64) {
	if w.model.Cols[j].Cost != c {
		w.model.Cols[j].Cost = c
		w.solver.SetCost(j, c)
	}
}

// solve returns an optimal, infeasible or unbounded result; a program that is stopped before is an error. After a
// numerical failure it begins anew from the slack basis, and then in the units of the model.
func (w *warm) solve(ctx context.Context) (simplex.Result, error) {
	result, err := w.solver.Solve(ctx, simplex.NoLimits())
	for attempt := 0; attempt < 2 && errors.Is(err, simplex.ErrNumerical) && ctx.Err() == nil; attempt++ {
		// A new solver has the slack basis; the second one works without scaling.
		opt := simplex.DefaultOptions()
		opt.Scale = attempt == 0
		if w.solver, err = simplex.New(w.model, opt); err == nil {
			result, err = w.solver.Solve(ctx, simplex.NoLimits())
		}
	}
	if err != nil {
		return result, prefixed(err)
	}

	// There are no limits, so that any other status is that of a cancelled context or a failure.
	switch result.Status {
	case lp.Optimal, lp.Infeasible, lp.Unbounded:
		return result, nil
	}
	if err := ctx.Err(); err != nil {
		return result, err
	}
	return result, fmt.Errorf("twostage: %w: a linear program ended with the status %v", simplex.ErrNumerical,
		result.Status)
}

// dual returns a view of the row duals of the last solve, valid until the next one.
func (w *warm) dual() []float64 { return w.solver.RowDual() }

// x returns a view of the point of the last solve.
func (w *warm) x() []float64 { return w.solver.X() }

// ray returns a view of the ray of the last solve: of the rows where it was infeasible, of the columns where it was
// unbounded.
func (w *warm) ray() []float64 { return w.solver.Ray() }
