package cflp

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/lp"
)

// Scheme is how an instance is solved.
type Scheme uint8

const (
	Auto       Scheme = iota // MasterTree, for a hybrid with heuristics in two phases
	MasterTree               // one branch-and-Benders-cut tree over a master
	OuterLoop                // classical Benders decomposition: a master solved to optimality each round
)

// SolveOptions steer Solve. Start from DefaultSolveOptions.
type SolveOptions struct {
	Benders benders.Options
	Scheme  Scheme
	Dual    lagrange.Options // of the Lagrangian bound that fixes facilities, with Benders.Heuristic

	// Reduce drops the facilities that are settled closed from the instance (default); otherwise they stay as
	// fixed columns of the master, as a separator that is made for one shape needs it.
	Reduce bool

	// Prepared, if not nil, is told what was known before the master started.
	Prepared func(Prepared)

	// Ended, if not nil, is told of each phase of a hybrid at its end.
	Ended func(benders.Phase)
}

// DefaultSolveOptions returns the defaults.
func DefaultSolveOptions() SolveOptions {
	o := SolveOptions{Benders: benders.DefaultOptions(), Dual: lagrange.Options{Steps: 600, Every: 40, Budget: 60, Kicks: 12, Probe: 50}, Reduce: true}
	o.Benders.InOut.Weight = 0.5
	return o
}

// Separation says which separator a run has.
type Separation struct {
	// New makes it for the instance that the master sees. core is a vector of good multipliers, or nil.
	New func(in *Instance, core []float64) (benders.Separator, error)

	proxy *Separation // of a hybrid: with Auto and heuristics a short run with it comes before the exact one
}

// ExactSeparation separates exactly.
func ExactSeparation() Separation {
	return Separation{New: func(in *Instance, core []float64) (benders.Separator, error) {
		e := NewExact(in)
		if core != nil {
			e.SetCore(core)
		}
		return e, nil
	}}
}

// Solve solves an instance by Benders decomposition. With Benders.Heuristic a Lagrangian bound and a local search come
// first: their design starts the run, facilities that the bound settles against its cost leave the instance, and its
// multipliers give the master its first cuts, all within the time limit. The result is in terms of the instance
// given, and its bound holds for all of its designs.
func Solve(ctx context.Context, in *Instance, sep Separation, o SolveOptions) (*benders.Result, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	if err := o.Benders.Validate(); err != nil {
		return nil, err
	}
	if !o.Dual.Valid() {
		return nil, fmt.Errorf("cflp: %w: %+v", families.ErrOptions, o.Dual)
	}
	began := time.Now()
	r, err := solve(ctx, in, sep, o, began)
	if err != nil {
		return nil, err
	}
	r.Elapsed = time.Since(began)
	return r, nil
}

func solve(ctx context.Context, in *Instance, sep Separation, o SolveOptions, began time.Time) (*benders.Result, error) {
	if !o.Benders.Heuristic || !in.Feasible(ones(in.Facilities)) {
		return drive(ctx, in, sep, Prepared{}, o)
	}
	pre, err := prepareWithin(ctx, in, o, began)
	if err != nil {
		return nil, err
	}
	if o.Prepared != nil {
		o.Prepared(pre)
	}
	if pre.Design.Open != nil && pre.closed(o.Benders.Gap*(1-1e-6)) {
		return pre.result(in, o), nil
	}
	o.Benders.Spend(time.Since(began))
	run := driveFrom
	if o.Scheme == Auto && sep.proxy != nil && pre.Design.Open != nil {
		run = solvePhases
	}
	r, err := run(ctx, in, sep, pre, o)
	if err != nil {
		return nil, err
	}
	r.Parts.Presolve = pre.Elapsed
	return r, nil
}

// solvePhases is a short run of the proxy, and then an exact one from its design. Its cuts, one or two as a rule, are not worth keeping
// in the columns that are left.
func solvePhases(ctx context.Context, in *Instance, sep Separation, pre Prepared, o SolveOptions) (*benders.Result, error) {
	phases := benders.Phases{
		First: func(b benders.Options) (*benders.Result, error) {
			quick := o
			quick.Benders = b
			return driveFrom(ctx, in, *sep.proxy, pre, quick)
		},
		Second: func(b benders.Options, first *benders.Result, _ []benders.Cut) (*benders.Result, error) {
			thorough := o
			thorough.Benders, thorough.Reduce = b, true
			if first.Objective < pre.Design.Cost {
				pre.Design = Design{families.Open(first.Design), first.Objective}
			}
			pre.Bound = max(pre.Bound, first.Bound)
			return driveFrom(ctx, in, ExactSeparation(), pre, thorough)
		},
		Ended: o.Ended,
	}
	return phases.Solve(ctx, o.Benders)
}

// driveFrom runs the driver of the scheme from what is known.
func driveFrom(ctx context.Context, in *Instance, sep Separation, pre Prepared, o SolveOptions) (*benders.Result, error) {
	run := drive
	if o.Reduce && pre.Design.Open != nil && len(pre.Fixing.Closed) > 0 {
		run = driveReduced
	}
	r, err := run(ctx, in, sep, pre, o)
	if err == nil && pre.Design.Open != nil { // what was settled holds for designs within its cost
		r.Bound = min(max(r.Bound, pre.Bound), pre.Design.Cost)
		r.Settle(o.Benders.Gap, r.Status == lp.Optimal)
	}
	return r, err
}

func ones(n int) []float64 {
	y := make([]float64, n)
	for j := range y {
		y[j] = 1
	}
	return y
}

// prepareWithin is prepare within the time limit.
func prepareWithin(ctx context.Context, in *Instance, o SolveOptions, began time.Time) (Prepared, error) {
	if limit := o.Benders.TimeLimit; limit != math.MaxInt64 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, began.Add(limit))
		defer cancel()
	}
	return prepare(ctx, in, min(1e-6, o.Benders.Gap), o.Dual, began)
}

// result is the result of a run that needed no master.
func (p *Prepared) result(in *Instance, o SolveOptions) *benders.Result {
	r := &benders.Result{Status: lp.Optimal, Design: in.Design(p.Design.Open), Objective: p.Design.Cost, Terminal: p.Design.Cost,
		Bound: min(p.Bound, p.Design.Cost), Visited: 1, Parts: benders.Parts{Presolve: p.Elapsed}}
	r.Settle(o.Benders.Gap, true)
	return r
}

// driveReduced leaves the facilities that are settled closed out of the instance.
func driveReduced(ctx context.Context, in *Instance, sep Separation, pre Prepared, o SolveOptions) (*benders.Result, error) {
	small, reduced, err := Reduce(in, pre.Fixing)
	if err != nil {
		return nil, err
	}
	return reduced.Solve(in.Design(pre.Design.Open), func(start []float64) (*benders.Result, error) {
		pre.Design.Open, pre.Fixing = families.Open(start), reduced.Left
		return drive(ctx, small, sep, pre, o)
	})
}

// drive runs the driver of the scheme on the instance with what is known of it.
func drive(ctx context.Context, in *Instance, sep Separation, pre Prepared, o SolveOptions) (*benders.Result, error) {
	p := in.Problem()
	if pre.Design.Open != nil {
		p.Starts = [][]float64{in.Design(pre.Design.Open)}
		if err := pre.Fixing.Apply(p); err != nil {
			return nil, err
		}
		p.Improve = in.improver(pre.Lambda)
	}
	c := NewCertifier(in)
	for _, lambda := range pre.cores {
		cut, err := c.Cut(benders.Optimality, lambda)
		if err != nil {
			return nil, err
		}
		p.Initial = append(p.Initial, cut)
	}
	s, err := sep.New(in, pre.Lambda)
	if err != nil {
		return nil, err
	}
	if e, exact := s.(*Exact); exact && pre.Design.Open != nil { // the master knows what its start costs
		at, err := e.Separate(context.WithoutCancel(ctx), benders.Point{Y: p.Starts[0], Integer: true})
		if err != nil {
			return nil, err
		}
		p.Initial = append(p.Initial, at.Cuts...)
	}
	if o.Scheme == OuterLoop {
		return benders.OuterLoop(ctx, p, s, o.Benders)
	}
	return benders.BranchAndCut(ctx, p, s, o.Benders)
}
