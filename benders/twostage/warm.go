package twostage

import (
	"context"
	"errors"
	"fmt"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// warm is a linear program that is solved again and again from its last basis.
type warm struct {
	model  *lp.Model
	solver *simplex.Solver
}

func newWarm(m *lp.Model) (*warm, error) {
	s, err := simplex.New(m, simplex.DefaultOptions())
	if err != nil {
		return nil, prefixed(err)
	}
	return &warm{model: m, solver: s}, nil
}

// setRow changes the bounds of a row and reports whether they were others.
func (w *warm) setRow(i lp.Con, lower, upper float64) bool {
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
		opt := simplex.DefaultOptions()
		opt.Scale = attempt == 0
		if w.solver, err = simplex.New(w.model, opt); err == nil {
			result, err = w.solver.Solve(ctx, simplex.NoLimits())
		}
	}
	if err != nil {
		return result, prefixed(err)
	}
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

// dual, x and ray are views of the last solve's row duals, point and ray.
func (w *warm) dual() []float64 { return w.solver.RowDual() }
func (w *warm) x() []float64    { return w.solver.X() }
func (w *warm) ray() []float64  { return w.solver.Ray() }
