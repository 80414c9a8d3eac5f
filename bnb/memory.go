package bnb

// Sizes for the estimate of the memory in use, in bytes on a 64-bit machine unless a line names another unit. The
// copies, the vectors and the share were chosen by hand.
const (
	nodeBytes    = 256 // a node with its two places in the queue
	changeBytes  = 16
	reasonBytes  = 4
	startBytes   = 128 // a warm start without its statuses and weights
	weightBytes  = 2   // one edge weight in a warm start
	tightBytes   = 8   // one tight cut in a warm start
	cutBytes     = 192 // a cut of the pool without its entries
	entryBytes   = 12  // an entry of a row
	modelCopies  = 6   // copies of the entries: the model, two matrices here and two in the LP, its factors
	vectorBytes  = 320 // the vectors of the LP and the search, per row or column
	memoryGrowth = 2   // size of the heap of Go, as a multiple of what is live, at most
	memoryTight  = 0.8 // share of Options.MaxMemory from which the search goes depth first
)

// bytes is the estimated footprint of a node. A warm start is shared by the children of a node.
func (nd *node) bytes() int64 {
	n := int64(nodeBytes + changeBytes*cap(nd.changes) + reasonBytes*cap(nd.reasons) + 4*len(nd.branched))

	// Half of the shared warm start is counted at each of the two children.
	if w := nd.start; w != nil {
		n += int64(startBytes+len(w.statuses)+weightBytes*len(w.weights)+tightBytes*len(w.tight)) / 2
	}
	return n
}

// updateSize counts the present size of a node for the tree.
func (t *tree) updateSize(nd *node) {
	size := nd.bytes()
	t.bytes += size - nd.size
	nd.size = size
}

// release no longer counts a finished node without children, nor its ancestors up to the first with another child.
func (t *tree) release(nd *node) {
	// While other searches hold parts of the tree the number of children is known only where all parts come together.
	if t.shared {
		t.released = append(t.released, nd)
		return
	}

	// The bound changes of a node are needed as long as a descendant may replay them.
	for nd != nil && nd.children == 0 {
		t.bytes -= nd.size
		nd.size = 0
		if nd = nd.parent; nd != nil {
			nd.children--
		}
	}
}

// memory estimates the bytes that the search holds: model, LP, cuts, tree and solutions. The estimate depends only on
// the course of the search, so that a limit on it ends equal runs at the same node.
func (s *search) memory() int64 { return s.ownMemory() + s.tree.outside.bytes }

// ownMemory is the memory that this search holds, without those of other workers.
func (s *search) ownMemory() int64 {
	// The LP holds the rows of the model and the cuts; all other cuts are in the pool only.
	rows := int64(s.p.rows + len(s.lp.cuts))
	n := int64(modelCopies*entryBytes)*int64(s.p.byCol.NNZ()) + vectorBytes*(int64(s.p.n)+rows)
	n += cutBytes*int64(len(s.pool.cuts)) + 3*entryBytes*int64(s.pool.entries) + s.pool.hooked.bytes() +
		s.pool.others.bytes()
	n += s.tree.bytes + s.solutions.bytes(s.p.n)
	return memoryGrowth * n
}

// memoryLow reports whether the tree should be kept from growing.
func (s *search) memoryLow() bool {
	return float64(s.memory()) > memoryTight*float64(s.opt.MaxMemory)
}
