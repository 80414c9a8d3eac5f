package integer

import (
	"context"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Solve solves a program with integer recourse by any method. The first-stage columns are in front in the skeleton, so
// that their handles index the design; its objective and its bound are in the sense of the program.
func Solve(ctx context.Context, p *stoch.Program, o decompose.Options) (*benders.Result, error) {
	q, err := New(p)
	if err != nil {
		return nil, err
	}
	return decompose.Solve(ctx, q.Program(), o)
}

// run is what the parts of a run share.
type run struct {
	p       *Problem
	base    *decompose.Program // of the relaxed program
	pricer  *pricer
	best    float64 // cost of the cheapest design that was priced
	o       decompose.Options
	lower   []float64       // of each epigraph
	relaxed decompose.Start // what the start of the relaxed program found, at the costs of that
}

// Program returns the problem for one run of the pipeline: that of its linear relaxation, with designs priced by the
// integer recourse and cuts that prove their cost.
func (p *Problem) Program() *decompose.Program {
	r := &run{p: p, base: p.relaxed.Program(), best: math.Inf(1)}
	out := *r.base
	out.Model.Name = p.Name
	out.Model.Maximize = p.Maximize
	out.Model.Compact = p.compact
	out.Model.Feasibility = p.feasibilityProgram
	out.Recourse.PreferFull = out.Recourse.PreferFull || p.whole()
	out.Recourse.Begin = r.begin
	out.Recourse.End = r.end
	out.Recourse.Problem = r.problem
	out.Recourse.Exact = r.exact
	out.Recourse.Cost = r.cost

	// Of what the relaxation does before a master only its start holds: fixing and trees rest on prices of designs.
	out.Preparation = decompose.Preparation{
		Start: r.prepare,
		ScenarioDual: func(ctx context.Context, start *decompose.Start, o decompose.Options) (*benders.Result, error) {
			return r.scenarioDual(ctx, start, o.Benders)
		},
	}
	if !p.binary {
		out.Preparation.Tree = decompose.Search{Solve: r.tree, Alone: true}
	}
	out.Proxy = decompose.ProxyRun{}
	out.Record = decompose.Recording{Data: r.data, Subject: r.subject}
	return &out
}

// wholeColumns is the number of columns of the deterministic equivalent up to which a program whose first stage is not
// of 0-1 columns alone is solved by branch and cut on it. After 60 s of processor time that leaves .02% of dcap332-200
// (4812 columns) and .04% of sizes-10 (825), and the tree of boxes .11 and .64%. Of dcap233-200 (5412) it takes 41 s,
// the tree 21; of dcap342-200 (6412) it leaves .23%, the tree .11; of dcap243-200 (7212) .05%, which the tree closes.
const wholeColumns = 5000

// whole reports whether branch and cut on the deterministic equivalent is better than the tree of boxes.
func (p *Problem) whole() bool {
	recourse := len(p.given.Core.Cols) - p.given.First
	return !p.binary && p.given.First+recourse*len(p.weight) <= wholeColumns
}

// feasibilityProgram is the program without costs.
func (p *Problem) feasibilityProgram() *decompose.Program {
	q, err := New(p.given.WithoutCosts())
	if err != nil { // costs make no difference
		panic(err)
	}
	return q.Program()
}

// compact returns the deterministic equivalent, minimised.
func (p *Problem) compact() *lp.Model {
	m, err := p.given.Extensive()
	if err != nil { // New has validated the program
		panic(err)
	}
	m.Minimize()
	return m
}

// begin sets the options of a run.
func (r *run) begin(o *decompose.Options) {
	r.base.Recourse.Begin(o)
	r.o = *o
}

// end adds the counts to a result and writes them to the log.
func (r *run) end(out *benders.Result) {
	r.base.Recourse.End(out)
	if r.pricer != nil {
		r.logCounts()
	}
}

// prices returns the pricer of the run.
func (r *run) prices() (*pricer, error) {
	var err error
	if r.pricer == nil {
		r.pricer, err = newPricer(r.p, r.o.Threads)
	}
	return r.pricer, err
}

// cost is the two-stage cost of a design, as a minimisation.
func (r *run) cost(ctx context.Context, y []float64) (float64, bool, error) {
	v, err := r.prices()
	if err != nil {
		return 0, false, err
	}
	_, feasible, err := v.price(ctx, y, math.Inf(1))
	return r.p.master.Evaluate(y) + v.total(), feasible, err
}

// prepare solves the linear relaxation, whose bound holds, and prices the design that it ends with.
func (r *run) prepare(ctx context.Context, o decompose.StartOptions) (decompose.Start, error) {
	// What designs cost there says nothing of what they cost here.
	start, err := r.base.Preparation.Start(ctx, decompose.StartOptions{
		Gap:    o.Gap,
		Report: func(_, bound float64, logged bool) { o.Report(math.Inf(1), bound, logged) },
	})
	r.relaxed = start
	if err != nil || start.Design == nil {
		return start, err
	}

	// The bound of the relaxation holds; its design may cost more here, or have no recourse.
	cost, feasible, err := r.cost(ctx, start.Design)
	switch {
	case err != nil && ctx.Err() == nil:
		return start, err
	case err != nil || !feasible:
		start.Design = nil
		start.Cost = math.Inf(1)
	default:
		start.Cost = cost
		r.best = min(r.best, cost)
	}
	return start, nil
}

// problem makes the Benders problem: that of the relaxation, with the price of the integer recourse.
func (r *run) problem(ctx context.Context, aggregated bool) (*benders.Problem, error) {
	b, err := r.base.Recourse.Problem(ctx, aggregated)
	if err != nil {
		return nil, err
	}
	v, err := r.prices()
	if err != nil {
		return nil, err
	}
	r.lower = b.ThetaLower
	b.Recourse = r.recourse(v, r.p.relaxed.Groups(aggregated))
	return b, nil
}

// cutoff returns the cost from which on the exact cost of a design makes no difference to the run: a little above that
// of the best design. Without true-cost selection the result is the last design of the master, whatever it costs, so
// that every price has to be exact.
func (r *run) cutoff() float64 {
	if !r.o.Benders.TrueCost {
		return math.Inf(1)
	}
	return r.best + 1e-6*max(1, math.Abs(r.best))
}

// recourse returns the Recourse of a Benders problem with the groups as epigraphs. Where the cost is at least the
// cutoff of the run for certain, q holds lower bounds, with which the cost is at least the cutoff too.
func (r *run) recourse(v *pricer, groups [][]int) func(context.Context, []float64, []float64) (bool, error) {
	return func(ctx context.Context, y, q []float64) (feasible bool, err error) {
		complete, feasible, err := v.price(ctx, y, r.cutoff())
		if err != nil || !feasible {
			return false, err
		}
		cost := r.p.master.Evaluate(y) + v.collect(groups, q)
		if complete && r.p.master.Check(y) == nil {
			r.best = min(r.best, cost)
		}
		return true, nil
	}
}

// exact is the exact separator. It is for a first stage of 0-1 columns: elsewhere no cut excludes a point alone.
func (r *run) exact(aggregated bool) (benders.Separator, error) {
	if !r.p.binary {
		return nil, fmt.Errorf("integer: %w: a master for a first stage that is not of 0-1 columns alone: its scheme is "+
			"auto or dual", decompose.ErrUnsupported)
	}
	base, err := r.base.Recourse.Exact(aggregated)
	if err != nil {
		return nil, err
	}
	v, err := r.prices()
	if err != nil {
		return nil, err
	}
	return &separator{
		pricer:    v,
		base:      base,
		groups:    r.p.relaxed.Groups(aggregated),
		lower:     r.lower,
		cutoff:    r.cutoff,
		violation: r.o.Benders.Violation,
	}, nil
}

// logCounts writes to the log how the scenarios were priced and how many cuts they gave.
func (r *run) logCounts() {
	if r.o.Log == nil {
		return
	}
	c := &r.pricer.counts
	r.o.Log(fmt.Sprintf("integer recourse: %d rows added, %d scenarios priced by LP (%d with an integer solution), "+
		"%d by MIP (%d nodes), %d integer L-shaped cuts, %d Lagrangian cuts, %d MIPs for multipliers", len(r.p.sources),
		c.lps, c.integral, c.mips, c.nodes, c.bumps, c.planes, c.lagrangian))
}
