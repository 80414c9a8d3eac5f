package mcndp

import (
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/internal/outward"
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
	report func(nodes, depth int)

	searching   time.Duration
	next, pause int // the node of the next local search, and how many nodes passed between two: more after each vain one

	gain  [2][]float64 // of arcs, closed and opened: by how much their branches raised the bound in all
	tried [2][]float64 // in how many nodes
}

// treeLevel holds what a node at that depth needs: nodes are visited depth first.
type treeLevel struct {
	v     *lagrange.Volume
	state []int8
}

// nodeSteps is how many volume steps a node takes at most.
const nodeSteps = 50

// search proves the design of p optimal, or improves it.
func (t *dualTree) search(ctx context.Context) (treeResult, error) {
	began := time.Now()
	t.cut()
	for side := range t.gain {
		t.gain[side], t.tried[side] = make([]float64, t.in.Arcs()), make([]float64, t.in.Arcs())
	}
	root := t.level(0)
	root.v.CopyFrom(t.p.volume)
	lower, err := t.explore(ctx, 0, t.p.Bound, -1)
	return treeResult{bound: min(lower, t.p.search.Best.Cost), nodes: t.nodes, complete: !t.halted,
		bounding: time.Since(began) - t.searching, searching: t.searching}, err
}

func (t *dualTree) level(depth int) *treeLevel {
	for len(t.levels) <= depth {
		v := lagrange.NewVolume(len(t.p.volume.Multipliers), t.in.Arcs())
		v.Weight, v.Patience = 0.3, 3
		t.levels = append(t.levels, &treeLevel{v: v, state: make([]int8, t.in.Arcs())})
	}
	return t.levels[depth]
}

// cut sets the value that a node's bound must reach to be closed.
func (t *dualTree) cut() {
	t.l.ub = outward.Down(t.p.search.Best.Cost * (1 - t.gap))
}

// explore searches the node whose state is in the relaxation and whose multipliers are at the level of its depth; bound is
// what is known of it, and from the arc that its parent branched on, or -1. It returns a lower bound on what designs in it cost, as far as they are below the cut-off.
func (t *dualTree) explore(ctx context.Context, depth int, bound float64, from int32) (float64, error) {
	const mostPause = 1024
	if t.halted = t.halted || ctx.Err() != nil || t.nodes >= t.most; t.halted {
		return bound, nil
	}
	t.nodes++
	if t.report != nil {
		t.report(t.nodes, depth)
	}
	if !t.l.available() {
		return math.Inf(1), nil
	}
	v := t.level(depth).v
	v.Length = 0.3
	v.Resume(t.l)
	v.Improve(ctx, t.l, nodeSteps)
	if from >= 0 {
		side := 0
		if t.l.state[from] == fixedOpen {
			side = 1
		}
		t.gain[side][from] += max(0, min(v.Bound, t.l.ub)-bound)
		t.tried[side][from]++
	}
	if bound = max(bound, v.Bound); bound >= t.l.ub {
		return bound, nil
	}
	branch := t.branching(v)
	if branch < 0 {
		return t.leaf(ctx, bound)
	}
	if t.nodes >= t.next {
		const budget = 15
		began, before := time.Now(), t.p.search.Best.Cost
		err := t.p.search.Round(ctx, v.Average, budget)
		t.searching += time.Since(began)
		if err != nil {
			return bound, notCancelled(ctx, err)
		}
		if t.pause = min(max(16, 2*t.pause), mostPause); t.p.search.Best.Cost < before {
			t.pause = 16
		}
		t.next = t.nodes + t.pause
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
		below, err := t.explore(ctx, depth+1, bound, branch)
		if err != nil {
			return bound, err
		}
		lower = min(lower, below)
	}
	return lower, nil
}

// branching returns the undecided arc whose two branches promise to raise the bound most, by what they have done before
// (Benichou et al. 1971), or -1 if all are decided. What an arc has not been tried for is taken from its fixed cost.
func (t *dualTree) branching(v *lagrange.Volume) int32 {
	best, score := int32(-1), -1.0
	room := t.l.ub - v.Bound
	for j, state := range t.l.state {
		if state != undecided {
			continue
		}
		product := 1.0
		for side, share := range [2]float64{v.Average[j], 1 - v.Average[j]} {
			const prior = 2
			guess := min(room, (share+1e-3)*t.in.Fixed[j])
			product *= max(1e-3*room, (t.gain[side][j]+prior*guess)/(t.tried[side][j]+prior))
		}
		if product > score {
			best, score = int32(j), product
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
