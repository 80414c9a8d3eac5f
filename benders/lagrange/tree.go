package lagrange

import (
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/outward"
)

// Search is what the tree asks of a family's local search. It keeps the best design.
type Search interface {
	// Cost returns the cost of the best design, +Inf where there is none.
	Cost() float64
	// Price returns the cost of a design, to the relative accuracy of the tree.
	Price(ctx context.Context, design []float64) (float64, error)
	// Round looks for a better design near a point of the relaxation; it prices at most the given number of designs.
	Round(ctx context.Context, point []float64, budget int) error
}

// Tree proves a design optimal, or improves it, by branch and bound without a master: where the master would be solved
// over many cuts, each node has the one aggregated cut that the volume algorithm makes best for it, warm started from
// its parent's multipliers. Columns are fixed by reduced cost at every evaluation, and a node is closed when its bound,
// rounded down, reaches the cost of the best design less the gap. Nodes are visited depth first.
type Tree struct {
	Relaxation Binary
	Search     Search
	Rule       Rule
	Root       *Volume // multipliers and averages to begin with
	Bound      float64 // what is known of the root
	Gap        float64 // relative gap at which a design counts as optimal
	Accuracy   float64 // of prices, relative
	MaxNodes   int
	Report     func(nodes, depth int) // at every node, if not nil

	known       *Columns      // of the relaxation: the fixings of the node
	levels      []*level      // of each depth
	nodes       int           // so far
	stopped     bool          // by a limit, or by an error
	searching   time.Duration // time of local searches and leaves
	next, pause int           // the node of the next local search, and the nodes between two: more after each vain one
}

// level holds what a node at that depth needs.
type level struct {
	v     *Volume
	state []State // of the columns in the node, while its children are searched
}

// Rule chooses the column to branch on.
type Rule interface {
	// Choose returns an undecided column and the value to try first; -1 if all are decided.
	Choose(v *Volume, known *Columns) (column int, first State)
	// Learn records by how much the bound rose from a node to its child, which has the column fixed.
	Learn(column int, to State, gain float64)
}

// TreeResult is what a tree found. Bound is a proven lower bound on the cost of every design; Complete says that the
// tree was searched to the end, so that the best design is optimal within the gap.
type TreeResult struct {
	Bound               float64
	Nodes               int
	Complete            bool
	Bounding, Searching time.Duration // volume algorithm, and local search with leaves
}

const (
	nodeSteps    = 60   // volume steps at a node, at most
	searchBudget = 15   // designs that a local search prices
	minPause     = 16   // nodes between two local searches, after one that found a better design
	maxPause     = 1024 // nodes between two local searches, after many in vain
)

// Solve searches the tree. The search must have a design. What is fixed below a limit says nothing of designs above it,
// so no bound above the last limit is returned.
func (t *Tree) Solve(ctx context.Context) (TreeResult, error) {
	began := time.Now()
	t.known = t.Relaxation.Known()
	t.cutOff()
	root := t.level(0)
	root.v.copyFrom(t.Root)
	root.v.Resume(t.Relaxation)
	lower, err := t.explore(ctx, 0, t.Bound, -1)
	return TreeResult{
		Bound:     min(lower, t.known.UB),
		Nodes:     t.nodes,
		Complete:  !t.stopped,
		Bounding:  time.Since(began) - t.searching,
		Searching: t.searching,
	}, err
}

// level returns what a node at a depth needs, and makes it for the first node there.
func (t *Tree) level(depth int) *level {
	for len(t.levels) <= depth {
		v := NewVolume(len(t.Root.Multipliers), len(t.Root.Average))
		t.levels = append(t.levels, &level{v: v, state: make([]State, len(t.known.State))})
	}
	return t.levels[depth]
}

// cutOff sets the limit that a node's bound must reach to be closed.
func (t *Tree) cutOff() { t.known.UB = outward.Down(t.Search.Cost() * (1 - t.Gap)) }

// explore searches the node whose columns are in the relaxation and whose multipliers were evaluated at the level of
// its depth; bound is what is known of its parent, which branched on the column from, -1 for none. It returns a lower
// bound on what designs in it cost, as far as they are below the limit.
func (t *Tree) explore(ctx context.Context, depth int, bound float64, from int) (float64, error) {
	if t.stopped = t.stopped || ctx.Err() != nil || t.nodes >= t.MaxNodes; t.stopped {
		return bound, nil
	}
	if t.nodes++; t.Report != nil {
		t.Report(t.nodes, depth)
	}

	// A few steps of the volume algorithm raise the node's bound. What the branching has gained is a pseudo-cost.
	v := t.level(depth).v
	v.Pace = atNode
	v.Improve(ctx, t.Relaxation, nodeSteps)
	if from >= 0 {
		t.Rule.Learn(from, t.known.State[from], max(0, min(v.Bound, t.known.UB)-bound))
	}
	if bound = max(bound, v.Bound); bound >= t.known.UB {
		return bound, nil
	}

	// A node that is still open is priced where no column is left, else searched around and divided.
	column, first := t.Rule.Choose(v, t.known)
	if column < 0 {
		return t.leaf(ctx, bound)
	}
	if err := t.improve(ctx, v); err != nil || bound >= t.known.UB {
		return bound, err
	}
	return t.branch(ctx, depth, bound, column, first)
}

// branch searches the two children of a node.
func (t *Tree) branch(ctx context.Context, depth int, bound float64, column int, first State) (float64, error) {
	here, child := t.level(depth), t.level(depth+1).v
	copy(here.state, t.known.State)
	t.Relaxation.Compact(depth)
	defer t.Relaxation.Restore(depth)
	lower := math.Inf(1)
	for _, to := range [2]State{first, first.other()} {
		copy(t.known.State, here.state)
		t.known.State[column] = to

		// A child without any design counts as a node, and needs no bound.
		if !t.Relaxation.Feasible() {
			t.nodes++
			continue
		}
		child.force(t.Relaxation, here.v, column, to)
		below, err := t.explore(ctx, depth+1, bound, column)
		if err != nil {
			return bound, err
		}
		lower = min(lower, below)
	}

	// What was fixed in the children does not hold in the node.
	copy(t.known.State, here.state)
	return lower, nil
}

// improve looks for a better design now and then.
func (t *Tree) improve(ctx context.Context, v *Volume) error {
	if t.nodes < t.next {
		return nil
	}

	// The pause doubles after each search in vain, up to its maximum.
	began, before := time.Now(), t.Search.Cost()
	err := t.Search.Round(ctx, v.Average, searchBudget)
	t.searching += time.Since(began)
	if t.pause = min(max(minPause, 2*t.pause), maxPause); t.Search.Cost() < before {
		t.pause = minPause
	}
	t.next = t.nodes + t.pause
	t.cutOff()
	return benders.NotCancelled(ctx, err)
}

// leaf prices the one design that is left in the node.
func (t *Tree) leaf(ctx context.Context, bound float64) (float64, error) {
	began := time.Now()
	cost, err := t.Search.Price(ctx, t.known.design())
	t.searching += time.Since(began)

	// Without the price of this design the tree is not complete.
	if err != nil {
		t.stopped = true
		return bound, benders.NotCancelled(ctx, err)
	}
	t.cutOff()
	return max(bound, cost*(1-t.Accuracy)), nil
}
