package bnb

import (
	"math"
	"slices"
)

// How nodes go from the queue of the coordinator to those of its workers, and back.

// fork is the queue of a worker, still empty.
func (t *tree) fork() tree {
	return tree{heaps: newHeaps(), created: t.created, picks: t.picks, shared: true, outside: outside{bound: inf}}
}

// assign queues a node from another queue.
func (t *tree) assign(nd *node) {
	nd.sibling = nil
	t.push(nd)
}

// export takes all nodes out of the queue, apart from stay and, if family is set, the nodes with the same parent. The
// caller has to see to the sibling of a node that it takes from here.
func (t *tree) export(stay *node, family bool) (list []*node) {
	// The heap changes while nodes are removed, so that the loop runs over a copy.
	for _, nd := range slices.Clone(t.heaps[byBound].nodes) {
		kin := family && stay != nil && nd.parent == stay.parent
		if nd != stay && !kin {
			t.remove(nd)
			nd.sibling = nil
			list = append(list, nd)
		}
	}

	// The sibling of the node that stays may be elsewhere from now on.
	if !family && stay != nil {
		stay.sibling = nil
	}
	return list
}

// importFrom counts what a worker has done with its part of the tree, and queues the nodes that it has exported. It
// drops those at the cutoff and returns their least bound, +Inf if there is none.
func (t *tree) importFrom(w *tree, list []*node, cutoff float64) float64 {
	// The next id is above those of all nodes that have come here.
	t.created = max(t.created, w.created)
	t.bytes += w.bytes
	w.bytes = 0
	least := inf
	for _, nd := range list {
		if nd.bound >= cutoff {
			least = math.Min(least, nd.bound)
			t.release(nd)
			continue
		}
		t.push(nd)
	}

	// Ancestors are released here, where all of their children are known.
	for _, nd := range w.released {
		t.release(nd)
	}
	w.released = w.released[:0]
	return least
}

// setOutside records what the other searches hold, and the number of nodes made by all.
func (t *tree) setOutside(o outside, created int) {
	t.outside = o
	t.created = created
}
