package cap

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders"
)

// exactSeparator separates exactly: Transport solves the recourse at any y of [0,1]^n, and the optimal multipliers of
// the demand rows are completed facility by facility, those where y is zero too. It is a benders.Separator for one
// goroutine.
//
// Multipliers are seldom unique. Those of a client, for the capacity prices found, are an interval, and the cut takes
// the point of it that is nearest to the running average of the multipliers before.
type exactSeparator struct {
	transport *transportProblem
	certifier *certifier
	core      []float64
	started   bool
	lambda    []float64
}

// newExact returns the exact separator of a valid instance.
func newExact(in *Instance) *exactSeparator {
	m := in.Clients
	return &exactSeparator{transport: newTransport(in), certifier: newCertifier(in), core: make([]float64, m),
		lambda: make([]float64, m)}
}

// Source returns "exact".
func (e *exactSeparator) Source() benders.Source { return benders.FromExact }

// Separate returns the one cut at p: an optimality cut whose value at p is Q(y) up to rounding, or where the
// recourse is infeasible the feasibility cut of the slice that p violates most.
func (e *exactSeparator) Separate(ctx context.Context, p benders.Point) (benders.Separation, error) {
	in := e.certifier.in
	if len(p.Y) != in.Facilities {
		return benders.Separation{}, fmt.Errorf("cap: %w: a point with %d columns", ErrInstance, len(p.Y))
	}
	value, feasible, err := e.transport.Solve(ctx, p.Y)
	if err != nil {
		return benders.Separation{}, err
	}
	if !feasible {
		clear(e.lambda)
		e.certifier.ProjectFeasibility(e.lambda)
		cut, err := e.certifier.Cut(benders.Feasibility, e.lambda)
		return benders.Separation{Cuts: []benders.Cut{cut}, Infeasible: true}, err
	}
	if e.started {
		e.transport.Duals(e.lambda, e.core)
	} else {
		e.transport.Duals(e.lambda, nil)
	}
	e.average()
	s, err := e.certifier.Complete(e.lambda, p)
	s.Exact = value-s.Value <= exactTolerance*max(1, value)
	return s, err
}

// exactTolerance is how far the value of a cut may lie below the recourse cost, relative, to count as equal to it.
const exactTolerance = 1e-7

func (e *exactSeparator) average() {
	if !e.started {
		copy(e.core, e.lambda)
		e.started = true
	}
	for i, v := range e.lambda {
		e.core[i] += 0.5 * (v - e.core[i])
	}
}
