package ufl

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
)

// Scheme is how the master is driven.
type Scheme uint8

const (
	Tree  Scheme = iota // one branch-and-Benders-cut tree
	Outer               // classical Benders decomposition, a master solved to optimality each round
)

// SolveOptions steer Solve. Start from DefaultSolveOptions.
type SolveOptions struct {
	Benders benders.Options
	Scheme  Scheme
	Search  SearchOptions // of the design that the search starts from, with Benders.Heuristic
	Dual    DualOptions   // of the Lagrangian bound that fixes facilities, with Benders.Heuristic

	// Reduce drops the facilities that are settled from the instance (default); otherwise they stay as
	// fixed columns of the master, as a separator that is made for one shape needs it.
	Reduce bool

	// Prepared, if not nil, is told what was known before the master started.
	Prepared func(Prepared)
}

// DefaultSolveOptions returns the defaults.
func DefaultSolveOptions() SolveOptions {
	return SolveOptions{Benders: benders.DefaultOptions(), Search: DefaultSearchOptions(), Dual: DefaultDualOptions(), Reduce: true}
}

// SeparatorOf makes the separator of an instance; NewExact and Model.Separator are such functions.
type SeparatorOf func(in *Instance) (benders.Separator, error)

// Prepared is what is known of an instance before the master starts.
type Prepared struct {
	Design  Design  // the best design found, empty without the heuristic
	Bound   float64 // Lagrangian bound on every design that costs at most Design.Cost; -Inf without
	Fixing  Fixing
	Elapsed time.Duration
}

// Prepare looks for a good design and settles facilities by Lagrangian bounds against its cost, within the
// time limit of the options.
func Prepare(ctx context.Context, in *Instance, o SolveOptions) (Prepared, error) {
	start := time.Now()
	if limit := o.Benders.TimeLimit; limit != math.MaxInt64 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	pi, open := Ascent(in, 1)
	design, err := SearchFrom(ctx, in, o.Search, open)
	if err != nil {
		return Prepared{}, err
	}
	dual, err := Dual(ctx, in, pi, design.Cost, o.Dual)
	if err != nil {
		return Prepared{}, err
	}
	return Prepared{Design: design, Bound: dual.Bound, Fixing: dual.Fixing, Elapsed: time.Since(start)}, nil
}

// Solve solves an instance by Benders decomposition with the separator that make returns. With
// Options.Heuristic the design of Prepare starts the search, and facilities that it settles leave the
// instance (all of it within the time limit); make sees the instance that is left. The result is in
// terms of the instance given, and its bound holds for all of its designs.
func Solve(ctx context.Context, in *Instance, aggregated bool, make SeparatorOf, o SolveOptions) (*benders.Result, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	if !o.Benders.Heuristic {
		return drive(ctx, in, aggregated, make, nil, o)
	}
	pre, err := Prepare(ctx, in, o)
	if err != nil {
		return nil, err
	}
	if o.Prepared != nil {
		o.Prepared(pre)
	}
	if o.Benders.TimeLimit != math.MaxInt64 {
		o.Benders.TimeLimit = max(0, o.Benders.TimeLimit-pre.Elapsed)
	}
	solve := driveWhole
	if o.Reduce {
		solve = driveReduced
	}
	r, err := solve(ctx, in, aggregated, make, pre, o)
	if err != nil {
		return nil, err
	}
	r.Elapsed += pre.Elapsed
	r.Parts.Heuristic += pre.Elapsed
	return r, nil
}

// driveWhole keeps the settled facilities as fixed columns.
func driveWhole(ctx context.Context, in *Instance, aggregated bool, make SeparatorOf, pre Prepared, o SolveOptions) (*benders.Result, error) {
	return drive(ctx, in, aggregated, make, func(p *benders.Problem) error {
		p.Starts = [][]float64{in.Design(pre.Design.Open)}
		return pre.Fixing.Apply(p)
	}, o)
}

// driveReduced leaves the facilities that are settled closed out of the instance.
func driveReduced(ctx context.Context, in *Instance, aggregated bool, make SeparatorOf, pre Prepared, o SolveOptions) (*benders.Result, error) {
	reduced, err := pre.Fixing.Reduce(in)
	if err != nil {
		return nil, err
	}
	start, ok := reduced.Restrict(in.Design(pre.Design.Open))
	if !ok {
		return nil, fmt.Errorf("ufl: %w: the incumbent of %s uses a facility that was fixed closed", ErrInstance, in.Name)
	}
	r, err := drive(ctx, reduced.Instance, aggregated, make, func(p *benders.Problem) error {
		p.Starts = [][]float64{start}
		return reduced.Fixing(pre.Fixing.UB).Apply(p)
	}, o)
	if err == nil && r.Design != nil {
		r.Design = reduced.Expand(r.Design)
	}
	return r, err
}

// drive runs the driver of the scheme on the instance.
func drive(ctx context.Context, in *Instance, aggregated bool, make SeparatorOf, edit func(*benders.Problem) error, o SolveOptions) (*benders.Result, error) {
	p := in.Problem(aggregated)
	if edit != nil {
		if err := edit(p); err != nil {
			return nil, err
		}
	}
	sep, err := make(in)
	if err != nil {
		return nil, err
	}
	if o.Scheme == Outer {
		return benders.OuterLoop(ctx, p, sep, o.Benders)
	}
	return benders.BranchAndCut(ctx, p, sep, o.Benders)
}

// ExactSeparator returns NewExact as a SeparatorOf.
func ExactSeparator(aggregated bool) SeparatorOf {
	return func(in *Instance) (benders.Separator, error) { return NewExact(in, aggregated), nil }
}
