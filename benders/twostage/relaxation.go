package twostage

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// relaxed is the solution of the linear relaxation of a whole program.
type relaxed struct {
	infeasible bool
	value      float64   // where it is optimal, offset included
	dual       []float64 // of all rows of Compact: multipliers where it is optimal, a Farkas ray where it is infeasible
}

// relax solves the linear relaxation of Compact. An unbounded one is an error that wraps ErrUnbounded. That rests on a
// ray which was checked: rows and bounds hold along it, and the cost falls.
func (p *Problem) relax(ctx context.Context) (relaxed, error) {
	w, err := newWarm(p.Compact.Clone())
	if err != nil {
		return relaxed{}, err
	}
	result, err := w.solve(ctx)
	if err != nil {
		return relaxed{}, fmt.Errorf("the linear relaxation of %s: %w", p.Name, err)
	}

	// The solver's vectors are views of its state, so that they are copied.
	switch result.Status {
	case lp.Unbounded:
		if !p.recedes(w.ray()) {
			return relaxed{}, fmt.Errorf("twostage: %w: the ray of the linear relaxation of %s does not hold",
				simplex.ErrNumerical, p.Name)
		}
		return relaxed{}, fmt.Errorf("twostage: %w: so is the linear relaxation of %s", ErrUnbounded, p.Name)
	case lp.Infeasible:
		return relaxed{infeasible: true, dual: slices.Clone(w.ray())}, nil
	}
	return relaxed{value: result.Objective, dual: slices.Clone(w.dual())}, nil
}

// recedes reports whether all rows and bounds hold along a ray to tolerances, and the cost falls.
func (p *Problem) recedes(ray []float64) bool {
	const tol = 1e-7 // relative to the terms of a row
	if len(ray) != len(p.Compact.Cols) {
		return false
	}

	// The cost falls by more than the rounding of its sum.
	largest := 0.0 // entry of the ray
	cost := 0.0
	largestCost := 0.0 // term of the cost
	for j, v := range ray {
		largest = max(largest, math.Abs(v))
		cost += p.Compact.Cols[j].Cost * v
		largestCost = max(largestCost, math.Abs(p.Compact.Cols[j].Cost*v))
	}
	if !(cost < -tol*largestCost) {
		return false
	}

	// A value along the ray may not run against a finite bound; size is what it is small against.
	holds := func(v, size, lower, upper float64) bool {
		aboveLower := v >= -tol*size || math.IsInf(lower, -1)
		belowUpper := v <= tol*size || math.IsInf(upper, 1)
		return aboveLower && belowUpper
	}
	for j, v := range ray {
		if c := &p.Compact.Cols[j]; !holds(v, largest, c.Lower, c.Upper) {
			return false
		}
	}

	// The rows are homogeneous along the ray: a finite lower side requires an activity of at least zero.
	for i := range p.Compact.Rows {
		index, value := p.rows.Vec(i)
		sum, size := 0.0, 0.0
		for k, j := range index {
			sum += value[k] * ray[j]
			size = max(size, math.Abs(value[k]*ray[j]))
		}
		if r := &p.Compact.Rows[i]; !holds(sum, size, r.Lower, r.Upper) {
			return false
		}
	}
	return true
}

// RelaxationDuals returns the multipliers of all rows of Compact in its linear relaxation and its value; nil if that is
// infeasible. An unbounded one is an error that wraps ErrUnbounded.
func (p *Problem) RelaxationDuals(ctx context.Context) (dual []float64, value float64, err error) {
	r, err := p.relax(ctx)
	if err != nil || r.infeasible {
		return nil, 0, err
	}
	return r.dual, r.value, nil
}

// withoutCosts returns the same problem without costs: it has a solution where this one has a feasible point.
func (p *Problem) withoutCosts() *Problem {
	// Matrices, components and implied bounds do not depend on costs, and stay shared.
	q := *p
	q.Compact, q.master = p.Compact.Clone(), p.master.Clone()
	for _, m := range []*lp.Model{q.Compact, q.master} {
		m.Offset = 0
		for j := range m.Cols {
			m.Cols[j].Cost = 0
		}
	}
	return &q
}
