package twostage

import (
	"context"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// Relaxation is what the linear relaxation of the whole program says.
type Relaxation struct {
	Status lp.Status // Optimal, Infeasible or Unbounded
	Value  float64   // where it is optimal, offset included
	Dual   []float64 // of all rows of Compact: multipliers where it is optimal, a Farkas ray where it is infeasible
}

// Relax solves the linear relaxation of Compact. It says unbounded only with a ray that it has checked: rows and bounds
// hold along it, and it pays.
func (p *Problem) Relax(ctx context.Context) (Relaxation, error) {
	w, err := newWarm(p.Compact.Clone())
	if err != nil {
		return Relaxation{}, err
	}
	result, err := w.solve(ctx)
	if err != nil {
		return Relaxation{}, fmt.Errorf("the linear relaxation of %s: %w", p.Name, err)
	}
	r := Relaxation{Status: result.Status, Value: result.Objective}
	switch result.Status {
	case lp.Unbounded:
		if !p.recedes(w.ray()) {
			return r, fmt.Errorf("twostage: %w: the ray of the linear relaxation of %s does not hold", simplex.ErrNumerical,
				p.Name)
		}
	case lp.Infeasible:
		r.Dual = append([]float64(nil), w.ray()...)
	default:
		r.Dual = append([]float64(nil), w.dual()...)
	}
	return r, nil
}

// recedes reports whether all rows and bounds hold along a ray to tolerances, and the cost falls.
func (p *Problem) recedes(ray []float64) bool {
	const tol = 1e-7 // relative to the terms of a row
	if len(ray) != len(p.Compact.Cols) {
		return false
	}
	largest, cost, paid := 0.0, 0.0, 0.0
	for j, v := range ray {
		largest = max(largest, math.Abs(v))
		cost += p.Compact.Cols[j].Cost * v
		paid = max(paid, math.Abs(p.Compact.Cols[j].Cost*v))
	}
	if !(cost < -tol*paid) {
		return false
	}

	// A value along the ray may not run against a finite bound; size is what it is small against.
	holds := func(v, size, lower, upper float64) bool {
		return (v >= -tol*size || math.IsInf(lower, -1)) && (v <= tol*size || math.IsInf(upper, 1))
	}
	for j, v := range ray {
		if c := &p.Compact.Cols[j]; !holds(v, largest, c.Lower, c.Upper) {
			return false
		}
	}

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
	r, err := p.Relax(ctx)
	switch {
	case err != nil:
		return nil, 0, err
	case r.Status == lp.Unbounded:
		return nil, 0, fmt.Errorf("twostage: %w: so is the linear relaxation of %s", ErrUnbounded, p.Name)
	case r.Status == lp.Infeasible:
		return nil, 0, nil
	}
	return r.Dual, r.Value, nil
}

// Feasibility returns the same problem without costs: it has a solution where this one has a feasible point.
func (p *Problem) Feasibility() *Problem {
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
