package bnb

// plunge is the way of the search through the tree: where it is, and where it goes next to stay near the last basis.
type plunge struct {
	current *node // being processed, nil between two nodes
	last    *node // processed last and branched on; the domain and the basis are still its own
	next    *node // child to take next
	start   int   // depth at which the plunge began
	deepest int   // of all nodes so far
}

// enter makes nd, which has left the queue, the current node; afresh begins a plunge there. Its sibling comes next
// unless a child replaces it.
func (pl *plunge) enter(nd *node, afresh bool) {
	pl.current, pl.next = nd, nil
	if afresh {
		pl.start = nd.depth
	}
	pl.deepest = max(pl.deepest, nd.depth)
	if nd.sibling != nil && nd.sibling.queued() {
		pl.next = nd.sibling
	}
}

// leave says that no node is being processed.
func (pl *plunge) leave() { pl.current = nil }

// forget says that the tree is another one.
func (pl *plunge) forget() { *pl = plunge{} }

// fork is that of a worker, which is nowhere yet.
func (pl *plunge) fork() plunge { return plunge{deepest: pl.deepest} }

// stay is the node that the plunge goes on to, nil if it has ended.
func (pl *plunge) stay() *node {
	if pl.next == nil || !pl.next.queued() {
		return nil
	}
	return pl.next
}

// below reports whether the domain and the basis are those of the parent of nd, which is about to change them.
func (pl *plunge) below(nd *node) bool {
	below := nd.parent != nil && pl.last == nd.parent
	pl.last = nil
	return below
}

// branched says that nd has children, and still its domain and basis.
func (pl *plunge) branched(nd *node) { pl.last, pl.next = nd, nil }

// prefer makes a child, if there is one, the next node.
func (pl *plunge) prefer(child *node) { pl.next = child }
