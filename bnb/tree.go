package bnb

import (
	"container/heap"
	"math"
)

// node is a node of the tree as plain data: bound changes relative to the parent, the basis to start
// from (shared with its sibling), and bounds.
type node struct {
	id, depth int
	parent    *node
	sibling   *node
	changes   []change // the branching; once the node is branched on, all that was derived there too
	reasons   []reason // of the changes, once the node is branched on
	start     *warmStart
	bound     float64 // proven lower bound on the objective in the subtree
	estimate  float64 // guess of the best objective in the subtree

	branch   branching // that made the node, for the pseudo-costs
	branched []int32   // columns that the branching restricts and symmetries move, the same for siblings
	place    [2]int    // positions in the two heaps, -1 when not queued

	children int   // that are not released
	size     int64 // bytes that the tree counts for the node
}

// branching describes the bound change that made a node.
type branching struct {
	col       int32 // or ordered set after the columns; -1 at the root and after a branching without an LP value
	up        bool
	distance  float64 // how far the LP value moves at least
	objective float64 // of the parent's LP
}

const (
	byBound = iota
	byEstimate
)

// tree is the queue of open nodes, ordered by bound and by estimate.
type tree struct {
	heaps   [2]nodeHeap // by kind
	created int         // nodes made so far
	picks   int         // selections from the queue
	bytes   int64       // estimated footprint of the nodes not released

	outside  outside // what other searches hold of the same tree
	shared   bool    // other searches work on parts of the tree: nodes are released by the one that shares it out
	released []*node // to be released by that one
}

// outside is the part of a tree that other searches hold.
type outside struct {
	bound float64 // least of its nodes, +Inf without any
	nodes int
	bytes int64 // memory of those searches
}

// add adds what another search holds.
func (o *outside) add(p *outside) {
	o.bound = math.Min(o.bound, p.bound)
	o.nodes += p.nodes
	o.bytes += p.bytes
}

// newTree has no nodes.
func newTree() tree { return tree{heaps: newHeaps(), outside: outside{bound: inf}} }

// newHeaps are the two empty heaps.
func newHeaps() [2]nodeHeap { return [2]nodeHeap{{kind: byBound}, {kind: byEstimate}} }

// newRoot queues a root with a bound on the whole tree.
func (t *tree) newRoot(bound float64) {
	t.add(&node{bound: bound, estimate: bound, branch: branching{col: -1}})
}

// add makes a child of parent and queues it.
func (t *tree) add(nd *node) {
	// The ids are ascending, so that they order nodes by age.
	nd.id = t.created
	t.created++
	t.updateSize(nd)
	if nd.parent != nil {
		nd.parent.children++
	}
	t.push(nd)
}

// len is the number of nodes in the queue.
func (t *tree) len() int { return len(t.heaps[byBound].nodes) }

// empty reports whether no node is open.
func (t *tree) empty() bool { return t.len() == 0 && t.outside.nodes == 0 }

// bound returns the least bound of all open nodes, +Inf if there is none.
func (t *tree) bound() float64 { return math.Min(t.least(), t.outside.bound) }

// least is the least bound in the queue, +Inf if it is empty.
func (t *tree) least() float64 {
	if t.len() == 0 {
		return inf
	}
	return t.heaps[byBound].nodes[0].bound
}

// pop takes the node of best estimate, or, at every n-th selection for n = every, that of best bound. It returns nil
// when the queue is empty.
func (t *tree) pop(every int) *node {
	if t.len() == 0 {
		return nil
	}
	t.picks++

	// Every n-th selection raises the global bound, the others look for good points.
	kind := byEstimate
	if t.picks%every == 0 {
		kind = byBound
	}
	nd := t.heaps[kind].nodes[0]
	t.remove(nd)
	return nd
}

// push queues a node.
func (t *tree) push(nd *node) {
	for kind := range t.heaps {
		heap.Push(&t.heaps[kind], nd)
	}
}

// queued reports whether the node waits in the queue.
func (nd *node) queued() bool { return nd.place[byBound] >= 0 }

// remove takes nd out of the queue.
func (t *tree) remove(nd *node) {
	for kind := range t.heaps {
		heap.Remove(&t.heaps[kind], nd.place[kind])
		nd.place[kind] = -1
	}
}

// prune drops the nodes whose bound reaches the cutoff and returns the least bound among them, +Inf
// if there is none.
func (t *tree) prune(cutoff float64) float64 {
	// The list is copied, since the nodes that stay are queued anew in both heaps.
	least := math.Inf(1)
	keep := t.heaps[byBound].nodes[:0:0]
	for _, nd := range t.heaps[byBound].nodes {
		if nd.bound >= cutoff {
			least = math.Min(least, nd.bound)
			nd.place = [2]int{-1, -1}
			t.release(nd)
		} else {
			keep = append(keep, nd)
		}
	}
	if len(keep) == t.len() {
		return least
	}
	t.heaps = newHeaps()
	for _, nd := range keep {
		t.push(nd)
	}
	return least
}

// clear drops all nodes.
func (t *tree) clear() {
	t.prune(math.Inf(-1))
}

// raise lifts the bounds of all nodes to a proven bound of the whole tree.
func (t *tree) raise(bound float64) {
	if math.IsNaN(bound) || bound <= t.bound() {
		return
	}

	// A higher bound changes the order, so that both heaps are made anew.
	nodes := t.heaps[byBound].nodes
	t.heaps = newHeaps()
	for _, nd := range nodes {
		nd.bound = math.Max(nd.bound, bound)
		nd.estimate = math.Max(nd.estimate, nd.bound)
		t.push(nd)
	}
}

// less orders by the key of the heap, then by the other one, then by age: the later node first, which
// keeps the search near its last basis.
func less(kind int, a, b *node) bool {
	// The estimates decide first in their own heap, and break ties in the other one.
	if kind == byEstimate && a.estimate != b.estimate {
		return a.estimate < b.estimate
	}
	if a.bound != b.bound {
		return a.bound < b.bound
	}
	if a.estimate != b.estimate {
		return a.estimate < b.estimate
	}
	return a.id > b.id
}

// nodeHeap is a heap of nodes in the order of its kind, for container/heap. Each node has its place in it.
type nodeHeap struct {
	nodes []*node
	kind  int
}

func (h *nodeHeap) Len() int           { return len(h.nodes) }
func (h *nodeHeap) Less(a, b int) bool { return less(h.kind, h.nodes[a], h.nodes[b]) }

func (h *nodeHeap) Swap(a, b int) {
	h.nodes[a], h.nodes[b] = h.nodes[b], h.nodes[a]
	h.nodes[a].place[h.kind] = a
	h.nodes[b].place[h.kind] = b
}

// Push appends a node, which gets its place in the heap.
func (h *nodeHeap) Push(nd any) {
	// Each node has its place in the heap, so that it can be removed from the middle.
	h.nodes = append(h.nodes, nd.(*node))
	h.nodes[len(h.nodes)-1].place[h.kind] = len(h.nodes) - 1
}

// Pop returns nothing: remove has the node.
func (h *nodeHeap) Pop() any {
	last := len(h.nodes) - 1
	h.nodes[last] = nil
	h.nodes = h.nodes[:last]
	return nil
}
