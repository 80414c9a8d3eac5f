package bnb

import "math"

// node is a node of the tree as plain data: bound changes relative to the parent, the basis to start
// from (shared with its sibling), and bounds.
type node struct {
	id, depth int
	parent    *node
	sibling   *node
	changes   []change // the branching; once the node is branched on, all that was derived there too
	start     *warmStart
	bound     float64 // proven lower bound on the objective in the subtree
	estimate  float64 // guess of the best objective in the subtree

	branch branching // that made the node, for the pseudo-costs
	place  [2]int    // positions in the two heaps, -1 when not queued

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
	heaps   [2][]*node
	created int   // nodes made so far
	picks   int   // selections from the queue
	bytes   int64 // estimated footprint of the nodes not released

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

func newTree() tree { return tree{outside: outside{bound: inf}} }

// newRoot queues a root with a bound on the whole tree.
func (t *tree) newRoot(bound float64) {
	t.add(&node{bound: bound, estimate: bound, branch: branching{col: -1}})
}

// add makes a child of parent and queues it.
func (t *tree) add(nd *node) {
	nd.id = t.created
	t.created++
	t.updateSize(nd)
	if nd.parent != nil {
		nd.parent.children++
	}
	t.push(nd)
}

func (t *tree) len() int { return len(t.heaps[byBound]) }

// empty reports whether no node is open.
func (t *tree) empty() bool { return t.len() == 0 && t.outside.nodes == 0 }

// bound returns the least bound of all open nodes, +Inf if there is none.
func (t *tree) bound() float64 { return math.Min(t.least(), t.outside.bound) }

// least is the least bound in the queue, +Inf if it is empty.
func (t *tree) least() float64 {
	if t.len() == 0 {
		return inf
	}
	return t.heaps[byBound][0].bound
}

// pop takes the node of best estimate, or, at every n-th selection for n = every, that of best bound. It returns nil
// when the queue is empty.
func (t *tree) pop(every int) *node {
	if t.len() == 0 {
		return nil
	}
	t.picks++
	kind := byEstimate
	if t.picks%every == 0 {
		kind = byBound
	}
	nd := t.heaps[kind][0]
	t.remove(nd)
	return nd
}

// push queues a node.
func (t *tree) push(nd *node) {
	for kind := range t.heaps {
		h := append(t.heaps[kind], nd)
		t.heaps[kind] = h
		nd.place[kind] = len(h) - 1
		t.up(kind, len(h)-1)
	}
}

// queued reports whether the node waits in the queue.
func (nd *node) queued() bool { return nd.place[byBound] >= 0 }

// remove takes nd out of the queue.
func (t *tree) remove(nd *node) {
	for kind := range t.heaps {
		h := t.heaps[kind]
		k := nd.place[kind]
		last := len(h) - 1
		h[k] = h[last]
		h[k].place[kind] = k
		h[last] = nil
		t.heaps[kind] = h[:last]
		if k < last {
			t.up(kind, k)
			t.down(kind, k)
		}
		nd.place[kind] = -1
	}
}

// prune drops the nodes whose bound reaches the cutoff and returns the least bound among them, +Inf
// if there is none.
func (t *tree) prune(cutoff float64) float64 {
	least := math.Inf(1)
	keep := t.heaps[byBound][:0:0]
	for _, nd := range t.heaps[byBound] {
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
	t.heaps = [2][]*node{}
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
	nodes := t.heaps[byBound]
	t.heaps = [2][]*node{}
	for _, nd := range nodes {
		nd.bound = math.Max(nd.bound, bound)
		nd.estimate = math.Max(nd.estimate, nd.bound)
		t.push(nd)
	}
}

// less orders by the key of the heap, then by the other one, then by age: the later node first, which
// keeps the search near its last basis.
func less(kind int, a, b *node) bool {
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

func (t *tree) up(kind, k int) {
	h := t.heaps[kind]
	for k > 0 {
		parent := (k - 1) / 2
		if !less(kind, h[k], h[parent]) {
			return
		}
		t.swap(kind, k, parent)
		k = parent
	}
}

func (t *tree) down(kind, k int) {
	h := t.heaps[kind]
	for {
		child := 2*k + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && less(kind, h[child+1], h[child]) {
			child++
		}
		if !less(kind, h[child], h[k]) {
			return
		}
		t.swap(kind, k, child)
		k = child
	}
}

func (t *tree) swap(kind, a, b int) {
	h := t.heaps[kind]
	h[a], h[b] = h[b], h[a]
	h[a].place[kind] = a
	h[b].place[kind] = b
}
