package integer

import (
	"container/heap"
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// node is a box of designs that is still to be searched.
type node struct {
	box
	bound  float64
	number int
	depth  int
	cuts   []benders.Cut // valid in the box
	center []float64     // follows the points at which Lagrangian cuts are made, nil before the first
}

// nodes is a heap of nodes, the lowest bound first.
type nodes []*node

func (q nodes) Len() int      { return len(q) }
func (q nodes) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q nodes) Less(i, j int) bool {
	if q[i].bound != q[j].bound {
		return q[i].bound < q[j].bound
	}
	return q[i].number < q[j].number
}

// Push implements heap.Interface.
func (q *nodes) Push(x any) { *q = append(*q, x.(*node)) }

// Pop implements heap.Interface.
func (q *nodes) Pop() any {
	last := len(*q) - 1
	n := (*q)[last]
	*q = (*q)[:last]
	return n
}

// held is a cut in the master.
type held struct {
	local bool // it leaves with the node
	fixed bool // it never leaves
	idle  int  // solves for which it was slack
}

// tree is branch and bound over boxes of the first stage.
type tree struct {
	*lagrangian
	*pricedDesigns
	run    *run
	o      benders.Options
	sep    benders.Separator // of the relaxed program
	groups [][]int

	lp      *simplex.Solver
	given   int    // rows of the master before those of cuts
	rows    []held // of the rows after them
	root    box
	better  box // of the designs that may be better than the best one
	sharp   *Sharpener
	sharper bool // cutting planes of scenarios gave cuts
	decided bool // the relaxed program is solved to the gap: its bound is that of the linear relaxation

	restrictFactor float64 // of the work of the next search over the values of the supports
	restrictAt     int     // number of nodes after which there is another one

	queue  nodes
	number int
	floor  float64 // proven bound before the tree
	left   float64 // least bound of a node that was pruned, or could be neither pruned nor split
	counts benders.Counts
	done   int
	paid   bool // a round of Lagrangian cuts raised the bound by enough
	pays   bool // Lagrangian cuts raised the bound of the root well
	began  time.Time
	logged time.Time
}

// tree searches the boxes of the first stage.
func (r *run) tree(ctx context.Context, start *decompose.Start, o benders.Options) (*benders.Result, error) {
	prices, err := r.prices()
	if err != nil {
		return nil, err
	}
	t := newTree(r, prices, start, o)
	limited, cancel := o.Within(ctx, t.began)
	defer cancel()

	why, err := t.search(limited)
	if err != nil && limited.Err() == nil {
		return nil, err
	}
	why = limitOf(ctx, limited, why)

	// The result is what is known, whatever ended the search.
	out := t.outcome(t.bound())
	if why == benders.Completed && t.design == nil && math.IsInf(t.left, 1) {
		why = benders.NoDesign
		out.Bound = math.Inf(1)
	}
	out.Nodes = t.done
	out.Cuts = t.counts
	out.Elapsed = time.Since(t.began)
	out.Settle(why, o.Gap)
	return out, nil
}

// newTree returns a search from a start. All designs are in its queue until they are searched, so that its bound is
// never above what is proven.
func newTree(r *run, prices *pricer, start *decompose.Start, o benders.Options) *tree {
	t := &tree{
		pricedDesigns:  newPricedDesigns(prices, &r.best),
		run:            r,
		o:              o,
		root:           wholeBox(r.p.master),
		left:           math.Inf(1),
		restrictFactor: 1,
		floor:          start.Bound,
		began:          time.Now(),
	}
	if start.Design != nil {
		t.accept(start.Design, start.Cost)
	}
	t.better = t.root.clone()
	t.queue = nodes{&node{box: t.root.clone(), bound: start.Bound}}
	return t
}

// Where the linear relaxation of the recourse leaves no more than relaxedGap of the cost open, its program is solved
// first, in at most the share 1/relaxedPart of the time.
const (
	relaxedGap  = 0.1
	relaxedPart = 2
)

// solveRelaxed solves the program with continuous recourse and the rows that were added, where that promises a bound
// that nearly is the optimum: its integer columns are decided, and its design is priced by the integer recourse.
func (t *tree) solveRelaxed(ctx context.Context) error {
	if t.decided || t.design == nil || !(t.cost-t.bound() <= relaxedGap*math.Abs(t.cost)) || t.closed() {
		return nil
	}

	// The run of the relaxed program is one of its own, without the states and the progress of this one. It goes on
	// from the relaxation that was solved for the start.
	r := t.run
	program := *r.base
	program.Preparation.Start = func(context.Context, decompose.StartOptions) (decompose.Start, error) {
		return r.relaxed, nil
	}

	// The run of the relaxed program begins with the best design and has a part of the time.
	own := r.o
	own.Method = decompose.Exact
	own.Scheme = decompose.Auto
	own.Benders = t.o
	own.Benders.Progress = nil
	own.Save = nil
	own.Resume = nil
	own.Start = t.design
	if t.o.TimeLimit != math.MaxInt64 {
		own.Benders.TimeLimit = t.o.TimeLimit / relaxedPart
	}
	out, err := decompose.Solve(ctx, &program, own)

	// The relaxed program shares the recourse, so that the options and the separator of the tree are set again.
	restored := r.o
	r.base.Recourse.Begin(&restored)
	if err != nil {
		return prefixed(err)
	}
	if t.sep, err = r.base.Recourse.Exact(false); err != nil {
		return err
	}

	// Its bound is one of this program; its design has a price of its own here.
	t.floor = max(t.floor, out.Bound)
	if out.Design == nil {
		return nil
	}
	return t.try(ctx, out.Design)
}

// bound returns the proven bound of the search.
func (t *tree) bound() float64 {
	low := t.left
	for _, n := range t.queue {
		low = min(low, n.bound)
	}
	return max(low, t.floor)
}

// prune reports whether no design of a node with this bound is better than the best one by more than the gap. Such a
// node is not searched further, so prune records its bound as one that limits that of the run.
func (t *tree) prune(bound float64) bool {
	enough := t.cost
	if t.design != nil {
		enough -= t.o.Gap*(1-1e-6)*math.Abs(t.cost) + 1e-9
	}
	if bound < enough {
		return false
	}
	t.left = min(t.left, max(bound, t.floor))
	return true
}

// search runs the tree until it is complete or a limit ends it. Nodes that are not searched stay in the queue.
func (t *tree) search(ctx context.Context) (benders.Reason, error) {
	if err := t.begin(ctx); err != nil {
		return benders.TimeOut, err
	}
	for len(t.queue) > 0 {
		n := t.queue[0]
		switch {
		case t.prune(n.bound):
			// The queue is ordered: all that is left is pruned too.
			return benders.Completed, nil
		case ctx.Err() != nil:
			return benders.TimeOut, nil
		case t.done >= t.o.MaxNodes:
			return benders.NodesOut, nil
		}
		t.report(n)

		// The node stays in the queue until it is searched, so that its bound counts at a limit.
		children, err := t.visit(ctx, n)
		if err != nil {
			heap.Fix(&t.queue, 0)
			return benders.TimeOut, err
		}
		heap.Pop(&t.queue)
		t.done++
		for _, c := range children {
			if !t.prune(c.bound) {
				t.number++
				c.number = t.number
				heap.Push(&t.queue, c)
			}
		}
	}
	return benders.Completed, nil
}

// begin makes what the search needs: the separators and the master.
func (t *tree) begin(ctx context.Context) error {
	problem, err := t.run.problem(ctx, false)
	if err != nil {
		return err
	}
	t.lagrangian = newLagrangian(t.run.pricer)
	t.sharp = newSharpener(t.p, t.models)
	if t.sep, err = t.run.base.Recourse.Exact(false); err != nil {
		return err
	}
	t.groups = t.p.relaxed.Groups(false)

	// The master: the first stage, an epigraph for every group, and the cuts of the relaxation.
	m := t.p.master.Clone()
	t.given = len(m.Rows)
	for g := range t.groups {
		m.AddCol(lp.Col{Cost: 1, Lower: problem.ThetaLower[g], Upper: lp.Inf})
	}
	if t.lp, err = simplex.New(m, simplex.DefaultOptions()); err != nil {
		return prefixed(err)
	}
	for k := range problem.Initial {
		t.add(&problem.Initial[k], held{})
	}

	// Where the bounds of the columns alone leave the master without a bound, these rows give it one.
	for k := range problem.Known {
		t.add(&problem.Known[k], held{fixed: true})
	}
	t.counts.Initial = len(problem.Initial)
	return nil
}

// add adds a cut to the master.
func (t *tree) add(c *benders.Cut, h held) {
	row := c.Row(len(t.p.master.Cols), len(t.groups))
	t.lp.AddRow(row.Lower, row.Upper, row.Index, row.Value)
	t.rows = append(t.rows, h)
}

// report calls the Progress of the options, at most once in LogEvery.
func (t *tree) report(n *node) {
	now := time.Now()
	if t.o.Progress == nil || t.done > 0 && now.Sub(t.logged) < t.o.LogEvery {
		return
	}
	t.logged = now
	cost := t.cost
	if t.design == nil {
		cost = math.NaN()
	}

	// The node is in the queue, whose bound is that of the search. Nodes that were closed within the gap may have lower
	// bounds than the node.
	bound := min(t.bound(), t.cost)
	t.o.Progress(benders.Progress{TrueCost: cost, Depth: n.depth, Progress: bnb.Progress{Nodes: t.done, Open: len(t.queue),
		Objective: cost, Bound: bound, Gap: lp.RelativeGap(cost, bound), Elapsed: now.Sub(t.began)}})
}
