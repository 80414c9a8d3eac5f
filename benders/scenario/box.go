package scenario

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// The master of a relaxation has a box around zero for columns without bounds. This file has the box, and what follows
// where the master's value rests on it.

// direction is a side of a column without a bound.
type direction struct {
	col   int
	upper bool
}

const (
	minBox    = 1e5  // distance of the first box from zero
	maxBox    = 1e11 // farther out a relaxation is taken to be unbounded, if its deterministic equivalent is so too
	boxGrowth = 1e3  // factor of a box over the one before
	farthest  = 1e15 // where a unit in the last place is an eighth: no point beyond can be checked to a tolerance
)

// setBox gives columns without bounds those of the box. An epigraph is a cost, and has more room.
func (r *root) setBox() {
	for _, d := range r.boxed {
		far := r.box
		if d.col >= r.n {
			far *= minBox
		}

		// A finite bound of the other side may lie outside the box.
		lower, upper := r.lp.ColBounds(lp.Var(d.col))
		if d.upper {
			upper = max(far, lower)
		} else {
			lower = min(-far, upper)
		}
		r.lp.SetColBounds(lp.Var(d.col), lower, upper)
	}
}

// atBox reports whether a bound of the box bears the master's value: then the value says nothing of the program.
func (r *root) atBox() bool {
	d := r.lp.ReducedCost()
	for _, b := range r.boxed {
		// A reduced cost is positive at a lower bound that matters, and negative at an upper one.
		v := d[b.col]
		if b.upper {
			v = -v
		}
		if v > 1e-9 {
			return true
		}
	}
	return false
}

// refuted checks that the master has no point outside the box either.
func (r *root) refuted(ctx context.Context) error {
	m := r.master.Clone()
	for j := range m.Cols {
		m.Cols[j].Cost = 0
	}

	// The first stage and the feasibility cuts alone: epigraphs do not make a master infeasible.
	for k := range r.cuts {
		if c := &r.cuts[k].Cut; c.Kind == benders.Feasibility {
			row := c.Row(r.n, len(r.s.groups))
			m.AddRow(lp.Row{Lower: row.Lower, Upper: row.Upper}, row.Index, row.Value)

			// No point of the program has a recourse where one cut has none to the farthest box: a coefficient that is
			// but the rounding error of a cut with an entry of 1e15 has its points beyond.
			if most := r.reach(row.Index, row.Value); most < row.Lower-1e-9*max(1, math.Abs(most), math.Abs(row.Lower)) {
				r.status, r.bound = lp.Infeasible, math.Inf(1)
				return nil
			}
		}
	}

	// The cuts are rounded outward: beyond the box that leaves room between cuts that contradict each other, which
	// exact arithmetic would find. A contradiction to the tolerances of a Solver counts, as inside the box.
	solver, err := simplex.New(m, simplex.DefaultOptions())
	if err != nil {
		return fmt.Errorf("scenario: the master: %w", inner(err))
	}
	result, err := solver.Solve(ctx, simplex.NoLimits())
	if err != nil {
		return fmt.Errorf("scenario: the master: %w", inner(err))
	}
	if result.Status != lp.Infeasible {
		return errors.Join(ctx.Err(), fmt.Errorf("scenario: %w: the first stage of %s has points beyond %g alone",
			simplex.ErrNumerical, r.s.p.name, r.box))
	}

	// No point of the program has a recourse.
	r.status, r.bound = lp.Infeasible, math.Inf(1)
	return nil
}

// reach returns the largest activity of a cut's row on the first stage, within the farthest box.
func (r *root) reach(index []int32, value []float64) float64 {
	most := 0.0
	for k, j := range index {
		c := &r.master.Cols[j]
		most += max(value[k]*max(c.Lower, -farthest), value[k]*min(c.Upper, farthest))
	}
	return most
}

// grow makes the box larger, and reports whether there is one that is not the largest yet.
func (r *root) grow() bool {
	if len(r.boxed) == 0 || r.box >= maxBox {
		return false
	}
	r.box *= boxGrowth

	// In a larger box the master's value is lower, which is no stall.
	r.last, r.stalls = math.Inf(-1), 0
	r.setBox()
	return true
}

// unbounded decides by the deterministic equivalent whether the relaxation has a bound, where the master's value still
// rests on the largest box or never left it. An unbounded relaxation is an error.
func (r *root) unbounded(ctx context.Context) error {
	m := r.s.p.compact()
	sol, err := simplex.Solve(ctx, m, simplex.DefaultOptions())
	if err != nil {
		return fmt.Errorf("scenario: the relaxation of %s: %w", r.s.p.name, inner(err))
	}
	switch sol.Status {
	case lp.Unbounded:
		// The ray is checked on the model as it was given before the program is called unbounded.
		if err := simplex.CheckPrimalRay(m, sol.Ray); err != nil {
			return prefixed(err)
		}
		return fmt.Errorf("scenario: %w: so is the linear relaxation of %s", decompose.ErrUnbounded, r.s.p.name)
	case lp.Infeasible:
		r.status, r.bound = lp.Infeasible, math.Inf(1)
		return nil
	case lp.Optimal:
		r.bound = max(r.bound, sol.Objective)
		return nil
	}
	return errors.Join(ctx.Err(), fmt.Errorf("scenario: %w: the relaxation of %s has the status %v", simplex.ErrNumerical,
		r.s.p.name, sol.Status))
}
