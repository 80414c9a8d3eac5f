package decompose

import (
	"context"
	"fmt"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// master runs the driver of the scheme from what is known, without the columns that are closed.
func (r *run) master(ctx context.Context, m Method, b *budget) (*benders.Result, error) {
	out, err := r.reduced(ctx, m, b)
	s := &r.start
	switch {
	case err != nil:
		return nil, err
	case s.Design == nil:
		// Nothing is fixed, so that the result is the driver's, with the better bound.
		out.Bound = max(out.Bound, s.Bound)
		if out.Design != nil {
			out.Bound = min(out.Bound, out.Objective)
		}
		out.Update(b.Gap)
		return out, nil
	}

	// A master that is infeasible with its fixings proves that no design is cheaper than the one they rest on.
	why := benders.Ended(out.Status)
	if why == benders.NoDesign {
		why, out.Bound = benders.Completed, s.Cost
	}

	// The design of the start is the result where the run has none that is cheaper.
	if out.Design == nil || b.TrueCost && !(out.Objective <= s.Cost) {
		out.Design, out.Objective = s.Design, s.Cost
	}
	out.Bound = min(max(out.Bound, s.Bound), s.Cost)
	out.Settle(why, b.Gap)
	return out, nil
}

// reduced runs the driver without the columns that are closed, where the program can leave them out.
func (r *run) reduced(ctx context.Context, m Method, b *budget) (*benders.Result, error) {
	// A network for a fixed size needs all of the columns.
	s := r.start
	sized := (m == Proxy || m == Hybrid) && !r.o.Model.Form().AnySize
	if r.p.Preparation.Reduce == nil || len(s.Fixing.Closed) == 0 || sized {
		return r.runDriver(ctx, r.p, s, m, b)
	}
	small, reduction, err := r.p.Preparation.Reduce(s.Fixing)
	if err != nil {
		return nil, err
	}

	// The start is translated to the columns that are left, and the result back.
	return reduction.Solve(s.Design, func(design []float64) (*benders.Result, error) {
		s.Design, s.Fixing = design, reduction.Left
		return r.runDriver(ctx, small, s, m, b)
	})
}

// runDriver runs the driver of the scheme on a program with a start.
func (r *run) runDriver(ctx context.Context, p *Program, s Start, m Method, b *budget) (*benders.Result, error) {
	// The problem is nil where time was up before it was made.
	problem, err := r.problem(ctx, p, s, m, b)
	switch {
	case err != nil:
		return nil, err
	case problem == nil && ctx.Err() != nil:
		return benders.Nothing(benders.Cancelled), nil
	case problem == nil:
		return benders.Nothing(benders.TimeOut), nil
	}

	// Designs and cuts of a reduced program are not those of the program, and are not kept.
	o := r.driverOptions(p, m, b)
	if p == r.p {
		r.keep.observePricing(problem, &o)
	}
	repair := func(context.Context, *benders.Result) error { return nil }
	if m == Proxy && p.Proxy.Repair != nil {
		if repair, err = p.Proxy.Repair(r.o.Model, problem); err != nil {
			return nil, err
		}
	}

	// The separator, with the cuts of an earlier run before it.
	sep, err := p.separator(m, &r.o)
	if err != nil {
		return nil, err
	}
	if p == r.p && (m == Exact || m == Aggregated) {
		if sep, err = r.resumed(ctx, problem, sep); err != nil {
			return nil, err
		}
	}

	// The first master has the exact cost of its start, so that its first bound is not that of epigraphs without cuts.
	if p.Preparation.FirstCut && m == Exact && s.Design != nil {
		at, err := sep.Separate(context.WithoutCancel(ctx), benders.Point{Y: s.Design, Integer: true})
		if err != nil {
			return nil, err
		}
		problem.Initial = append(problem.Initial, at.Cuts...)
	}

	// What was made so far counts as presolve.
	made := b.use(0)
	o.TimeLimit = b.TimeLimit
	run := benders.BranchAndCut
	if r.o.Scheme == Outer {
		run = benders.OuterLoop
	}
	out, err := run(ctx, problem, sep, o)
	if err != nil {
		return nil, err
	}

	// A program with an unbounded relaxation does not come here, so the master's ray is a numerical failure.
	if out.Status == lp.Unbounded {
		return nil, fmt.Errorf("decompose: %w: the master of %s has no bound", simplex.ErrNumerical, p.Model.Name)
	}

	// A design of predictions alone may lack a recourse, or a price.
	if err := repair(ctx, out); err != nil {
		return nil, err
	}
	if o.Unpriced {
		if err := unpriced(ctx, problem, out); err != nil {
			return nil, err
		}
	}
	out.Update(o.Gap)
	out.Parts.Presolve = made
	return out, nil
}

// driverOptions are the options of the driver for a program.
func (r *run) driverOptions(p *Program, m Method, b *budget) benders.Options {
	// A run by proxy cuts alone has limits of its own; the first phase of a hybrid has those of phases.
	o, alone := b.Options, m == Proxy && r.method == Proxy
	o.Unpriced = alone && !o.TrueCost

	// Options of the user come before those of the program, but for rounds, which have no such option.
	if m == Proxy && p.Proxy.Rounds > 0 {
		o.NodeRounds = p.Proxy.Rounds
	}
	if alone && p.Proxy.Stall != nil && !r.o.StallGiven {
		o.StallNodes = p.Proxy.Stall(o.Heuristic)
	}
	return o
}

// problem makes the Benders problem with what is known; nil where the time is up before.
func (r *run) problem(ctx context.Context, p *Program, s Start, m Method, b *budget) (*benders.Problem, error) {
	within, cancel := b.within(ctx)
	defer cancel()
	problem, err := p.Recourse.Problem(within, p.sum(m, &r.o))
	if err != nil {
		return nil, benders.NotCancelled(within, err)
	}

	// The cuts of a first phase, the design of the start, and what its cost fixes.
	problem.Initial = append(problem.Initial, r.cuts...)
	if s.Design == nil {
		return problem, nil
	}

	// What is fixed excludes only designs that cost more than the start, which is therefore among the designs.
	problem.Starts = [][]float64{s.Design}
	return problem, s.Fixing.Apply(problem)
}

// unpriced gives the design of a run that never asked for an exact price its own, after the run. One without a feasible
// recourse is no result.
func unpriced(ctx context.Context, p *benders.Problem, out *benders.Result) error {
	if out.Design == nil {
		return nil
	}

	// The time of this price is reported apart, since the run did not need it.
	began := time.Now()
	cost, feasible, err := p.Price(context.WithoutCancel(ctx), out.Design, make([]float64, p.Epigraphs))
	out.Pricing = time.Since(began)
	if err != nil {
		return err
	}

	// Price returns NaN where the design is not feasible.
	if !feasible {
		out.Design = nil
	}
	out.Objective, out.Terminal = cost, cost
	return nil
}

// sum reports whether a method has one cut on the sum of the epigraphs.
func (p *Program) sum(m Method, o *Options) bool {
	// The option is for runs by proxy cuts alone: phases of a hybrid exchange cuts.
	if m == Proxy && o.Method == Proxy && o.ProxyCuts != CutsAuto {
		return o.ProxyCuts == Aggregate
	}
	return m == Aggregated || m == Proxy && p.Proxy.OneCut
}

// separator returns the separator of a method.
func (p *Program) separator(m Method, o *Options) (sep benders.Separator, err error) {
	switch m {
	case Proxy:
		sep, err = o.Model.Separator(p.Proxy.Instance, p.sum(m, o))
	case Hybrid:
		// Both separators are for the same epigraphs.
		var quick, thorough benders.Separator
		if quick, err = o.Model.Separator(p.Proxy.Instance, false); err != nil {
			return nil, err
		}
		thorough, err = p.Recourse.Exact(false)
		sep = benders.NewHybrid(quick, thorough, o.Benders.Violation)
	default:
		sep, err = p.Recourse.Exact(p.sum(m, o))
	}
	if err == nil && p.Recourse.Strengthen != nil {
		sep = p.Recourse.Strengthen(sep)
	}
	return sep, err
}
