package mcndp

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families/instance"
)

// exactSeparator separates exactly: Recourse solves the recourse at any y of [0,1]^n, and its multipliers are completed
// arc by arc, those where y is zero too. It is a benders.Separator for one goroutine.
type exactSeparator struct {
	recourse  *recourseSolver // finds the multipliers
	certifier *certifier      // makes a cut of them
	u         []float64       // the multipliers of the last cut
}

// newExact returns the exact separator of a valid instance.
func newExact(in *Instance) (*exactSeparator, error) {
	r, err := newRecourse(in)
	return &exactSeparator{
		recourse:  r,
		certifier: newCertifier(in),
		u:         make([]float64, in.size()),
	}, err
}

// newPlainExact returns the paper's oracle (Table 3 and Appendix B).
func newPlainExact(in *Instance) *exactSeparator {
	// Without the merged program there is a flow for each commodity at designs too.
	e := &exactSeparator{
		recourse:  &recourseSolver{in: in},
		certifier: newCertifier(in),
		u:         make([]float64, in.size()),
	}
	e.certifier.plain = true
	return e
}

// Source returns "exact".
func (e *exactSeparator) Source() benders.Source { return benders.FromExact }

// Separate returns the one cut at p: an optimality cut whose value at p is Q(y) up to rounding, or where the recourse
// is infeasible the feasibility cut of the slice that p violates most.
func (e *exactSeparator) Separate(ctx context.Context, p benders.Point) (benders.Separation, error) {
	if len(p.Y) != e.certifier.in.arcs() {
		return benders.Separation{}, fmt.Errorf("mcndp: %w: a point with %d columns", instance.ErrInstance, len(p.Y))
	}
	value, feasible, err := e.recourse.Solve(ctx, p.Y)
	if err != nil {
		return benders.Separation{}, err
	}
	if !feasible {
		return e.infeasible(ctx, p)
	}

	// The linear program has no column for an arc into an origin or out of a destination. Its duals may promise a gain on
	// such an arc, which would make the cut weaker at the point; brought between destination and origin they are
	// optimal for the program with all arcs.
	e.recourse.Duals(e.u)
	e.certifier.straighten(e.u)
	cut, err := e.certifier.Cut(benders.Optimality, e.u)
	if err != nil {
		return benders.Separation{}, err
	}

	// The cut is as good as the recourse cost if its value there, rounded down, is within the tolerance.
	certified := cut.ValueDown(p.Y)
	return benders.Separation{
		Cuts:  []benders.Cut{cut},
		Value: certified,
		Exact: value-certified <= exactTolerance*max(1, value),
	}, nil
}

// exactTolerance is how far the value of a cut may lie below the recourse cost, relative, to count as equal to it.
const exactTolerance = 1e-7

// infeasible returns the feasibility cut at a point without a recourse.
func (e *exactSeparator) infeasible(ctx context.Context, p benders.Point) (benders.Separation, error) {
	if _, err := e.recourse.Shortage(ctx, p.Y, e.u); err != nil {
		return benders.Separation{}, err
	}

	// The duals of the shortage are in the slice up to rounding, and lack the same arcs.
	e.certifier.ProjectFeasibility(e.u)
	e.certifier.straighten(e.u)
	cut, err := e.certifier.Cut(benders.Feasibility, e.u)
	return benders.Separation{Cuts: []benders.Cut{cut}, Infeasible: true}, err
}
