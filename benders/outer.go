package benders

import (
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// OuterLoop solves the problem by classical Benders decomposition: solve the master to optimality,
// separate at its (stabilised) solution, add the violated cuts, repeat (paper, section 4.2.2). It
// stops when the gap is proven, when no cut is violated at the master's own solution (a fixed point,
// which an exact separator reaches only at an optimum), at a limit or on cancellation.
func OuterLoop(ctx context.Context, p *Problem, sep Separator, opt Options) (*Result, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	m, err := newMaster(p)
	if err != nil {
		return nil, err
	}

	l := &loop{
		run:   newRun(p, sep, opt, m),
		inOut: newInOut(opt.InOut, m),
		pool:  newPool(m, opt.AgeLimit),
		bound: math.Inf(-1),
	}
	if _, err := l.starts(ctx); err != nil {
		return nil, err
	}

	// The time limit ends a round within its master or its recourse; the result is that of the rounds so far.
	within, cancel := l.opt.Within(ctx, l.began)
	defer cancel()
	for {
		why, err := l.round(within)
		if why, err = stopped(within, why, err); err != nil {
			return nil, err
		}
		if why != Unfinished {
			return l.finish(ctx, why)
		}
	}
}

// loop is a running outer loop.
type loop struct {
	*run
	inOut      *inOut
	pool       *pool
	bound      float64   // the best one of a master
	last       []float64 // the master's last design, nil before the first
	iterations int       // masters that were solved to optimality
	nodes, lps int       // of all masters
}

// round solves the master once and separates. It returns Unfinished where the loop goes on.
func (l *loop) round(ctx context.Context) (Reason, error) {
	if l.iterations >= l.opt.MaxIterations {
		return IterationsOut, nil
	}

	// The master's optimum is a bound, and its design is priced where the separator does not do that.
	r, err := l.solveMaster(ctx)
	if err != nil {
		return Unfinished, err
	}
	moved := r.Bound > l.bound
	l.bound = max(l.bound, r.Bound)
	if r.Status != lp.Optimal {
		return Ended(r.Status), nil
	}
	l.iterations++
	y := l.design(r.X)
	if l.pricing() {
		if _, _, err := l.sel.price(ctx, y); err != nil {
			return Unfinished, err
		}
	}
	l.last = y
	if l.gap() <= l.opt.Gap {
		return Completed, nil
	}

	// Cuts that were taken out of the master come back where they are violated; else new ones are separated.
	theta := r.X[l.m.n:]
	if l.pool.revive(l.last, theta, l.opt.Violation) {
		l.report()
		return Unfinished, nil
	}
	l.pool.grow(l.last, theta, moved)
	added, err := l.cut(ctx, r)
	if err != nil {
		return Unfinished, err
	}

	l.report()

	// Without a violated cut this is an optimum or a fixed point, as Settle decides.
	if !added {
		return Completed, nil
	}
	return Unfinished, nil
}

// solveMaster solves the master with the cuts so far, starting from the cheapest known design.
func (l *loop) solveMaster(ctx context.Context) (bnb.Result, error) {
	// The gap of a master is a part of the gap of the run, which its bound has to prove.
	o := bnb.DefaultOptions()
	o.Gap, o.TimeLimit, o.Seed = l.opt.Gap/4, l.remaining(), l.opt.Seed
	if best := l.sel.best; best != nil {
		o.Start = [][]float64{l.m.point(best.y, best.q)}
	}
	start := time.Now()
	r, err := bnb.Solve(ctx, l.pool.model(), o, bnb.Hooks{})
	l.parts.Master += time.Since(start)
	l.nodes += r.Nodes
	l.lps += r.LPIterations
	return r, err
}

// cut separates at the stabilised point, and at the master's own where that cuts nothing off, and
// adds the violated cuts to the pool and the master. Where it holds them all, that is a fixed point too.
func (l *loop) cut(ctx context.Context, r bnb.Result) (bool, error) {
	theta := r.X[l.m.n:]
	point, itself := l.inOut.next(l.last, r.Bound)
	_, cuts, err := l.separateAt(ctx, Point{Y: point, Theta: theta, Integer: itself}, l.last)
	if err == nil && len(cuts) == 0 && !itself {
		_, cuts, err = l.separateAt(ctx, Point{Y: l.last, Theta: theta, Integer: true}, l.last)
	}
	if err != nil {
		return false, err
	}

	added := false
	for i := range cuts {
		if !l.pool.add(cuts[i]) {
			continue
		}
		added = true
		l.counts.add(cuts[i].Kind)
	}

	// The master holds all of them, and violates them within its tolerances.
	l.inexact = l.inexact || len(cuts) > 0 && !added
	return added, nil
}

// gap is the relative gap between the cheapest design so far and the bound.
func (l *loop) gap() float64 {
	best := l.sel.bestCost()
	return lp.RelativeGap(best, min(l.bound, best))
}

// report passes a line of the log on, after each round.
func (l *loop) report() {
	if l.opt.Progress == nil {
		return
	}
	best := l.sel.bestCost()
	l.opt.Progress(Progress{
		Iteration: l.iterations,
		TrueCost:  best,
		Progress: bnb.Progress{
			Nodes:        l.nodes,
			LPIterations: l.lps,
			Cuts:         l.counts.Optimality + l.counts.Feasibility,
			Objective:    best,
			Bound:        l.bound,
			Gap:          l.gap(),
			Elapsed:      time.Since(l.began),
		},
	})
}

// finish turns the state of the loop into a result.
func (l *loop) finish(ctx context.Context, why Reason) (*Result, error) {
	out := l.result()
	out.Bound, out.Iterations, out.Nodes, out.LPIterations = l.bound, l.iterations, l.nodes, l.lps
	if l.last != nil {
		if err := l.terminal(ctx, out, l.last); err != nil {
			return nil, err
		}
	}
	l.selectDesign(out)
	l.settle(out, why)
	l.split(out)
	return out, nil
}
