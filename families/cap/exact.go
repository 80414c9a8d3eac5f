package cap

import (
	"context"
	"fmt"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families/instance"
)

// exactSeparator separates exactly: transportProblem solves the recourse at any y of [0,1]^n, and the optimal
// multipliers of the demand rows are completed for every facility, those at which y is zero included. It is a
// benders.Separator for one goroutine.
//
// Multipliers are seldom unique. Those of a client, for the capacity prices found, are an interval, and the cut takes
// the point of the interval that is nearest to the running average of the multipliers before. The paper's oracle takes
// the least point, which the linear program returns.
type exactSeparator struct {
	transport *transportProblem
	certifier *certifier
	plain     bool      // as the paper's oracle: no average
	core      []float64 // the running average, nil before the first point
	lambda    []float64 // the multipliers of the last cut
}

// newExact returns the exact separator of a valid instance.
func newExact(in *Instance) *exactSeparator {
	return &exactSeparator{
		transport: newTransport(in),
		certifier: newCertifier(in),
		lambda:    make([]float64, in.Clients),
	}
}

// newPlainExact returns the paper's oracle (Table 3 and Appendix B).
func newPlainExact(in *Instance) *exactSeparator {
	e := newExact(in)
	e.plain = true
	return e
}

// Source returns "exact".
func (e *exactSeparator) Source() benders.Source { return benders.FromExact }

// Separate returns the one cut at p: an optimality cut whose value at p is Q(y) up to rounding, or where the
// recourse is infeasible the feasibility cut of the slice that p violates most.
func (e *exactSeparator) Separate(ctx context.Context, p benders.Point) (benders.Separation, error) {
	in := e.certifier.in
	if len(p.Y) != in.Facilities {
		return benders.Separation{}, fmt.Errorf("cap: %w: a point with %d columns", instance.ErrInstance, len(p.Y))
	}
	value, feasible, err := e.transport.Solve(ctx, p.Y)
	if err != nil {
		return benders.Separation{}, err
	}

	if !feasible {
		cut, err := e.certifier.refuted(ctx, e.transport, p.Y, e.lambda)
		return benders.Separation{Cuts: []benders.Cut{cut}, Infeasible: true}, err
	}

	// Of the optimal multipliers those nearest to the average of the points before.
	e.transport.Duals(e.lambda, e.core)
	if !e.plain {
		e.average()
	}
	s, err := e.certifier.Complete(e.lambda, p)
	s.Exact = value-s.Value <= exactTolerance*max(1, value)
	return s, err
}

// exactTolerance is the relative difference up to which the value of a cut counts as equal to the recourse cost.
const exactTolerance = 1e-7

// average moves the core halfway to the multipliers.
func (e *exactSeparator) average() {
	if e.core == nil {
		e.core = slices.Clone(e.lambda)
	}

	// The weight of the past halves with every point.
	for i, v := range e.lambda {
		e.core[i] += 0.5 * (v - e.core[i])
	}
}
