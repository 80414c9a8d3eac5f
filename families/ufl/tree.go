package ufl

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/outward"
)

// TreeOptions steer BranchAndBound. Start from DefaultTreeOptions.
type TreeOptions struct {
	Gap      float64 // relative gap at which a design counts as optimal
	MaxNodes int
	Steps    int // volume steps a node, at most

	// Progress, if not nil, is told of the tree now and then.
	Progress func(TreeProgress)
}

// TreeProgress is what is known of a running tree. Bound is that of the root.
type TreeProgress struct {
	Nodes, Depth     int
	Incumbent, Bound float64
}

// DefaultTreeOptions returns the defaults.
func DefaultTreeOptions() TreeOptions {
	return TreeOptions{Gap: 1e-6, MaxNodes: math.MaxInt, Steps: 60}
}

// Validate reports options that cannot be used.
func (o TreeOptions) Validate() error {
	if !(o.Gap >= 0 && o.Gap < 1) || o.MaxNodes < 0 || o.Steps < 0 {
		return fmt.Errorf("ufl: %w: %+v", families.ErrOptions, o)
	}
	return nil
}

// TreeResult is what BranchAndBound found. Bound is a proven lower bound on the cost of every design; Complete says that the
// tree was searched to the end, so that Design is optimal within the gap.
type TreeResult struct {
	Design       Design
	Bound        float64
	Nodes, Steps int
	Complete     bool
}

// BranchAndBound proves a design optimal, or improves it, by branch and bound without a master: where the master would be
// solved over many cuts, each node has the one aggregated cut that the volume algorithm makes best for it,
//
//	min { f'y + sum_i pi_i - sum_j kappa_j(pi) y_j : y in the node } = L(pi),
//
// warm started from its parent's duals. Facilities are fixed by reduced cost at every node, and a node is closed when
// its bound, rounded down, reaches the cost of the incumbent less the gap. It branches on the facility that the
// average design opens most. start must be a design of the instance, and pi duals to begin with, as Dual returns.
func BranchAndBound(ctx context.Context, in *Instance, start Design, pi []float64, o TreeOptions) (TreeResult, error) {
	if err := o.Validate(); err != nil {
		return TreeResult{}, err
	}
	if len(start.Open) == 0 || len(pi) != in.Clients {
		return TreeResult{}, fmt.Errorf("ufl: %w: a start with %d facilities, %d duals", families.ErrOptions, len(start.Open), len(pi))
	}
	t := &dualTree{in: in, o: o, search: NewLocalSearch(in)}
	t.offer(start.Open)
	t.l = newLagrangian(in, t.best.Cost)
	t.cut()
	root := t.level(0)
	copy(root.v.pi, pi)
	NewCertifier(in, true).Project(root.v.pi)
	root.v.pace = longRun
	bound := t.l.start(&root.v)
	bound, t.steps = t.l.improve(ctx, &root.v, bound, 600)
	t.steps += t.l.probe(ctx, &root.v, o.Steps)
	t.l.compact(&t.l.rows)
	bound = max(bound, t.l.evaluate(root.v.pi))
	t.l.fix()
	t.root = bound
	lower := t.explore(ctx, 0, bound)
	slices.Sort(t.best.Open)
	return TreeResult{Design: t.best, Bound: min(lower, t.l.ub), Nodes: t.nodes, Steps: t.steps, Complete: !t.stopped}, nil
}

// dualTree is a running BranchAndBound. A level holds what a node at that depth needs: nodes are visited depth first.
type dualTree struct {
	in      *Instance
	l       *lagrangian
	o       TreeOptions
	search  *LocalSearch
	best    Design
	levels  []*treeLevel
	nodes   int
	steps   int
	root    float64 // bound of the root
	stopped bool
}

type treeLevel struct {
	v     volume
	state []int8
	rows  rowSet
}

// nodePace is between a long run and a probe: the averages decide where to branch.
var nodePace = pace{length: 0.3, weight: 0.5, patience: 3, hopeless: 16}

func (t *dualTree) level(depth int) *treeLevel {
	for len(t.levels) <= depth {
		n, m := t.in.Facilities, t.in.Clients
		t.levels = append(t.levels, &treeLevel{state: make([]int8, n), v: volume{pi: make([]float64, m),
			direction: make([]float64, m), primal: make([]float64, n), pace: nodePace}})
	}
	return t.levels[depth]
}

// cut sets the value that a node's bound must reach to be closed.
func (t *dualTree) cut() {
	t.l.ub = outward.Down(t.best.Cost * (1 - t.o.Gap))
}

// offer takes a design as incumbent if it is the best.
func (t *dualTree) offer(open []int32) {
	if cost := t.in.TotalCost(open); t.best.Open == nil || cost < t.best.Cost {
		t.best = Design{slices.Clone(open), cost}
		if t.l != nil {
			t.cut()
		}
	}
}

// explore searches the node whose state is in t.l and whose duals and averages are at the level of its depth; bound
// is what is known of it. It returns a lower bound on what designs in it cost, as far as they are below the cut-off.
func (t *dualTree) explore(ctx context.Context, depth int, bound float64) float64 {
	const localSearchEvery = 16
	if t.stopped = t.stopped || ctx.Err() != nil || t.nodes >= t.o.MaxNodes; t.stopped {
		return bound
	}
	v := &t.level(depth).v
	bound, steps := t.l.improve(ctx, v, bound, t.o.Steps)
	t.steps += steps
	t.nodes++
	t.report(depth)
	if bound >= t.l.ub {
		return bound
	}
	if t.nodes%localSearchEvery == 1 {
		t.round(ctx, v)
	}
	branch := t.branching(v)
	if branch < 0 {
		return max(bound, t.leaf())
	}
	saved := t.level(depth)
	copy(saved.state, t.l.state)
	rows := t.l.rows
	t.l.compact(&saved.rows)
	within := t.l.rows
	lower := math.Inf(1)
	for _, value := range []int8{fixedOpen, fixedClosed} {
		copy(t.l.state, saved.state)
		t.l.rows = within
		child := t.level(depth + 1)
		t.l.state[branch] = value
		t.l.force(&child.v, v, int(branch), value)
		first := max(bound, t.l.evaluate(child.v.pi))
		t.l.fix()
		if first >= t.l.ub {
			t.nodes++
			lower = min(lower, first)
			continue
		}
		lower = min(lower, t.explore(ctx, depth+1, first))
	}
	copy(t.l.state, saved.state)
	t.l.rows = rows
	return lower
}

// report tells the caller of the tree, at every 16th node.
func (t *dualTree) report(depth int) {
	if t.o.Progress != nil && t.nodes%16 == 0 {
		t.o.Progress(TreeProgress{Nodes: t.nodes, Depth: depth, Incumbent: t.best.Cost, Bound: t.root})
	}
}

// branching returns the undecided facility that the average design opens most, or -1 if all are decided.
func (t *dualTree) branching(v *volume) int32 {
	best := int32(-1)
	for j, state := range t.l.state {
		if state == undecided && (best < 0 || v.primal[j] > v.primal[best]) {
			best = int32(j)
		}
	}
	return best
}

// leaf prices the one design that is left in the node.
func (t *dualTree) leaf() float64 {
	var open []int32
	for j, state := range t.l.state {
		if state == fixedOpen {
			open = append(open, int32(j))
		}
	}
	if len(open) == 0 {
		return math.Inf(1)
	}
	t.offer(open)
	cost := t.in.TotalCost(open)
	return cost - 4*outward.Ulp(cost)
}

// round looks for a better design from the average one.
func (t *dualTree) round(ctx context.Context, v *volume) {
	var open []int32
	for j, x := range v.primal {
		if x > 0.5 || t.l.state[j] == fixedOpen {
			open = append(open, int32(j))
		}
	}
	if len(open) == 0 {
		return
	}
	t.search.Set(open)
	t.search.Descend(ctx)
	t.offer(t.search.open)
}
