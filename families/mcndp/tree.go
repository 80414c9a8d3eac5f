package mcndp

import (
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
)

// treeResult is what a search without a master found. Bound is a proven lower bound on the cost of every design; complete
// says that the tree was searched to the end.
type treeResult struct {
	bound    float64
	nodes    int
	complete bool

	bounding, searching time.Duration // volume algorithm, and local search with leaves
}

// dualTree is branch and bound without a master: where the master would be solved over many cuts, each node has the one cut
// that the volume algorithm makes best for it, warm started from its parent's multipliers. Arcs are settled by reduced cost
// at every step, and a node is closed when its bound, rounded down, reaches the cost of the incumbent less the gap. It
// branches on the arc whose fixed cost the average point splits most.
type dualTree struct {
	in     *Instance
	p      *Prepared
	l      *lagrangian
	gap    float64
	most   int // nodes
	nodes  int
	levels []*treeLevel
	halted bool
	report func(nodes int)

	searching time.Duration
}

// treeLevel holds what a node at that depth needs: nodes are visited depth first.
type treeLevel struct {
	v     *benders.Volume
	state []int8
}

// nodeSteps is how many volume steps a node takes at most.
const nodeSteps = 40

// search proves the design of p optimal, or improves it.
func (t *dualTree) search(ctx context.Context) (treeResult, error) {
	began := time.Now()
	t.cut()
	root := t.level(0)
	root.v.CopyFrom(t.p.volume)
	lower, err := t.explore(ctx, 0, t.p.Bound)
	return treeResult{bound: min(lower, t.p.search.Best.Cost), nodes: t.nodes, complete: !t.halted,
		bounding: time.Since(began) - t.searching, searching: t.searching}, err
}

func (t *dualTree) level(depth int) *treeLevel {
	for len(t.levels) <= depth {
		v := benders.NewVolume(len(t.p.volume.Multipliers), t.in.Arcs())
		v.Weight, v.Patience = 0.3, 3
		t.levels = append(t.levels, &treeLevel{v: v, state: make([]int8, t.in.Arcs())})
	}
	return t.levels[depth]
}

// cut sets the value that a node's bound must reach to be closed.
func (t *dualTree) cut() {
	t.l.ub = math.Nextafter(t.p.search.Best.Cost*(1-t.gap), math.Inf(-1))
}

// explore searches the node whose state is in the relaxation and whose multipliers are at the level of its depth; bound is
// what is known of it. It returns a lower bound on what designs in it cost, as far as they are below the cut-off.
func (t *dualTree) explore(ctx context.Context, depth int, bound float64) (float64, error) {
	const searchEvery = 32
	if t.halted = t.halted || ctx.Err() != nil || t.nodes >= t.most; t.halted {
		return bound, nil
	}
	t.nodes++
	if t.report != nil {
		t.report(t.nodes)
	}
	if !t.l.available() {
		return math.Inf(1), nil
	}
	v := t.level(depth).v
	v.Length = 0.3
	v.Restart(t.l)
	v.Improve(ctx, t.l, nodeSteps)
	if bound = max(bound, v.Bound); bound >= t.l.ub {
		return bound, nil
	}
	branch := t.branching(v)
	if branch < 0 {
		return t.leaf(ctx, bound)
	}
	if t.nodes%searchEvery == 1 {
		const budget = 15
		began := time.Now()
		err := t.p.search.Round(ctx, v.Average, budget)
		t.searching += time.Since(began)
		if err != nil {
			return bound, notCancelled(ctx, err)
		}
		if t.cut(); bound >= t.l.ub {
			return bound, nil
		}
	}
	saved := t.level(depth)
	copy(saved.state, t.l.state)
	first, second := fixedOpen, fixedClosed
	if v.Average[branch] < 0.5 {
		first, second = second, first
	}
	lower := math.Inf(1)
	for _, value := range []int8{first, second} {
		copy(t.l.state, saved.state)
		t.l.state[branch] = value
		t.level(depth + 1).v.CopyFrom(v)
		below, err := t.explore(ctx, depth+1, bound)
		if err != nil {
			return bound, err
		}
		lower = min(lower, below)
	}
	return lower, nil
}

// branching returns the undecided arc that the average point splits most, in fixed costs, or -1 if all are decided.
func (t *dualTree) branching(v *benders.Volume) int32 {
	best, score := int32(-1), -1.0
	for j, state := range t.l.state {
		if state != undecided {
			continue
		}
		split := v.Average[j] * (1 - v.Average[j])
		if s := (split + 1e-3) * t.in.Fixed[j]; s > score {
			best, score = int32(j), s
		}
	}
	return best
}

// leaf prices the one design that is left in the node.
func (t *dualTree) leaf(ctx context.Context, bound float64) (float64, error) {
	began := time.Now()
	defer func() { t.searching += time.Since(began) }()
	y := make([]float64, t.in.Arcs())
	for j, s := range t.l.state {
		if s == fixedOpen {
			y[j] = 1
		}
	}
	cost, _, err := t.p.search.Cost(ctx, y)
	if err != nil {
		t.halted = true
		return bound, notCancelled(ctx, err)
	}
	t.cut()
	return max(bound, cost*(1-costTolerance)), nil
}

// costTolerance is how far, relative, the cost of a design from a linear program may be off.
const costTolerance = 1e-9
