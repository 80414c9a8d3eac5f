package decompose

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// inside returns the gap that the parts of a run are given for the gap that the run has to prove: tighter by far more
// than rounding, and by far less than the gap itself.
func inside(gap float64) float64 { return gap * (1 - 1e-6) }

// Solve solves a program. With Benders.Heuristic what the program can find and prove before a master comes first, all
// within the time limit. The result is in terms of the program given, and its bound holds for all of its designs.
func Solve(ctx context.Context, p *Program, o Options) (*benders.Result, error) {
	out, err := solve(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return out, admit(p, out)
}

// admit holds the design of a finished run against the first stage as it was given, not conditioned or reduced,
// whatever part of the run found it. One that is none is taken out of the result, which is not solved then.
func admit(p *Program, out *benders.Result) error {
	if out.Design == nil {
		return nil
	}
	err := p.Model.Master().Check(out.Design)
	if errors.Is(err, lp.ErrPoint) {
		out.Withdraw()
		return nil
	}
	return err
}

// solve is Solve without the last look at the design.
func solve(ctx context.Context, p *Program, o Options) (*benders.Result, error) {
	// Several periods are solved as such, or as two stages with scenarios.
	if p.Model.Periods.Solve != nil {
		out, other, err := p.byPeriods(ctx, &o)
		if other == nil {
			return out, err
		}
		p = other
	}

	if err := o.validate(p); err != nil {
		return nil, err
	}
	p, o, err := faithful(p, o)
	if err != nil {
		return nil, err
	}

	// The program may change the options before anything reads them.
	began := time.Now()
	if p.Recourse.Begin != nil {
		p.Recourse.Begin(&o)
	}
	r := &run{
		p:      p,
		o:      o,
		method: p.method(o.Method),
		sign:   1,
		began:  began,
	}
	if p.Recourse.PreferFull && o.allowsFullModel() {
		r.method = Full
		o.logf("the recourse has few parts: branch and cut on the whole program")
	}

	// From here on times and values are those of the conditioned program, as a minimisation.
	if p.Preparation.Condition != nil && r.method != Full {
		if other, exponent := p.Preparation.Condition(); other != nil {
			r.p, r.exponent = other, exponent
		}
	}
	if p.Model.Maximize {
		r.sign = -1
	}
	r.report()
	r.keep = newCheckpointer(r)
	r.keep.observe(&r.o.Benders)

	// An unbounded relaxation leaves open whether the program is unbounded or infeasible.
	out, err := r.whole(ctx)
	if errors.Is(err, ErrUnbounded) && p.Model.Feasibility != nil {
		o.logf("%v", err)
		out, err = r.unbounded(ctx)
	}
	if err != nil {
		return nil, err
	}
	r.keep.finished(out)

	// The result goes back to the units of the program given, where a design may cost more than in the conditioned one.
	r.scale(out)
	if r.p != p && out.Design != nil {
		if err := reprice(ctx, p, out, o.Benders.Gap); err != nil {
			return nil, err
		}
	}
	if p.Recourse.End != nil {
		p.Recourse.End(out)
	}

	// A price that the run itself did not need is not in its time.
	out.Elapsed = time.Since(r.began) - out.Pricing
	out.Parts.Fill(out.Elapsed)
	return out, nil
}

// reprice gives a design of the conditioned program its true cost, where that is greater.
func reprice(ctx context.Context, p *Program, out *benders.Result, gap float64) error {
	// Conditioning lowers costs, and never raises one.
	cost, feasible, err := p.Price(context.WithoutCancel(ctx), out.Design)
	if err == nil && feasible && cost > out.Objective*(1+1e-9) {
		out.Objective = cost
		out.Settle(benders.Ended(out.Status).Bounded(), gap)
	}
	return err
}

// run is a run of a program. Times and values are those of the conditioned program.
type run struct {
	p        *Program
	o        Options
	method   Method
	sign     float64 // of the costs of the program given
	exponent int     // of their unit
	began    time.Time
	start    Start
	logged   Start         // the start as the log showed it last
	prepared bool          // the program has found a start itself, as its other hooks expect
	presolve time.Duration // before the first part
	cuts     []benders.Cut // of the first phase, for the second
	keep     *checkpointer // of what is known, nil for none
}

// given returns a cost of the run in the program given. A power of two changes no digit.
func (r *run) given(v float64) float64 { return r.sign * math.Ldexp(v, r.exponent) }

// scale brings a result to the units of the program given.
func (r *run) scale(out *benders.Result) {
	out.Objective, out.Bound, out.Terminal = r.given(out.Objective), r.given(out.Bound), r.given(out.Terminal)
	for k := range out.Phases {
		out.Phases[k] = r.phase(out.Phases[k])
	}
}

// phase is scale for a phase.
func (r *run) phase(p benders.Phase) benders.Phase {
	p.Objective, p.Bound = r.given(p.Objective), r.given(p.Bound)
	return p
}

// whole is the run: a start, and from it one part or a hybrid's two.
func (r *run) whole(ctx context.Context) (*benders.Result, error) {
	if r.method == Full {
		return r.full(ctx)
	}

	// The weight of the user comes before that of the program, and both before the default.
	in := &r.o.Benders.InOut
	in.Weight = cmp.Or(r.o.InOut, r.p.Preparation.InOut, in.Weight)

	// The start, in the time of the run. The scheme Dual needs one also without heuristics.
	b := budget{r.o.Benders, r.began}
	r.start = NoStart()
	if b.Heuristic || r.o.Scheme == Dual {
		if err := r.prepare(ctx, &b); err != nil {
			return nil, err
		}
	}

	// The other functions of a program rely on what its start has found. Without that the run is that of a master
	// alone.
	r.prepared = r.p.Preparation.Start == nil || r.start.Design != nil
	if err := r.resume(ctx); err != nil {
		return nil, err
	}
	r.presolve = b.use(0)

	// Where the start is proven there is nothing left to do.
	switch {
	case r.method == Started:
		return r.started(ctx, &b)
	case r.start.Closed(inside(b.Gap)):
		return r.proven(), nil
	case r.method == Decoupled:
		return r.decoupled(ctx, b.Options)
	case r.method == Hybrid && r.o.Scheme == Auto && r.start.Design != nil && r.prepared:
		helps, err := r.networkHelps(ctx, &b)
		if err != nil {
			return nil, err
		}
		if helps {
			return r.phases(ctx, b.Options)
		}
		return r.part(ctx, Exact, b.Options)
	}
	return r.part(ctx, r.method, b.Options)
}

// prepare calls the program's own search for a start.
func (r *run) prepare(ctx context.Context, b *budget) (err error) {
	if r.p.Preparation.Start == nil {
		return nil
	}
	ctx, cancel := b.within(ctx)
	defer cancel()
	r.start, err = r.p.Preparation.Start(ctx, StartOptions{Gap: inside(b.Gap), Report: r.startReport()})
	return err
}

// networkHelps reports whether the network certifies more than the program does without it.
func (r *run) networkHelps(ctx context.Context, b *budget) (bool, error) {
	// Without such a function every network has its phase.
	if r.p.Proxy.NetworkHelps == nil {
		return true, nil
	}

	ctx, cancel := b.within(ctx)
	defer cancel()
	helps, err := r.p.Proxy.NetworkHelps(ctx, r.o.Model, &r.start)
	if err == nil && !helps {
		r.o.logf("no proxy phase: what is known certifies as much as the network")
	}
	r.presolve += b.use(0)
	return helps, err
}

// phases are a short run of the proxy, and then the best exact one from its design.
func (r *run) phases(ctx context.Context, o benders.Options) (*benders.Result, error) {
	limits := benders.DefaultPhaseLimits()
	if r.o.StallGiven {
		limits.StallNodes = o.StallNodes
	}

	// The second phase begins with the design and the bound of the first, and with its cuts where they are of use.
	phases := benders.Phases{
		Limits: limits,
		First:  func(o benders.Options) (*benders.Result, error) { return r.part(ctx, Proxy, o) },
		Second: func(o benders.Options, first *benders.Result, cuts []benders.Cut) (*benders.Result, error) {
			if err := r.take(ctx, first, &o); err != nil {
				return nil, err
			}
			if r.p.Proxy.KeepCuts {
				r.cuts = cuts
			}
			return r.part(ctx, Exact, o)
		},
		Ended: r.logPhase,
	}
	return phases.Solve(ctx, o)
}

// take takes over the design and the bound of a part.
func (r *run) take(ctx context.Context, out *benders.Result, o *benders.Options) error {
	// An objective that is NaN is no cost, and compares as false.
	if out.Objective < r.start.Cost {
		r.start.Design, r.start.Cost = out.Design, out.Objective
	}
	r.start.Bound = max(r.start.Bound, out.Bound)
	r.keep.record(out.Design, out.Objective, out.Bound)
	if r.p.Preparation.Accept == nil || !r.prepared {
		return nil
	}
	ctx, cancel := o.Within(ctx, time.Now())
	defer cancel()
	return r.p.Preparation.Accept(ctx, &r.start)
}

// part goes from the start to a result by one method: by a tree without a master, as far as that goes, and then by a
// master.
func (r *run) part(ctx context.Context, m Method, o benders.Options) (*benders.Result, error) {
	// The time before the first part is presolve of that part alone.
	b := budget{o, time.Now()}
	presolve, nodes := r.presolve, 0
	r.presolve = 0

	// A tree without a master needs a start. By the scheme Dual it is the whole run, in the best exact scheme its first
	// nodes come before the master.
	alone := r.p.Preparation.Tree.Alone && m == Exact
	started := r.start.Design != nil && r.prepared || alone
	best := started && m == Exact && r.o.Scheme == Auto
	firstNodes := best && (alone || r.p.Preparation.Tree.Nodes > 0)
	if started && r.o.Scheme == Dual || firstNodes {
		out, err := r.tree(ctx, b.Options)
		if err != nil {
			return nil, err
		}
		// The tree is the whole run, or has proven the optimum before the master begins.
		if out.Status == lp.Optimal || r.o.Scheme == Dual || alone {
			out.Parts.Presolve += presolve
			return out, nil
		}
		presolve += b.use(out.Nodes)
		nodes = out.Nodes
	}

	// The master is without the columns that the bound closes.
	if err := r.fix(ctx, m == Proxy, &b); err != nil {
		return nil, err
	}
	presolve += b.use(0)

	// In the best exact scheme another search may finish what the master leaves open.
	run := r.master
	if best && r.p.Preparation.Rest.Solve != nil {
		run = r.masterAndRest
	}
	out, err := run(ctx, m, &b)
	if err != nil {
		return nil, err
	}
	out.Nodes += nodes
	out.Parts.Presolve += presolve
	return out, nil
}

// tree runs the tree without a master. Before a master it is limited to Tree.Nodes, and what it finds improves the
// start.
func (r *run) tree(ctx context.Context, o benders.Options) (*benders.Result, error) {
	if r.o.Scheme != Dual && !r.p.Preparation.Tree.Alone {
		o.MaxNodes = min(o.MaxNodes, r.p.Preparation.Tree.Nodes)
	}
	out, err := r.p.Preparation.Tree.Solve(ctx, &r.start, o)
	if err != nil {
		return nil, err
	}

	// What follows begins with the design and bound of the tree.
	if err := r.take(ctx, out, &o); err != nil {
		return nil, err
	}
	r.logStart()
	how := "stopped"
	if out.Status == lp.Optimal {
		how = "complete"
	}
	r.o.logf("tree without a master: %s after %d nodes", how, out.Nodes)
	return out, nil
}

// fix raises the bound and fixes columns, where that is not done yet.
func (r *run) fix(ctx context.Context, quick bool, b *budget) error {
	if r.start.Design == nil || !r.prepared {
		return nil
	}
	if r.p.Preparation.Fix != nil {
		ctx, cancel := b.within(ctx)
		defer cancel()
		if err := r.p.Preparation.Fix(ctx, &r.start, quick); err != nil {
			return err
		}
	}
	r.logStart()
	return nil
}

// masterAndRest gives a master a few nodes, and what it leaves open to the rest.
func (r *run) masterAndRest(ctx context.Context, m Method, b *budget) (*benders.Result, error) {
	// Only the node limit of this part leaves anything to the rest: a limit of the run ends it.
	few, all := *b, b.MaxNodes
	few.MaxNodes = min(all, r.p.Preparation.Rest.Nodes)
	first, err := r.master(ctx, m, &few)
	if err != nil || first.Status != lp.NodeLimit || all <= r.p.Preparation.Rest.Nodes {
		return first, err
	}
	if err := r.take(ctx, first, &few.Options); err != nil {
		return nil, err
	}
	// Without time the master's result stands.
	b.use(first.Nodes)
	if b.TimeLimit == 0 {
		return first, nil
	}
	out, err := r.p.Preparation.Rest.Solve(ctx, &r.start, b.Options)
	if err == nil {
		out.Follow(first, b.Gap)
		out.Cuts.Initial = first.Cuts.Initial
	}
	return out, err
}

// unbounded decides between unbounded and infeasible for a program whose linear relaxation is unbounded: with a
// feasible point the ray of the relaxation improves the objective without bound, up to the multiples that keep
// columns integer. The point is looked for exactly, whatever the method, without costs.
func (r *run) unbounded(ctx context.Context) (*benders.Result, error) {
	// The search for a feasible point has the time that is left. It has no costs, so that it reports no progress.
	b := budget{r.o.Benders, r.began}
	b.use(0)
	b.Progress = nil
	found := &run{
		p:      r.p.Model.Feasibility(),
		o:      Options{Method: Exact, Scheme: r.o.Scheme, Benders: b.Options},
		method: Exact,
		sign:   1,
		began:  time.Now(),
	}
	out, err := found.whole(ctx)
	if err != nil {
		return nil, err
	}

	// Without costs every feasible point is optimal. A limit leaves the question open.
	switch out.Status {
	case lp.Optimal:
		return benders.Nothing(benders.NoBound), nil
	case lp.Infeasible:
		out = benders.Nothing(benders.NoDesign)
		out.Bound = math.Inf(1)
		return out, nil
	}
	return benders.Nothing(benders.Ended(out.Status)), nil
}

// started is the result of what comes before a master: that of a run of its own rule, where the bound does not prove
// the design.
func (r *run) started(ctx context.Context, b *budget) (*benders.Result, error) {
	if !r.start.Closed(inside(b.Gap)) {
		if err := r.fix(ctx, false, b); err != nil {
			return nil, err
		}
	}
	r.presolve += b.use(0)

	// Without a design the reason is why the search for one ended.
	switch {
	case r.start.Design != nil:
	case ctx.Err() != nil:
		return benders.Nothing(benders.Cancelled), nil
	case b.TimeLimit == 0:
		return benders.Nothing(benders.TimeOut), nil
	default:
		return benders.Nothing(benders.Unfinished), nil
	}
	out := r.proven()
	if out.Gap > r.o.Benders.Gap {
		out.Settle(benders.NoImprovement, r.o.Benders.Gap)
	}
	return out, nil
}

// decoupled is dual decomposition from the start.
func (r *run) decoupled(ctx context.Context, o benders.Options) (*benders.Result, error) {
	r.logStart()
	own := r.o
	own.Benders = o
	out, err := r.p.Preparation.ScenarioDual(ctx, &r.start, own)
	if err != nil {
		return nil, err
	}
	out.Parts.Presolve += r.presolve
	return out, nil
}

// proven is the result of a run that needed neither a tree nor a master.
func (r *run) proven() *benders.Result {
	r.logStart()
	s := &r.start
	out := &benders.Result{
		Design:    s.Design,
		Objective: s.Cost,
		Terminal:  s.Cost,
		Bound:     min(s.Bound, s.Cost),
		Visited:   1,
		Parts:     benders.Parts{Presolve: r.presolve},
	}
	out.Settle(benders.Completed, r.o.Benders.Gap)
	return out
}
