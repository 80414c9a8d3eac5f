package iis

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// linearFilter is a deletion filter over a linear program that stays warm.
type linearFilter struct {
	*filter
	m      *lp.Model // with the sides that are left
	rows   *lp.Matrix
	solver *simplex.Solver
}

// linear finds a subsystem of the linear relaxation.
func (f *filter) linear(ctx context.Context) (*Set, error) {
	l := &linearFilter{filter: f, m: f.given.Clone()}
	for j := range l.m.Cols {
		l.m.Cols[j].Integer = false
	}
	a, err := l.m.Matrix()
	if err != nil {
		return nil, fmt.Errorf("iis: %w", err)
	}
	l.rows = a.Transpose()
	if l.solver, err = simplex.New(l.m, simplex.DefaultOptions()); err != nil {
		return nil, fmt.Errorf("iis: %w", err)
	}

	left := f.sides()
	infeasible, err := l.infeasible(ctx)
	switch {
	case err != nil:
		return nil, fmt.Errorf("iis: %w: %w", ErrUnknown, err)
	case !infeasible:
		return nil, fmt.Errorf("iis: %w", ErrFeasible)
	}
	left = l.restrict(ctx, left, nil)

	// Each side is left out once. What is needed stays needed, since the sides around it only become fewer.
	needed := make(map[Side]bool)
	for k := 0; k < len(left); {
		side := left[k]
		if needed[side] {
			k++
			continue
		}
		l.set(side, side.none())
		infeasible, err := l.infeasible(ctx)
		if ctx.Err() != nil {
			l.set(side, *side.end(l.given))
			return &Set{Sides: left, Solves: f.solves}, nil
		}

		// Where rounding leaves it open, the side is kept.
		if err != nil || !infeasible {
			f.unsure = f.unsure || err != nil
			l.set(side, *side.end(l.given))
			needed[side] = true
			k++
		} else {
			left = append(left[:k:k], left[k+1:]...)
			left = l.restrict(ctx, left, needed)
		}
		f.progress(len(left), len(needed))
	}
	return &Set{Sides: left, Irreducible: !f.unsure, Solves: f.solves}, nil
}

// set changes a side of the model and of the solver.
func (l *linearFilter) set(s Side, value float64) {
	*s.end(l.m) = value
	if s.Row {
		r := l.m.Rows[s.Index]
		l.solver.SetRowBounds(lp.Con(s.Index), r.Lower, r.Upper)
		return
	}
	c := l.m.Cols[s.Index]
	l.solver.SetColBounds(lp.Var(s.Index), c.Lower, c.Upper)
}

// infeasible solves the model with the sides that are left.
func (l *linearFilter) infeasible(ctx context.Context) (bool, error) {
	l.solves++
	res, err := l.solver.Solve(ctx, simplex.NoLimits())

	// What the warm solver leaves open a cold one may decide, which has exact arithmetic for small models.
	if err != nil && ctx.Err() == nil {
		var cold *simplex.Solution
		if cold, err = simplex.Solve(ctx, l.m.Clone(), simplex.DefaultOptions()); err == nil {
			res = cold.Result
		}
	}
	switch {
	case err != nil:
		return false, err
	case res.Status == lp.Infeasible:
		return true, nil
	case res.Status == lp.Optimal || res.Status == lp.Unbounded:
		return false, nil
	}
	return false, errors.New(res.Status.String())
}

// restrict leaves out all sides that the ray of the last solve does not use, but for those that are needed, and returns
// the others. It takes that back where the rest is not infeasible by itself: a ray holds to tolerances.
func (l *linearFilter) restrict(ctx context.Context, left []Side, needed map[Side]bool) []Side {
	used := l.used()
	if used == nil {
		return left
	}

	// What is needed stays, whatever the ray says.
	var kept, dropped []Side
	for _, s := range left {
		if used[s] || needed[s] {
			kept = append(kept, s)
		} else {
			dropped = append(dropped, s)
		}
	}
	if len(dropped) == 0 {
		return left
	}

	// The rest has to be infeasible by itself.
	for _, s := range dropped {
		l.set(s, s.none())
	}
	if infeasible, err := l.infeasible(ctx); err != nil || !infeasible {
		for _, s := range dropped {
			l.set(s, *s.end(l.given))
		}
		return left
	}
	return kept
}

// used returns the sides that the ray of the last solve uses: a positive entry the lower side of its row, and what the
// weighted rows leave of a column the bound that limits it; nil where there is no ray.
func (l *linearFilter) used() map[Side]bool {
	ray := l.solver.Ray()
	if ray == nil {
		return nil
	}

	// The weighted rows, and what they leave of every column.
	const tiny = 1e-9 // relative to the terms of a sum, which cancel to about this
	used := make(map[Side]bool)
	left := make([]float64, len(l.m.Cols))
	size := make([]float64, len(l.m.Cols))
	for i, r := range ray {
		if r == 0 {
			continue
		}
		used[Side{true, i, r < 0}] = true
		index, value := l.rows.Vec(i)
		for k, j := range index {
			left[j] += r * value[k]
			size[j] += math.Abs(r * value[k])
		}
	}

	// What is left over is limited by a bound, unless it is rounding.
	for j, z := range left {
		if math.Abs(z) > tiny*size[j] {
			used[Side{false, j, z > 0}] = true
		}
	}
	return used
}
