package bnb

// plunge is the path of the search through the tree: the current node, and the next one, near the last basis.
type plunge struct {
	current *node // being processed, nil between two nodes
	last    *node // processed last and branched on; the domain and the basis are still its own
	next    *node // child to take next
	start   int   // depth at which the plunge began
	deepest int   // of all nodes so far
}

// enter makes nd, which has left the queue, the current node; fresh begins a plunge there. Its sibling comes next
// unless a child replaces it.
func (pl *plunge) enter(nd *node, fresh bool) {
	pl.current = nd
	pl.next = nil
	if fresh {
		pl.start = nd.depth
	}
	pl.deepest = max(pl.deepest, nd.depth)

	// A sibling that is no longer queued was processed or closed.
	if nd.sibling != nil && nd.sibling.queued() {
		pl.next = nd.sibling
	}
}

// leave ends the processing of the current node.
func (pl *plunge) leave() { pl.current = nil }

// reset is called when another tree takes the place of the tree.
func (pl *plunge) reset() { *pl = plunge{} }

// fork is the plunge of a worker, which has no node yet.
func (pl *plunge) fork() plunge { return plunge{deepest: pl.deepest} }

// following is the node that the plunge goes on to, nil if it has ended.
func (pl *plunge) following() *node {
	if pl.next == nil || !pl.next.queued() {
		return nil
	}
	return pl.next
}

// below reports whether the domain and the basis are those of the parent of nd, which is about to change them.
func (pl *plunge) below(nd *node) bool {
	// The basis is that of the last node only until the next LP.
	below := nd.parent != nil && pl.last == nd.parent
	pl.last = nil
	return below
}

// branched records that nd has children, and that the domain and the basis are still its own.
func (pl *plunge) branched(nd *node) {
	pl.last = nd
	pl.next = nil
}

// prefer makes a child, if there is one, the next node.
func (pl *plunge) prefer(child *node) { pl.next = child }
