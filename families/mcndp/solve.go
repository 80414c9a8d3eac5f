package mcndp

import (
	"context"
	"time"

	"github.com/proxybd/proxybd/benders"
)

// Scheme is how an instance is solved.
type Scheme uint8

const (
	MasterTree Scheme = iota // one branch-and-Benders-cut tree over a master
	OuterLoop                // classical Benders decomposition: a master solved to optimality each round
)

// SolveOptions steer Solve. Start from DefaultSolveOptions.
type SolveOptions struct {
	Benders benders.Options
	Scheme  Scheme
}

// inOutWeight is the paper's (Table 3): separation is close to the stability centre.
const inOutWeight = 0.1

// DefaultSolveOptions returns the defaults.
func DefaultSolveOptions() SolveOptions {
	o := SolveOptions{Benders: benders.DefaultOptions()}
	o.Benders.InOut.Weight = inOutWeight
	return o
}

// Separation says which separator a run has.
type Separation struct {
	New func(in *Instance) (benders.Separator, error)
}

// ExactSeparation separates exactly.
func ExactSeparation() Separation {
	return Separation{New: func(in *Instance) (benders.Separator, error) { return NewExact(in) }}
}

// ProxySeparation lets a trained model predict, and certifies.
func ProxySeparation(m *Model) Separation {
	return Separation{New: func(in *Instance) (benders.Separator, error) { return m.Separator(in) }}
}

// HybridSeparation asks a trained model first, and separates exactly where its cut is not violated by the given amount.
func HybridSeparation(m *Model, violation float64) Separation {
	return Separation{New: func(in *Instance) (benders.Separator, error) {
		quick, err := m.Separator(in)
		if err != nil {
			return nil, err
		}
		thorough, err := NewExact(in)
		return benders.NewHybrid(quick, thorough, violation), err
	}}
}

// Solve solves an instance by Benders decomposition, with cut-set inequalities at designs and at fractional points.
func Solve(ctx context.Context, in *Instance, sep Separation, o SolveOptions) (*benders.Result, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	if err := o.Benders.Validate(); err != nil {
		return nil, err
	}
	began := time.Now()
	s, err := sep.New(in)
	if err != nil {
		return nil, err
	}
	p, with := in.Problem(), WithCutSets{s, NewCutSets(in)}
	var r *benders.Result
	if o.Scheme == OuterLoop {
		r, err = benders.OuterLoop(ctx, p, with, o.Benders)
	} else {
		r, err = benders.BranchAndCut(ctx, p, with, o.Benders)
	}
	if err != nil {
		return nil, err
	}
	r.Elapsed = time.Since(began)
	return r, nil
}
