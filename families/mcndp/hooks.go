package mcndp

import (
	"context"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/benders/proxy"
)

// program is an instance during a run.
type program struct {
	in   *Instance
	sets *cutset.Separator
	dual lagrange.Options // of the preparation
	pre  *prepared        // nil until there is a design
}

const (
	// inOutWeight is the paper's (Table 3): separation is close to the stability centre.
	inOutWeight = 0.1

	// masterNodes is how many nodes the best exact scheme lets a master try. Where capacities are tight its cuts close
	// what the knapsack relaxation leaves open (r05.7: 5 nodes and 0.2 s against 8000 and a gap of 1.1 %). What it
	// leaves open a tree searches: one over designs and flows, or beyond maxFlows, arcs times commodities, one without
	// a master. From manyFlows on a fractional point takes so long to separate (r12.5: 2 s, for a bound that rises by
	// 3e-6 in ten nodes) that the tree begins at once: r12.5 is proven within 40 s of processor time,
	// within 60 with the master.
	// With few arcs and flows a master mostly comes to the end (r01.6: 49 nodes and 0.26 s; 0.45 s with only 10).
	masterNodes = 10
	manyFlows   = 10000
	maxFlows    = 100000
	fewArcs     = 40
	fewFlows    = 1000
	fewNodes    = 100 // of the master where there are no more of both
)

// dualOptions steer the preparation.
var dualOptions = lagrange.Options{Steps: 2000, Every: 400, Budget: 60, Kicks: 2, Probe: 30}

// Program implements families.Instance. A Lagrangian bound and local search give a run its design, its
// fixing and the first cuts of its master, which has cut-set inequalities beside its own. There is one epigraph.
func (in *Instance) Program() (*decompose.Program, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	return (&program{in: in, sets: in.cutSets(cutset.Proven), dual: dualOptions}).hooks(), nil
}

// hooks declares what a run needs of the instance, in five parts.
func (p *program) hooks() *decompose.Program {
	in := p.in

	// The tree over designs and flows comes after the nodes of the master.
	return &decompose.Program{
		Model: decompose.Model{
			Name:       in.Name,
			ColumnNoun: "arcs",
			Master:     in.Master,
			Compact:    in.compact,
			Paper:      p.paper,
		},
		Recourse: decompose.Recourse{
			Problem:        p.problem,
			Exact:          in.exact,
			Strengthen:     p.sets.Before,
			SingleEpigraph: true,
		},
		Preparation: decompose.Preparation{
			Start:  p.prepare,
			Accept: p.accept,
			InOut:  inOutWeight,
			Tree:   decompose.Search{Solve: p.tree},
			Rest:   decompose.Search{Solve: p.rest, Nodes: in.masterNodes()},
		},
		Proxy: decompose.ProxyRun{
			Instance: in,
			KeepCuts: true,
			Stall:    proxyStall,
			Repair:   p.repair,
			Draw:     in.drawStates,
		},
		Record: decompose.Recording{Data: in.data, Subject: in.subject},
	}
}

// exact is the exact separator.
func (in *Instance) exact(bool) (benders.Separator, error) { return newExact(in) }

// masterNodes is how many nodes a master may try before the tree over designs and flows.
func (in *Instance) masterNodes() int {
	// The limits were measured; see the constants.
	switch flows := in.arcs() * in.commodities(); {
	case flows >= manyFlows:
		return 0
	case in.arcs() <= fewArcs && flows <= fewFlows:
		return fewNodes
	}
	return masterNodes
}

// paper is the paper's run: one tree over a master without rows, stabilised separation at the root, and cut sets of
// the whole capacity at integer points. Which fractional points the oracle separates the paper does not say; here it is
// those of the root. A proxy is asked at integer points alone; its run prices no design, and repairs its last one.
func (p *program) paper(s decompose.Scheme) *decompose.Faithful {
	if s != decompose.Paper {
		return nil
	}

	// The first stage has no rows, and the cut sets are those of the whole capacity.
	own := (&program{in: p.in, sets: p.in.cutSets(cutset.Whole)}).hooks()
	own.Model.Master = p.in.designs
	own.Recourse.Exact = func(bool) (benders.Separator, error) { return newPlainExact(p.in), nil }
	own.Recourse.Problem = func(context.Context, bool) (*benders.Problem, error) {
		b := p.in.problem()
		b.Master = p.in.designs()
		return b, nil
	}
	return &decompose.Faithful{Program: own, Scheme: decompose.BBC, Set: func(m decompose.Method, o *benders.Options) {
		o.InOut.Weight = inOutWeight
		o.Fractional = benders.AtRoot
		o.TrueCost = m != decompose.Proxy
		if m == decompose.Proxy {
			o.Fractional = benders.Never
		}
	}}
}

// prepare runs the heuristics and the Lagrangian bound.
func (p *program) prepare(ctx context.Context, o decompose.StartOptions) (decompose.Start, error) {
	pre, err := prepare(ctx, p.in, p.sets, o, p.dual)
	if err != nil || pre.search.Best.Y == nil { // an infeasible instance, or no time
		s := decompose.NoStart()
		if pre != nil && !math.IsInf(pre.Bound, 1) { // that nothing is feasible is for the master to prove
			s.Bound = pre.Bound
		}
		return s, err
	}
	p.pre = pre
	best := pre.search.Best
	return decompose.Start{Design: best.Y, Cost: best.Cost, Bound: pre.Bound, Fixing: pre.Fixing}, nil
}

// accept takes over a design and a bound.
func (p *program) accept(ctx context.Context, s *decompose.Start) error {
	// The price is computed again, so that the search has the design.
	if _, err := p.pre.search.Price(ctx, s.Design); err != nil {
		return benders.NotCancelled(ctx, err)
	}
	p.pre.Bound = max(p.pre.Bound, s.Bound)

	// The better one of the given design and that of the preparation.
	best := p.pre.search.Best
	s.Design = best.Y
	s.Cost = best.Cost
	return nil
}

// problem is the Benders problem with the cuts and the local search of the preparation, if there is one.
func (p *program) problem(context.Context, bool) (*benders.Problem, error) {
	b := p.in.problem()
	if p.pre == nil {
		return b, nil
	}

	// The first cuts are those of the multipliers of the Lagrangian bound; the multipliers of its rows follow in u.
	for _, u := range p.pre.cores {
		cut, err := p.pre.l.certifier.Cut(benders.Optimality, u[:p.in.size()])
		if err != nil {
			return nil, err
		}
		b.Initial = append(b.Initial, cut)
	}

	// Local search goes on from the designs of the master.
	b.Improve = p.pre.search.Improver(masterBudget)
	return b, nil
}

// rest searches what a master leaves open.
func (p *program) rest(ctx context.Context, s *decompose.Start, o benders.Options) (*benders.Result, error) {
	// The model of designs and flows together would be too large.
	if p.in.arcs()*p.in.commodities() > maxFlows {
		return p.tree(ctx, s, o)
	}
	return p.pre.searchFlows(ctx, o)
}

// tree runs the tree without a master.
func (p *program) tree(ctx context.Context, _ *decompose.Start, o benders.Options) (*benders.Result, error) {
	pre := p.pre
	out, why, err := decompose.SearchTree(ctx, o, func(context.Context, float64) (*lagrange.Tree, error) {
		return &lagrange.Tree{
			Relaxation: pre.l,
			Search:     pre.search,
			Rule:       lagrange.NewPseudoCosts(p.in.Fixed),
			Root:       pre.volume,
			Bound:      pre.Bound,
			Accuracy:   costTolerance,
		}, nil
	})

	// An error leaves no result; a limit does.
	if err != nil {
		return nil, err
	}
	return pre.result(out, why, o.Gap), nil
}

// result gives the result of a tree that is not over a master its design and what pricing took.
func (p *prepared) result(out *benders.Result, why benders.Reason, gap float64) *benders.Result {
	// The search of the preparation has priced every design, also those of the tree.
	best := p.search.Best
	out.Design = best.Y
	out.Objective = best.Cost
	out.Terminal = best.Cost
	out.Visited = p.search.Visited()
	out.Bound = min(max(out.Bound, p.Bound), best.Cost)
	out.LPIterations += p.pricer.recourse.Pivots
	out.Settle(why, gap)
	return out
}

// Where a run with proxy cuts alone stops: after a number of nodes of its tree without a better design. It is after a
// design, not after a proof that its cuts cannot give; with heuristics it starts from one that is seldom bettered.
const (
	proxyStallNodes   = 2000
	proxyStartedNodes = 100
)

// proxyStall is the number of nodes in a row without a better design after which a run with proxy cuts alone stops.
func proxyStall(heuristic bool) int {
	// A heuristic has given the run a design.
	if heuristic {
		return proxyStartedNodes
	}
	return proxyStallNodes
}

// repair gives the last design of a run with proxy cuts alone a recourse, if it has none.
func (p *program) repair(m *proxy.Model, b *benders.Problem) (func(context.Context, *benders.Result) error, error) {
	rep, err := newRepairer(p.in, p.sets, m)
	if err != nil {
		return nil, err
	}

	// Pricing is watched from here on, so that the last design without a recourse is known.
	rep.watch(b)
	return func(ctx context.Context, r *benders.Result) error { return rep.finish(ctx, r, b) }, nil
}

// masterBudget is how many designs a local search within a master prices at most.
const masterBudget = 12
