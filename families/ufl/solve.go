package ufl

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/lp"
)

// Scheme is how an instance is solved.
type Scheme uint8

const (
	Auto       Scheme = iota // DualTree for an exact run as far as Tree.MaxNodes goes, then MasterTree; else MasterTree
	MasterTree               // one branch-and-Benders-cut tree over a master
	OuterLoop                // classical Benders decomposition: a master solved to optimality each round
	DualTree                 // BranchAndBound: one aggregated cut a node, and no master
)

var schemeNames = [...]string{"auto", "bbc", "outer", "dual"}

// String returns the name that the command line uses.
func (s Scheme) String() string {
	if int(s) < len(schemeNames) {
		return schemeNames[s]
	}
	return "unknown"
}

// SolveOptions steer Solve. Start from DefaultSolveOptions.
type SolveOptions struct {
	Benders benders.Options
	Scheme  Scheme
	Search  SearchOptions // of the design that the run starts from, with Benders.Heuristic
	Dual    DualOptions   // of the Lagrangian bound that fixes facilities, with Benders.Heuristic
	Tree    TreeOptions   // of DualTree and Auto; its gap is Benders.Gap

	// Reduce drops the facilities that are settled from the instance (default); otherwise they stay as
	// fixed columns of the master, as a separator that is made for one shape needs it.
	Reduce bool

	// Prepared, if not nil, is told what was known before the master started.
	Prepared func(Prepared)

	// Ended, if not nil, is told of each phase of a hybrid at its end.
	Ended func(benders.Phase)
}

// DefaultSolveOptions returns the defaults.
func DefaultSolveOptions() SolveOptions {
	o := SolveOptions{Benders: benders.DefaultOptions(), Search: DefaultSearchOptions(), Dual: DefaultDualOptions(),
		Tree: DefaultTreeOptions(), Reduce: true}
	o.Tree.MaxNodes = 10000
	return o
}

// Separation says which separator a run has.
type Separation struct {
	Aggregated bool                                          // one epigraph for the sum of the clients, or one each
	New        func(in *Instance) (benders.Separator, error) // makes it for the instance that the master sees
	Exact      bool                                          // it separates exactly: Auto may prove by DualTree
	proxy      *Separation                                   // of a hybrid: with Auto and heuristics a short run with it comes before the exact one
}

// ExactSeparation separates exactly, client by client.
func ExactSeparation() Separation {
	return Separation{Exact: true, New: func(in *Instance) (benders.Separator, error) { return NewExact(in, false), nil }}
}

// AggregatedSeparation separates exactly and adds one cut on the sum.
func AggregatedSeparation() Separation {
	return Separation{Aggregated: true, New: func(in *Instance) (benders.Separator, error) { return NewExact(in, true), nil }}
}

// ProxySeparation lets a trained model predict, and adds one certified cut on the sum.
func ProxySeparation(m *proxy.Model) Separation {
	return Separation{Aggregated: true, New: func(in *Instance) (benders.Separator, error) { return m.Separator(in, true) }}
}

// HybridSeparation asks a trained model first, client by client, and separates exactly where its cuts are not violated
// by the given amount.
func HybridSeparation(m *proxy.Model, violation float64) Separation {
	quick := ProxySeparation(m)
	return Separation{proxy: &quick, New: func(in *Instance) (benders.Separator, error) {
		quick, err := m.Separator(in, false)
		return benders.NewHybrid(quick, NewExact(in, false), violation), err
	}}
}

// Prepared is what is known of an instance before the master starts.
type Prepared struct {
	Design  Design          // the best design found
	Bound   float64         // Lagrangian bound on every design that costs at most Design.Cost
	Fixing  lagrange.Fixing // empty if the tree ended the run
	Tree    TreeResult      // of DualTree, if it ran
	Elapsed time.Duration
}

// Solve solves an instance by Benders decomposition. With Benders.Heuristic the design of Search starts the
// run, and facilities that a Lagrangian bound settles against its cost leave the instance, all within the
// time limit. The result is in terms of the instance given, and its bound holds for all of its designs.
func Solve(ctx context.Context, in *Instance, sep Separation, o SolveOptions) (*benders.Result, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	if err := o.Benders.Validate(); err != nil {
		return nil, err
	}
	began := time.Now()
	known := in.TotalCost(Greedy(in))
	u := unitsOf(known)
	r, err := solveConditioned(ctx, u.scale(capCosts(in, known)), sep, u.options(o), began)
	if err != nil {
		return nil, err
	}
	u.result(r)
	if r.Design != nil {
		if cost := in.TotalCost(families.Open(r.Design)); cost > r.Objective*(1+1e-9) { // it uses a capped pair
			r.Objective = cost
			r.Settle(o.Benders.Gap, false)
		}
	}
	r.Elapsed = time.Since(began)
	return r, nil
}

// capCosts lowers every assignment cost to at most twice the known cost of a design, if any is higher, as
// the very large cost of a forbidden pair is. A design that uses such a pair costs at least that in either
// instance, and all others cost the same; so the optima are the same, and a bound below the known cost
// holds for both. The masters are spared coefficients that no tolerance fits.
func capCosts(in *Instance, known float64) *Instance {
	top := 2 * known
	if top == 0 || slices.Max(in.Cost) <= top { // twice nothing would not keep a dearer design dearer
		return in
	}
	out := in.Clone()
	for k, c := range out.Cost {
		out.Cost[k] = min(c, top)
	}
	return out
}

func solveConditioned(ctx context.Context, in *Instance, sep Separation, o SolveOptions, began time.Time) (*benders.Result, error) {
	if !o.Benders.Heuristic && o.Scheme != DualTree {
		return drive(ctx, in, sep, nil, o)
	}
	within, cancel := o.within(ctx, began)
	defer cancel()
	k := known{}
	var open []int32
	var err error
	k.pi, open = Ascent(in, 1)
	if k.design, err = SearchFrom(within, in, o.Search, open); err != nil {
		return nil, err
	}
	k.elapsed = time.Since(began)
	o.Benders.Spend(k.elapsed)
	if o.Scheme == Auto && sep.proxy != nil {
		return solvePhases(ctx, in, sep, &k, o)
	}
	return k.solve(ctx, in, sep, o)
}

// within bounds a context by the time limit of a run.
func (o *SolveOptions) within(ctx context.Context, began time.Time) (context.Context, context.CancelFunc) {
	if o.Benders.TimeLimit == math.MaxInt64 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, began.Add(o.Benders.TimeLimit))
}

// known is what a run, or a phase of one, begins with.
type known struct {
	design  Design
	pi      []float64     // good duals
	bound   float64       // Lagrangian, on every design that costs at most the design
	elapsed time.Duration // since the run began, if that is not counted yet
}

// solvePhases is a short run of the proxy, and then the best exact scheme from its design.
func solvePhases(ctx context.Context, in *Instance, sep Separation, k *known, o SolveOptions) (*benders.Result, error) {
	phases := benders.Phases{
		First: func(b benders.Options) (*benders.Result, error) {
			quick := o
			quick.Benders, quick.Dual.Probe = b, 0
			quick.Benders.NodeRounds = proxyRounds
			r, err := k.solve(ctx, in, *sep.proxy, quick)
			if err == nil {
				r.Bound = min(max(r.Bound, k.bound), k.design.Cost)
				r.Settle(b.Gap, false)
			}
			return r, err
		},
		Second: func(b benders.Options, first *benders.Result, _ []benders.Cut) (*benders.Result, error) {
			if first.Objective < k.design.Cost {
				k.design = Design{families.Open(first.Design), first.Objective}
			}
			k.elapsed = 0
			thorough := o
			thorough.Benders, thorough.Reduce = b, true
			return k.solve(ctx, in, ExactSeparation(), thorough)
		},
		Ended: o.Ended,
	}
	return phases.Solve(ctx, o.Benders)
}

// solve goes on from what is known.
func (k *known) solve(ctx context.Context, in *Instance, sep Separation, o SolveOptions) (*benders.Result, error) {
	pre, err := k.prepare(ctx, in, sep.Exact, o)
	if err != nil {
		return nil, err
	}
	if o.Prepared != nil {
		o.Prepared(pre)
	}
	if pre.Tree.Complete || o.Scheme == DualTree {
		return pre.result(ctx, in, o), nil
	}
	o.Benders.Spend(pre.Elapsed - k.elapsed)
	if o.Benders.MaxNodes != math.MaxInt {
		o.Benders.MaxNodes = max(0, o.Benders.MaxNodes-pre.Tree.Nodes)
	}
	solve := driveWhole
	if o.Reduce {
		solve = driveReduced
	}
	r, err := solve(ctx, in, sep, pre, o)
	if err != nil {
		return nil, err
	}
	if pre.Tree.Nodes > 0 {
		r.Bound = min(max(r.Bound, pre.Tree.Bound), pre.Design.Cost)
		r.Settle(o.Benders.Gap, r.Status == lp.Optimal)
	}
	r.Nodes += pre.Tree.Nodes
	r.Parts.Presolve = pre.Elapsed
	return r, nil
}

// prepare proves what it can about the design without a master, or finds a better one. The duals that it ends with are kept.
func (k *known) prepare(ctx context.Context, in *Instance, exact bool, o SolveOptions) (pre Prepared, err error) {
	began := time.Now()
	defer func() { pre.Elapsed = k.elapsed + time.Since(began) }()
	ctx, cancel := o.within(ctx, began)
	defer cancel()
	pre.Design = k.design
	if o.Scheme == Auto {
		o.Tree.MaxNodes = min(o.Tree.MaxNodes, o.Benders.MaxNodes)
	}
	if o.Scheme == DualTree || o.Scheme == Auto && exact && o.Tree.MaxNodes > 0 {
		o.Tree.Gap = max(o.Benders.Gap*(1-1e-6), 5e-10) // a hair inside, and no tighter than floats can say
		if pre.Tree, err = BranchAndBound(ctx, in, pre.Design, k.pi, o.Tree); err != nil {
			return pre, err
		}
		pre.Design, pre.Bound = pre.Tree.Design, pre.Tree.Bound
		if pre.Tree.Complete || o.Scheme == DualTree {
			return pre, nil
		}
	}
	dual, err := Dual(ctx, in, k.pi, pre.Design.Cost, o.Dual)
	pre.Bound, pre.Fixing = max(pre.Bound, dual.Bound), dual.Fixing
	k.pi, k.bound = dual.Pi, dual.Bound
	return pre, err
}

// result is the result of a run that the dual tree ended, at its end or at a limit.
func (p *Prepared) result(ctx context.Context, in *Instance, o SolveOptions) *benders.Result {
	r := &benders.Result{Design: in.Design(p.Design.Open), Objective: p.Design.Cost, Terminal: p.Design.Cost, Bound: p.Tree.Bound,
		Nodes: p.Tree.Nodes, Visited: 1, Parts: benders.Parts{Presolve: p.Elapsed}}
	switch {
	case p.Tree.Complete:
		r.Status = lp.Optimal
	case ctx.Err() != nil:
		r.Status = lp.Interrupted
	case p.Tree.Nodes >= o.Tree.MaxNodes:
		r.Status = lp.NodeLimit
	default:
		r.Status = lp.TimeLimit
	}
	r.Settle(o.Benders.Gap, p.Tree.Complete)
	return r
}

// driveWhole keeps the settled facilities as fixed columns.
func driveWhole(ctx context.Context, in *Instance, sep Separation, pre Prepared, o SolveOptions) (*benders.Result, error) {
	return drive(ctx, in, sep, func(p *benders.Problem) error {
		p.Starts = [][]float64{in.Design(pre.Design.Open)}
		return pre.Fixing.Apply(p)
	}, o)
}

// driveReduced leaves the facilities that are settled closed out of the instance.
func driveReduced(ctx context.Context, in *Instance, sep Separation, pre Prepared, o SolveOptions) (*benders.Result, error) {
	small, reduced, err := Reduce(in, pre.Fixing)
	if err != nil {
		return nil, err
	}
	return reduced.Solve(in.Design(pre.Design.Open), func(start []float64) (*benders.Result, error) {
		return drive(ctx, small, sep, func(p *benders.Problem) error {
			p.Starts = [][]float64{start}
			return reduced.Left.Apply(p)
		}, o)
	})
}

// drive runs the driver of the scheme on the instance.
func drive(ctx context.Context, in *Instance, sep Separation, edit func(*benders.Problem) error, o SolveOptions) (*benders.Result, error) {
	p := in.Problem(sep.Aggregated)
	if edit != nil {
		if err := edit(p); err != nil {
			return nil, err
		}
	}
	s, err := sep.New(in)
	if err != nil {
		return nil, err
	}
	if o.Scheme == OuterLoop {
		return benders.OuterLoop(ctx, p, s, o.Benders)
	}
	return benders.BranchAndCut(ctx, p, s, o.Benders)
}
