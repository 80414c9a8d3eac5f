package scenario

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/internal/parallel"
	"github.com/proxybd/proxybd/lp"
)

// solvers are what a run shares: one engine for all separators and prices.
type solvers struct {
	p       *Problem
	program *decompose.Program // that of the run
	engine  *engine            // nil before the first separator
	o       decompose.Options  // of the run; the zero value until Begin
	lower   []float64          // of each scenario, nil before they are known
	root    *root              // the relaxation, nil before it is solved
	local   *search            // improves designs, nil for none
}

// separator returns the exact separator with at most the given number of epigraphs.
func (r *solvers) separator(epigraphs int) (*separator, error) {
	// All separators of a run share one engine, and with it the pools and the linear programs.
	if r.engine == nil {
		e, err := newEngine(r.p)
		if err != nil {
			return nil, err
		}
		r.engine = e
		r.configure()
	}
	return &separator{
		engine: r.engine,
		groups: parallel.Parts(len(r.p.weight), epigraphs),
		weight: r.p.weight,
	}, nil
}

// configure gives the engine the options of the run. Without true-cost selection the result is the last design of the
// master, so that its price has to be exact whatever it is.
func (r *solvers) configure() {
	r.engine.certified = r.o.Certified
	r.engine.inFull = !r.o.Benders.TrueCost
	r.engine.limitThreads(r.o.Threads)
}

// Program returns the problem for one run of the pipeline.
func (p *Problem) Program() *decompose.Program {
	r := &solvers{p: p}

	// The functions share what the run has found out, by r.
	r.program = &decompose.Program{
		Model: decompose.Model{
			Name:        p.name,
			Maximize:    p.maximize,
			Master:      p.masterCopy,
			Compact:     p.compact,
			Feasibility: p.feasibilityProgram,
		},
		Recourse: decompose.Recourse{
			Problem:        r.problem,
			Exact:          r.exact,
			Cost:           r.cost,
			Begin:          r.begin,
			End:            r.end,
			SingleEpigraph: len(p.weight) == 1,
			PreferFull:     p.whole(),
		},
		// The start of a run is the linear relaxation, solved by cuts.
		Preparation: decompose.Preparation{Start: r.prepare},
		// Designs for training lie between recorded points and the design of the run.
		Proxy: decompose.ProxyRun{
			Instance:     p,
			Draw:         proxy.Around(p.master.Cols),
			NetworkHelps: r.networkHelps,
		},
	}
	return r.program
}

// exact is the exact separator.
func (r *solvers) exact(aggregated bool) (benders.Separator, error) {
	return r.separator(r.p.ofTree(aggregated))
}

// feasibilityProgram is the program without costs.
func (p *Problem) feasibilityProgram() *decompose.Program {
	// New has accepted the program with its costs, and without them there is nothing more to refuse.
	return must(p.feasibility()).Program()
}

// begin sets the options of a run.
func (r *solvers) begin(o *decompose.Options) {
	// Strong branching pays, since a node costs the cuts of its scenarios too: nine programs took .81 of the time.
	o.Benders.Probes = true

	// keepsMean, the log and the engine read the options from here.
	r.o = *o
	strengthened := r.program.Recourse.Strengthen != nil
	if !strengthened || r.keepsMean() {
		o.Benders.RootRounds = min(o.Benders.RootRounds, relaxedRounds)
	}
	if strengthened && o.Method != decompose.Proxy {
		o.Benders.NodeRounds = min(o.Benders.NodeRounds, strengthenedRounds)
	}

	// The engine may be there already: it prices designs before a run too.
	if r.engine != nil {
		r.configure()
	}
}

// end adds the counts of the engine to a result.
func (r *solvers) end(out *benders.Result) {
	if r.engine != nil {
		out.Scenarios = r.engine.counts
	}
}

// whole reports whether branch and cut on the deterministic equivalent is better: the recourse is large, and one of few
// scenarios is not much more of it. On semi2 (612 integer columns, 2 scenarios of 5844 rows) the gap after 40 s is 19%
// so, and 34% by decomposition.
func (p *Problem) whole() bool {
	const (
		few   = 4    // scenarios
		large = 1000 // rows of the core
	)
	return len(p.weight) <= few && len(p.frame.Core.Rows) >= large && p.master.NumInteger() > 0
}

// relaxedRounds is how often the root of a tree is separated whose master begins with the cuts of a solved relaxation,
// where nobody else adds cuts, or with the mean scenario. Ten times as many raised the bound of stochastic facility
// location by less than a node. With the mean scenario, 200 rounds took 1.2 times as long to .1% on r08.5.
const relaxedRounds = 3

// strengthenedRounds is how often a node of a tree is separated with the cut sets of a network: every round has cuts,
// and the children have use for the next. The time of eight programs with one round is 0.82 of that with up to 20, as a
// geometric mean. Stochastic facility location, where the cuts are those of the recourse alone, took 1.04 of it.
const strengthenedRounds = 1

// treeGap is the gap to which the relaxation is solved before a tree, or half the gap that is asked for where that is
// more: the tree does the rest where it is of use. On f100-c100-s256-r3-1, which no tree closes far below 1%, the last
// part of it took two thirds of the time.
const treeGap = 1e-3

// compact returns the deterministic equivalent, minimised.
func (p *Problem) compact() *lp.Model {
	// New has validated the program, so that this cannot fail.
	m := must(p.Stochastic().Extensive())
	m.Minimize()
	return m
}

// cost is the two-stage cost of a design, as a minimisation.
func (r *solvers) cost(ctx context.Context, y []float64) (float64, bool, error) {
	s, err := r.separator(1)
	if err != nil {
		return 0, false, err
	}

	// One group has all scenarios, and its cost is the expected recourse cost.
	q := []float64{0}
	feasible, err := s.recourse(ctx, y, q)

	// Where the pool proves that the design is no better than the best one, q is a lower bound, and so is the cost.
	return r.p.master.Evaluate(y) + q[0], feasible, err
}

// problem makes the Benders problem. The master begins with the cuts of the relaxation, where that was solved; it has
// to be where bounds alone leave the master without one.
func (r *solvers) problem(ctx context.Context, aggregated bool) (*benders.Problem, error) {
	s, err := r.separator(r.p.ofTree(aggregated))
	if err != nil {
		return nil, err
	}
	b := &benders.Problem{
		Name:      r.p.name,
		Master:    r.p.masterCopy(),
		Epigraphs: len(s.groups),
		Recourse:  s.recourse,
	}

	// The mean scenario stays in the master, where its cost bounds the expected one.
	if r.keepsMean() && ctx.Err() == nil {
		if b.Copy, err = r.p.meanCopy(len(s.groups)); err != nil {
			return nil, err
		}
	}

	// A descent for a new design begins at the last point of the master that was separated.
	if l := r.local; l != nil {
		b.Improve = l.ImproverFrom(descent, func([]float64) []float64 { return slices.Clone(l.s.point) })
	}
	if b.ThetaLower, err = r.thetaLower(ctx, s); err != nil {
		return nil, err
	}

	// The relaxation's cuts have no place in a master with one epigraph.
	relaxation := r.root
	if aggregated {
		relaxation = nil
	}

	// Where bounds leave the master unbounded, the relaxation bounds it, solved here if it was not before.
	unbounded := b.Unbounded()
	noBound := relaxation == nil || math.IsInf(relaxation.bound, -1)
	if unbounded && noBound && ctx.Err() == nil {
		if relaxation, err = newRoot(s, b.ThetaLower); err == nil {
			err = relaxation.solve(ctx, 1e-6, math.MaxInt)
		}

		// Where time is up the driver gets the master as it is, and ends at once.
		if err != nil {
			return b, benders.NotCancelled(ctx, err)
		}
	}
	if relaxation == nil || ctx.Err() != nil {
		return b, nil
	}

	// The master begins with its cuts, and with what it proved.
	if b.Initial, err = relaxation.merged(ctx, s); err != nil {
		return nil, err
	}
	if relaxation.status == lp.Infeasible {
		// The cut 1 <= 0: no point has a recourse.
		b.Known = []benders.Cut{{Kind: benders.Feasibility, Theta: benders.AllEpigraphs, Alpha: 1}}
		return b, nil
	}

	// The sum of costs and epigraphs is at least the bound of the relaxation.
	if unbounded && !math.IsInf(relaxation.bound, 0) {
		b.Known = []benders.Cut{b.Floor(relaxation.bound)}
	}
	return b, nil
}

// thetaLower returns a proven lower bound on the recourse cost of every group.
func (r *solvers) thetaLower(ctx context.Context, s *separator) (low []float64, err error) {
	lower := r.lower
	if lower == nil {
		lower, err = s.lowest(ctx)
		switch {
		case err == nil:
			r.lower = lower
		case ctx.Err() == nil:
			return nil, err
		default:
			// Time is up: without bounds the run ends with the status that the driver gives it.
			lower = slices.Repeat([]float64{math.Inf(-1)}, len(r.p.weight))
		}
	}

	// The bound of a group is the weighted sum of those of its scenarios, rounded down.
	for g, group := range s.groups {
		// Weighted adds in doubled precision; a constant is a cut without coefficients.
		w := r.p.scenarios.NewWeighted()
		finite := true
		for _, k := range group {
			finite = finite && !math.IsInf(lower[k], -1)
			w.Add(r.p.weight[k], &benders.Cut{Alpha: lower[k]})
		}

		// One scenario without a bound leaves the group without one.
		cut, ok := w.Cut(g)
		if !ok || !finite {
			cut.Alpha = math.Inf(-1)
		}
		low = append(low, cut.Alpha)
	}
	return low, nil
}

// Where the time of a run is limited, the relaxation with few scenarios gets this share of it, and that of all
// scenarios this share of the rest. What is left is for a design and its price: a run that ends at its limit should
// have one. Runs without a limit do not depend on these.
const (
	coarseShare     = 0.4
	relaxationShare = 0.7
)

// shareOf returns a context that ends after a share of the time that is left, or with ctx where that has no limit.
func shareOf(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if !limited {
		return context.WithCancel(ctx)
	}
	left := time.Until(deadline)
	return context.WithDeadline(ctx, deadline.Add(-time.Duration((1-share)*float64(left))))
}

// prepare solves the linear relaxation. Where no column is integer that is the program.
func (r *solvers) prepare(ctx context.Context, o decompose.StartOptions) (decompose.Start, error) {
	start := decompose.NoStart()
	s, err := r.separator(ofRelaxation)
	if err != nil {
		return start, err
	}
	low, err := r.thetaLower(ctx, s)
	if err != nil {
		return start, err
	}

	// Everything at its upper bound is the design that is known first.
	if err := r.priceTop(ctx, &start); err != nil {
		return start, err
	}
	o.Report(start.Cost, start.Bound, false)

	// A coarse relaxation with few scenarios comes first, where it pays; then that of all.
	part, cancel := shareOf(ctx, coarseShare)
	coarse, err := r.coarse(part, o.Gap)
	late := part.Err() != nil
	cancel()
	if err != nil && !late {
		return start, err
	}
	if r.root, err = newRoot(s, low); err == nil {
		logged := r.progressLogger(r.root, "relaxation")
		r.root.progress = func() {
			logged()
			o.Report(r.root.price, r.root.bound, true)
		}
		r.root.follow(coarse)
		if late {
			err = r.root.priceEarly(ctx)
		}
	}
	if err == nil {
		// Without integer columns the relaxation is the program, and is solved to the gap of the run.
		enough := o.Gap
		if r.p.master.NumInteger() > 0 {
			enough = max(o.Gap/2, treeGap)
		}
		// With the mean scenario the bound of the master is close to that of the relaxation, and the cuts that are
		// missing are found in the tree. On r05.5 with 1000 scenarios the whole relaxation took 80 of 240 s.
		rounds := math.MaxInt
		if r.keepsMean() && coarse != nil {
			rounds = 1
		}
		part, cancel := shareOf(ctx, relaxationShare)
		if err = r.root.solve(part, enough, rounds); err == nil || ctx.Err() == nil && part.Err() != nil {
			err = r.root.roundUp(ctx)
		}
		cancel()
	}
	if err != nil && (ctx.Err() == nil || r.root == nil) {
		return start, err
	}

	// A relaxation that a limit ended has a valid bound, and may have a design.
	start.Bound = r.root.bound
	r.logRelaxation()
	if r.root.design != nil && r.root.price < start.Cost {
		start.Design = r.root.design
		start.Cost = r.root.price
	}
	o.Report(start.Cost, start.Bound, false)

	// A local search improves the design that rounding found.
	if r.local, err = r.newSearch(); err != nil || r.local == nil {
		return start, err
	}
	r.local.Report = func() {
		r.local.take(&start)
		o.Report(start.Cost, start.Bound, false)
	}
	defer func() { r.local.Report = nil }() // the tree reports what it finds

	// The search is there for the tree too, even where it has no time or nothing to do here.
	if ctx.Err() != nil || start.Closed(o.Gap) {
		return start, nil
	}
	err = r.local.improve(ctx, &start, r.root.best)
	return start, err
}

// priceTop prices the design with every column at its upper bound, where most programs have a recourse.
func (r *solvers) priceTop(ctx context.Context, start *decompose.Start) error {
	y := top(r.p.master)
	if r.p.master.NumInteger() == 0 || !isDesign(r.p.master, y) {
		return nil
	}
	cost, feasible, err := r.cost(ctx, y)
	if err != nil {
		return benders.NotCancelled(ctx, err)
	}
	if feasible {
		start.Design = y
		start.Cost = cost
	}
	return nil
}

// networkHelps reports whether a model certifies more than the best certificates of the pool, scenario by scenario,
// halfway between the start and the cheapest point of the relaxation. To a gap of 1 % with 1000 scenarios hybrids of
// r04.4, r05.4 and r07.4 took 6.0, 10.7 and 4.5 s without their proxy phase where it does not, 7.2, 13.1 and 4.9 with
// it, and exact runs 5.1, 9.0 and 4.2.
func (r *solvers) networkHelps(ctx context.Context, m *proxy.Model, start *decompose.Start) (bool, error) {
	// Without a pool, or a point of the relaxation, there is nothing to compare with.
	noPool := r.engine == nil || r.engine.pool == nil
	if noPool || r.root == nil || r.root.best == nil {
		return true, nil
	}

	// The point in the middle is like those that a tree separates.
	y := slices.Clone(start.Design)
	for j, v := range r.root.best {
		y[j] = (y[j] + v) / 2
	}

	// The lower bound that the pool gives on the recourse cost there.
	e := r.engine
	if e.move(y); !e.byPool() {
		return true, nil
	}
	known := 0.0
	for s, p := range r.p.weight {
		known += p * e.pool.best[s]
	}

	// What the network certifies of the same cost.
	sep, err := m.Separator(r.p, true)
	if err != nil {
		return false, err
	}
	predicted, err := sep.Separate(ctx, benders.Point{Y: y})
	if err != nil && ctx.Err() != nil {
		return true, nil
	}

	// A value that is not a number counts as one that helps.
	return !(known >= predicted.Value), err
}

// feasibility returns the same problem without costs: it has a solution where this one has a feasible point.
func (p *Problem) feasibility() (*Problem, error) { return New(p.Stochastic().WithoutCosts()) }

// lowest returns a proven lower bound on the recourse cost of every scenario over the bounds of the first stage.
func (e *engine) lowest(ctx context.Context) ([]float64, error) {
	if e.remote != nil {
		return e.remote.lowest(ctx, e)
	}
	low := make([]float64, len(e.p.weight))

	// Where there are many scenarios, the certificate of the first one is tried in all chunks before a linear program.
	var first *twostage.Certificate
	if len(low) >= manyScenarios {
		var err error
		if _, first, err = e.chunks[0].lowest(ctx, e.p, 0, nil); err != nil {
			return nil, err
		}
	}

	// In each chunk the last certificate is tried first.
	return low, parallel.Each(e.threads, len(e.chunks), func(k int) (err error) {
		like := first
		for _, s := range e.chunks[k].scenarios {
			if low[s], like, err = e.chunks[k].lowest(ctx, e.p, s, like); err != nil {
				return err
			}
		}
		return nil
	})
}

// lowest returns a lower bound on the recourse cost of a scenario over the bounds of the first stage, and its
// certificate: like itself where that is good enough.
func (c *chunk) lowest(ctx context.Context, p *Problem, s int, like *twostage.Certificate) (low float64,
	by *twostage.Certificate, err error) {
	// Certificates that hold already need no linear program, which would poll the context.
	if err = ctx.Err(); err == nil {
		err = c.view.Set(s)
	}
	if err == nil {
		low, by, err = c.view.Lowest(ctx, like)
	}
	if err != nil {
		err = fmt.Errorf("scenario %s: %w", p.scenarios.Name(s), err)
	}
	return low, by, err
}
