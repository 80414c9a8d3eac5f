package bnb

import "math"

// How nodes go from the queue of a team to those of its workers, and back.

// fork is the queue of a worker, empty yet.
func (t *tree) fork() tree {
	return tree{created: t.created, picks: t.picks, shared: true, outside: outside{bound: inf}}
}

// deal queues a node from another queue.
func (t *tree) deal(nd *node) {
	nd.sibling = nil
	t.push(nd)
}

// surrender takes all nodes out of the queue, but stay and, if family is set, those with the same parent. Who takes a
// node from here has to see to its sibling.
func (t *tree) surrender(stay *node, family bool) (list []*node) {
	for _, nd := range append(t.heaps[byBound][:0:0], t.heaps[byBound]...) {
		if nd == stay || family && stay != nil && nd.parent == stay.parent {
			continue
		}
		t.remove(nd)
		nd.sibling = nil
		list = append(list, nd)
	}
	if !family && stay != nil {
		stay.sibling = nil
	}
	return list
}

// receive books what a worker has done with its part of the tree, and queues the nodes that it has surrendered. It
// returns the least bound of those at the cutoff, which it drops, +Inf if there is none.
func (t *tree) receive(w *tree, list []*node, cutoff float64) float64 {
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
	for _, nd := range w.released {
		t.release(nd)
	}
	w.released = w.released[:0]
	return least
}

// start says what the others hold as a round begins.
func (t *tree) start(o outside, created int) { t.outside, t.created = o, created }
