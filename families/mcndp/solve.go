package mcndp

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/lp"
)

// Scheme is how an instance is solved.
type Scheme uint8

const (
	Auto       Scheme = iota // for exact separation with heuristics a few nodes of MasterTree, then FlowTree; else MasterTree
	MasterTree               // one branch-and-Benders-cut tree over a master
	OuterLoop                // classical Benders decomposition: a master solved to optimality each round
	DualTree                 // a tree without a master, each node bounded by its Lagrangian dual; exact only
	FlowTree                 // branch and cut over designs and flows together; exact only
)

// SolveOptions steer Solve. Start from DefaultSolveOptions.
type SolveOptions struct {
	Benders benders.Options
	Scheme  Scheme
	Dual    lagrange.Options // of the Lagrangian bound that fixes arcs, with Benders.Heuristic

	// Prepared, if not nil, is told what was known before the master or the tree started.
	Prepared func(*Prepared)

	// Ended, if not nil, is told of each phase of a hybrid at its end.
	Ended func(benders.Phase)
}

// inOutWeight is the paper's (Table 3): separation is close to the stability centre.
const inOutWeight = 0.1

// dualOptions are the defaults of SolveOptions.Dual.
var dualOptions = lagrange.Options{Steps: 2000, Every: 400, Budget: 60, Kicks: 2, Probe: 30}

// DefaultSolveOptions returns the defaults.
func DefaultSolveOptions() SolveOptions {
	o := SolveOptions{Benders: benders.DefaultOptions(), Dual: dualOptions}
	o.Benders.InOut.Weight = inOutWeight
	return o
}

// Separation says which separator a run has.
type Separation struct {
	New   func(in *Instance) (benders.Separator, error)
	exact bool
	model *proxy.Model // of a proxy alone, whose designs may need repair
	proxy *Separation  // of a hybrid: with Auto and heuristics a short run with it comes before the exact one
}

// ExactSeparation separates exactly.
func ExactSeparation() Separation {
	return Separation{exact: true, New: func(in *Instance) (benders.Separator, error) { return NewExact(in) }}
}

// ProxySeparation lets a trained model predict, and certifies.
func ProxySeparation(m *proxy.Model) Separation {
	return Separation{model: m, New: func(in *Instance) (benders.Separator, error) { return m.Separator(in, true) }}
}

// HybridSeparation asks a trained model first, and separates exactly where its cut is not violated by the given amount.
func HybridSeparation(m *proxy.Model, violation float64) Separation {
	quick := ProxySeparation(m)
	return Separation{proxy: &quick, New: func(in *Instance) (benders.Separator, error) {
		quick, err := m.Separator(in, true)
		if err != nil {
			return nil, err
		}
		thorough, err := NewExact(in)
		return benders.NewHybrid(quick, thorough, violation), err
	}}
}

// Solve solves an instance by Benders decomposition, with cut-set inequalities at designs and at fractional points, or in
// a tree without a master. With Benders.Heuristic slope scaling, a Lagrangian bound and local search come first: their
// design starts the run, arcs that the bound settles against its cost are fixed, and its multipliers give the master
// its first cuts, all within the time limit.
func Solve(ctx context.Context, in *Instance, sep Separation, o SolveOptions) (*benders.Result, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	if err := o.Benders.Validate(); err != nil {
		return nil, err
	}
	if (o.Scheme == DualTree || o.Scheme == FlowTree) && (!sep.exact || !o.Benders.Heuristic) {
		return nil, fmt.Errorf("mcndp: %w: the trees without cuts of a separator are exact, and start from heuristics", families.ErrOptions)
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
	if !o.Benders.Heuristic {
		return drive(ctx, in, sep, nil, o)
	}
	within := ctx
	if limit := o.Benders.TimeLimit; limit != math.MaxInt64 {
		var cancel context.CancelFunc
		within, cancel = context.WithDeadline(ctx, began.Add(limit))
		defer cancel()
	}
	pre, err := prepare(within, in, o.Benders.Gap*(1-1e-6), o.Dual)
	if err != nil {
		return nil, err
	}
	if pre.Design.Y == nil { // an infeasible instance, or no time
		o.Benders.Spend(time.Since(began))
		return drive(ctx, in, sep, nil, o)
	}
	if o.Prepared != nil {
		o.Prepared(pre)
	}
	if pre.closed(o.Benders.Gap * (1 - 1e-6)) {
		return pre.result(lagrange.TreeResult{Bound: pre.Bound, Complete: true}, lp.Optimal, o), nil
	}
	if o.Scheme == FlowTree {
		return pre.searchFlows(ctx, within, o, began)
	}
	if o.Scheme == DualTree {
		return pre.searchTree(ctx, within, o, began)
	}
	switch {
	case o.Scheme == Auto && sep.exact:
		return tryMaster(ctx, within, in, sep, pre, o, began)
	case o.Scheme == Auto && sep.proxy != nil:
		return solvePhases(ctx, within, in, sep, pre, o, began)
	}
	return driveFrom(ctx, in, sep, pre, o, began)
}

// masterNodes is how many nodes the scheme Auto lets a master try.
const masterNodes = 10

// mostFlows is the number of arcs times commodities up to which Auto goes on with FlowTree; beyond it with DualTree.
const mostFlows = 50000

// tryMaster gives a master a few nodes: where capacities are tight its cuts close what the knapsack relaxation leaves open
// (r05.7: 5 nodes and 0.2 s against 8000 and a gap of 1.1 %). What it leaves open the tree without a master searches.
func tryMaster(ctx, within context.Context, in *Instance, sep Separation, pre *Prepared, o SolveOptions, began time.Time) (*benders.Result, error) {
	few := o
	few.Benders.MaxNodes = min(o.Benders.MaxNodes, masterNodes)
	r, err := driveFrom(ctx, in, sep, pre, few, began)
	if err != nil || r.Status != lp.NodeLimit || o.Benders.MaxNodes <= masterNodes {
		return r, err
	}
	if err := pre.offer(within, r); err != nil || within.Err() != nil {
		return r, err
	}
	o.Benders.MaxNodes -= r.Nodes
	search := pre.searchFlows
	if in.Arcs()*in.Commodities() > mostFlows {
		search = pre.searchTree
	}
	out, err := search(ctx, within, o, began)
	if err != nil {
		return nil, err
	}
	out.Nodes += r.Nodes
	out.LPIterations += r.LPIterations
	out.Cuts = benders.Counts{Optimality: r.Cuts.Optimality, Feasibility: r.Cuts.Feasibility, User: r.Cuts.User + out.Cuts.User, Initial: r.Cuts.Initial}
	out.Parts.Master += r.Parts.Master
	out.Parts.Separation += r.Parts.Separation
	out.Parts.Heuristic += r.Parts.Heuristic
	out.Parts.Recourse = r.Parts.Recourse
	return out, nil
}

// solvePhases is a short run of the proxy, and then the best exact scheme from its design and with its cuts.
func solvePhases(ctx, within context.Context, in *Instance, sep Separation, pre *Prepared, o SolveOptions, began time.Time) (*benders.Result, error) {
	options := o.Benders
	options.Spend(time.Since(began))
	phases := benders.Phases{
		First: func(b benders.Options) (*benders.Result, error) {
			o.Benders = b
			return driveFrom(ctx, in, *sep.proxy, pre, o, time.Now())
		},
		Second: func(b benders.Options, first *benders.Result, cuts []benders.Cut) (*benders.Result, error) {
			o.Benders = b
			if err := pre.offer(within, first); err != nil {
				return nil, err
			}
			pre.cuts = cuts
			r, err := tryMaster(ctx, within, in, ExactSeparation(), pre, o, time.Now())
			if err == nil {
				r.Parts.Presolve = 0 // the first phase has it
			}
			return r, err
		},
		Ended: o.Ended,
	}
	return phases.Solve(ctx, options)
}

// offer takes over a design and a bound.
func (p *Prepared) offer(ctx context.Context, r *benders.Result) error {
	if _, err := p.search.Price(ctx, r.Design); err != nil {
		return notCancelled(ctx, err)
	}
	p.Bound, p.Design = max(p.Bound, r.Bound), p.search.Best
	return nil
}

// driveFrom runs the driver of the scheme with what is known.
func driveFrom(ctx context.Context, in *Instance, sep Separation, pre *Prepared, o SolveOptions, began time.Time) (*benders.Result, error) {
	o.Benders.Spend(time.Since(began))
	r, err := drive(ctx, in, sep, pre, o)
	if err != nil {
		return nil, err
	}
	if r.Status == lp.Infeasible { // no design is cheaper than the one that settled the arcs
		r.Status, r.Bound = lp.Optimal, pre.Design.Cost
	}
	r.Bound = min(max(r.Bound, pre.Bound), pre.Design.Cost)
	if !(r.Objective <= pre.Design.Cost) {
		r.Design, r.Objective = pre.Design.Y, pre.Design.Cost
	}
	r.Settle(o.Benders.Gap, sep.exact && r.Status == lp.Optimal)
	r.Parts.Presolve = pre.Elapsed
	return r, nil
}

// searchTree runs the tree without a master. within is ctx with the time limit.
func (p *Prepared) searchTree(ctx, within context.Context, o SolveOptions, began time.Time) (*benders.Result, error) {
	t := lagrange.Tree{Relaxation: p.l, Search: p.search, Rule: lagrange.NewPseudoCosts(p.l.in.Fixed), Root: p.volume, Bound: p.Bound,
		Gap: o.Benders.Gap * (1 - 1e-6), Accuracy: costTolerance, MaxNodes: o.Benders.MaxNodes}
	last := time.Now()
	t.Report = func(nodes, depth int) {
		if o.Benders.Progress == nil || nodes%16 != 0 || time.Since(last) < o.Benders.LogEvery {
			return
		}
		last = time.Now()
		best := p.search.Best.Cost
		o.Benders.Progress(benders.Progress{TrueCost: best, Depth: depth, Progress: bnb.Progress{Nodes: nodes, Objective: best, Bound: p.Bound,
			Gap: (best - p.Bound) / math.Abs(best), Elapsed: time.Since(began)}})
	}
	found, err := t.Solve(within)
	if err != nil {
		return nil, err
	}
	status := lp.Optimal
	switch {
	case found.Complete:
	case ctx.Err() != nil:
		status = lp.Interrupted
	case within.Err() != nil:
		status = lp.TimeLimit
	default:
		status = lp.NodeLimit
	}
	return p.result(found, status, o), nil
}

// result is the result of a run without a master.
func (p *Prepared) result(found lagrange.TreeResult, status lp.Status, o SolveOptions) *benders.Result {
	best := p.search.Best
	r := &benders.Result{Status: status, Design: best.Y, Objective: best.Cost, Terminal: best.Cost, Nodes: found.Nodes,
		Bound: min(max(found.Bound, p.Bound), best.Cost), Visited: p.search.Visited(), LPIterations: p.pricer.recourse.Pivots,
		Parts: benders.Parts{Presolve: p.Elapsed, Master: found.Bounding, Heuristic: found.Searching}}
	r.Settle(o.Benders.Gap, true)
	return r
}

// drive runs the driver of the scheme with what is known of the instance; pre may be nil.
func drive(ctx context.Context, in *Instance, sep Separation, pre *Prepared, o SolveOptions) (*benders.Result, error) {
	p := in.Problem()
	if pre != nil {
		if err := pre.apply(p); err != nil {
			return nil, err
		}
	}
	inner, err := sep.New(in)
	if err != nil {
		return nil, err
	}
	run := benders.BranchAndCut
	if o.Scheme == OuterLoop {
		run = benders.OuterLoop
	}
	s := WithCutSets{inner, NewCutSets(in)}
	if sep.model == nil {
		return run(ctx, p, s, o.Benders)
	}
	mend, err := newRepairer(in, sep.model)
	if err != nil {
		return nil, err
	}
	mend.watch(p)
	r, err := run(ctx, p, s, o.Benders)
	if err != nil {
		return nil, err
	}
	if err := mend.finish(ctx, r, p); err != nil {
		return nil, err
	}
	r.Settle(o.Benders.Gap, r.Status == lp.Optimal)
	return r, nil
}

// apply gives a problem the design, the settled arcs, the cuts and the local search.
func (p *Prepared) apply(problem *benders.Problem) error {
	problem.Starts = [][]float64{p.Design.Y}
	if err := p.Fixing.Apply(problem); err != nil {
		return err
	}
	for _, u := range p.cores {
		cut, err := p.l.certifier.Cut(benders.Optimality, u[:p.l.in.size()])
		if err != nil {
			return err
		}
		problem.Initial = append(problem.Initial, cut)
	}
	problem.Initial = append(problem.Initial, p.cuts...)
	problem.Improve = p.search.Improver(masterBudget)
	return nil
}

// masterBudget is how many designs a local search within a master prices at most.
const masterBudget = 12
