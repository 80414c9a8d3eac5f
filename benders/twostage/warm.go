package twostage

import (
	"context"
	"errors"
	"fmt"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// warm is a linear program that is solved again and again from its last basis. Where the warm solve fails
// numerically it is solved cold and by presolve, and starts afresh.
type warm struct {
	model  *lp.Model
	solver *simplex.Solver
	cold   *simplex.Solution // of the last solve, if that was a cold one
}

func newWarm(m *lp.Model) (*warm, error) {
	s, err := simplex.New(m, simplex.DefaultOptions())
	if err != nil {
		return nil, fmt.Errorf("twostage: %w", err)
	}
	return &warm{model: m, solver: s}, nil
}

// setRow changes the bounds of row i and reports whether they were others.
func (w *warm) setRow(i int, lower, upper float64) bool {
	r := &w.model.Rows[i]
	if r.Lower == lower && r.Upper == upper {
		return false
	}
	r.Lower, r.Upper = lower, upper
	w.solver.SetRowBounds(i, lower, upper)
	return true
}

func (w *warm) setCost(j int, c float64) {
	if w.model.Cols[j].Cost != c {
		w.model.Cols[j].Cost = c
		w.solver.SetCost(j, c)
	}
}

// solve returns an optimal, infeasible or unbounded result; a program that is stopped before is an error.
func (w *warm) solve(ctx context.Context) (simplex.Result, error) {
	w.cold = nil
	result, err := w.solver.Solve(ctx)
	if errors.Is(err, simplex.ErrNumerical) {
		result, err = w.solveCold(ctx)
	}
	if err != nil {
		return result, fmt.Errorf("twostage: %w", err)
	}
	switch result.Status {
	case lp.Optimal, lp.Infeasible, lp.Unbounded:
		return result, nil
	}
	if err := ctx.Err(); err != nil {
		return result, err
	}
	return result, fmt.Errorf("twostage: %w: a linear program ended with the status %v", simplex.ErrNumerical, result.Status)
}

// solveCold tries presolve, a solve without, and at last one with a wider tolerance: a point may be infeasible by just
// what the usual one tells apart.
func (w *warm) solveCold(ctx context.Context) (result simplex.Result, err error) {
	o := simplex.DefaultOptions()
	o.Seed = 2
	plain, wide := o, o
	plain.Presolve = false
	wide.Tolerances.Primal = 1e-6
	for _, o := range []simplex.Options{o, plain, wide} {
		if w.cold, err = simplex.Solve(ctx, w.model, o); err == nil {
			result = w.cold.Result
			break
		}
		if !errors.Is(err, simplex.ErrNumerical) {
			return result, err
		}
	}
	if err != nil {
		return result, err
	}
	w.solver, err = simplex.New(w.model, simplex.DefaultOptions())
	return result, err
}

// dual, x and ray are views of the last solve's row duals, point and ray.
func (w *warm) dual() []float64 {
	if w.cold != nil {
		return w.cold.RowDual
	}
	return w.solver.RowDual()
}

func (w *warm) x() []float64 {
	if w.cold != nil {
		return w.cold.X
	}
	return w.solver.X()
}

func (w *warm) ray() []float64 {
	if w.cold != nil {
		return w.cold.Ray
	}
	return w.solver.Ray()
}
