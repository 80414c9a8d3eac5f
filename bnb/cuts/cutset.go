package cuts

import (
	"math"
	"slices"
)

// setFinder finds sets of nodes of a network into which the flow at the LP point is sufficient only because columns
// that pay for arcs are fractional. For a node that needs an inflow of d it computes a maximal flow to the node from
// the nodes with a supply, where the capacity of an arc is neither more than its flow x nor than d times the value y of
// the column that pays for it: min(x, u y, d y). If less than d arrives, the rows of the nodes on the sink side of a
// minimal cut are added up, and the sum is rounded like any other aggregation (T. Koch and A. Martin, Solving Steiner
// tree problems in graphs to optimality, Networks 32, 1998, for y alone; T. Achterberg and C. Raack, The MCF-separator,
// Mathematical Programming Computation 2, 2010). Aggregations along paths end after a few rows; these sets have any
// size.
type setFinder struct {
	n  *network
	v  *view
	vb *variableBounds

	width  []float64 // residual capacities of an arc, forwards and backwards
	reach  []bool    // nodes from which the node in need can be reached
	parent []int32   // by node, the next arc towards the node in need, as in network.at
	inside []int32   // nodes of the set, in the order of the search
}

// newSetFinder prepares the search in n.
func newSetFinder(n *network, v *view, vb *variableBounds) *setFinder {
	nodes := len(n.row) + 1
	return &setFinder{
		n:      n,
		v:      v,
		vb:     vb,
		width:  make([]float64, 2*len(n.column)),
		reach:  make([]bool, nodes),
		parent: make([]int32, nodes),
	}
}

// cutSets is the state of the separator of cut sets from one search to the next.
type cutSets struct {
	next [2]int32        // node with which the next search begins, among demands and among supplies
	seen map[uint64]bool // hashes of the sets of this round

	failed int // consecutive rounds without a cut
	until  int // last round of the generator in which the search is left out
	last   int // the last round with many cuts
}

// setOfNode is the set that was found around a node in need.
type setOfNode struct {
	node int32
	need float64
	hash uint64
	met  bool // there is a set, which no batch before has met in this round
	cut  *Cut // nil if it gives none
}

// cutSet rounds the sums of the rows of cut sets. After a round without a cut it is left out, each time twice as long.
func (g *Generator) cutSet() {
	s := g.sets
	if s == nil || s.until >= g.rounds {
		return
	}

	// Each set of nodes is rounded once in a round, whatever node it was found around. The supplies are the demands of
	// the reversed network.
	clear(s.seen)
	found := g.searchSets(false) + g.searchSets(true)

	// A failure doubles the number of rounds until the next search.
	s.failed++
	switch {
	case found == 0:
		s.until = g.rounds + 1<<min(s.failed, 30)
	case found >= cutSetsMany:
		s.failed = 0
		s.last = g.rounds
	default:
		s.failed = 0
	}
}

// searchSets visits the sets around all nodes in need, in the network or in the one with all arcs reversed, and returns
// the number of cuts. It ends when the work is done, and after several consecutive nodes without a cut; the next search
// continues there.
func (g *Generator) searchSets(reversed bool) (found int) {
	s := g.sets
	next := &s.next[0]
	if reversed {
		next = &s.next[1]
	}
	list := g.finder.inNeed(*next, reversed)
	nodes := int32(len(g.finder.n.row))
	patience := max(cutSetFailures, nodes/cutSetShare)
	failed := int32(0)

	look := func(part *Generator, k int) { part.lookAround(&list[k], reversed, s.seen) }
	accept := func(k int) bool {
		o := &list[k]
		*next = (o.node + 1) % nodes
		failed++

		// A set may have been met twice in one batch.
		if o.met && !s.seen[o.hash] {
			s.seen[o.hash] = true
			if o.cut != nil {
				g.found = append(g.found, *o.cut)
				failed = 0
				found++
			}
		}
		return failed < patience
	}
	g.inOrder(len(list), func(int) {}, look, accept)
	return found
}

// lookAround finds the set around a node, and the cut that its rows give. It reads the sets that were seen before.
func (g *Generator) lookAround(o *setOfNode, reversed bool, seen map[uint64]bool) {
	f := g.finder
	if !f.find(o.node, o.need, reversed) {
		return
	}
	o.hash = f.hash()
	if o.met = !seen[o.hash]; !o.met {
		return
	}
	if g.sumOf(f); g.round(CutSet) {
		o.cut = g.take()
	}
}

// inNeed lists the nodes that must have a positive inflow, reversed those that must have a positive outflow, from node
// first on.
func (s *setFinder) inNeed(first int32, reversed bool) []setOfNode {
	var list []setOfNode
	nodes := int32(len(s.n.row))
	for k := range nodes {
		v := (first + k) % nodes
		need := s.n.lower[v]
		if reversed {
			need = -s.n.upper[v]
		}
		if need > 0 && !math.IsInf(need, 0) {
			list = append(list, setOfNode{node: v, need: need})
		}
	}
	return list
}

// sumOf makes the aggregation the sum of the rows of a set of nodes.
func (g *Generator) sumOf(s *setFinder) {
	// The flow conservation rows of the set, each times its weight, add up to the net inflow of the set.
	a, n := g.agg, s.n
	a.clear()
	for _, v := range s.inside {
		g.v.work += len(g.v.rows[n.row[v]].Index)
		a.add(&g.v.rows[n.row[v]], n.row[v], n.weight[v])
	}

	// The columns between two nodes of the set cancel: the arcs that come in from inside it.
	for _, v := range s.inside {
		for _, k := range n.at[v] {
			if j := n.column[k/2]; k%2 == 0 && j >= 0 && s.reach[n.tail[k/2]] {
				a.coef[j] = 0
				a.in[j] = false
			}
		}
	}
	a.cols = slices.DeleteFunc(a.cols, func(j int32) bool { return !a.in[j] })
}

// find finds the set around node v into which less than its need can flow, and reports whether there is one of several
// nodes.
func (s *setFinder) find(v int32, need float64, reversed bool) bool {
	s.widths(need, reversed)

	// A path adds to the flow; without one the flow is maximal and the set is a minimal cut.
	for flow := 0.0; flow < need*(1-cutSetShort); {
		if !s.path(v, need*cutSetNoise) {
			return len(s.inside) > 1 // aggregate has rounded single rows
		}
		flow += s.push(v, need-flow)
	}
	return false
}

// hash identifies the set by the sum of hashes of its nodes (as in SplitMix64).
func (s *setFinder) hash() uint64 {
	hash := uint64(0)
	for _, v := range s.inside {
		h := (uint64(v) + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		hash += h ^ h>>31
	}
	return hash
}

// widths sets the capacities for a need. Each is a little larger than in the definition, so that among sets with equal
// shortage the one with the fewest arcs is found.
func (s *setFinder) widths(need float64, reversed bool) {
	n := s.n
	s.v.work += len(n.column)
	for k, j := range n.column {
		w := 0.0
		switch {
		case j >= 0:
			w = s.v.x[j]
			if b := s.vb.nearestUpper(j); b != nil && s.pays(b, j) {
				w = min(w, need*s.v.x[b.col])
			}
		case !reversed && n.tail[k] == n.outside():
			w = -n.lower[n.head[k]]
		case reversed && n.head[k] == n.outside():
			w = n.upper[n.tail[k]]
		}

		// No capacity need be larger than the need itself.
		w = min(max(w, 0)+cutSetWiden*need, need)
		s.width[2*k] = w
		s.width[2*k+1] = 0
		if reversed {
			s.width[2*k] = 0
			s.width[2*k+1] = w
		}
	}
}

// pays reports whether the integer column of b pays for the arc of column j, whose flow is 0 where that column is 0.
func (s *setFinder) pays(b *variableBound, j int32) bool {
	return b.slope > 0 && b.constant <= atBound && s.v.m.Lower[j] == 0
}

// path looks for a path from the outside to node v with residual capacities above least, by breadth-first search from
// v. If there is none, the nodes from which v is reached are the set.
func (s *setFinder) path(v int32, least float64) bool {
	clear(s.reach)
	s.reach[v] = true
	s.parent[v] = -1
	s.inside = append(s.inside[:0], v)
	for k := 0; k < len(s.inside); k++ {
		list := s.n.at[s.inside[k]]
		s.v.work += len(list)
		for _, a := range list {
			w := s.other(a)
			if s.width[a] <= least || s.reach[w] {
				continue
			}

			s.reach[w] = true
			s.parent[w] = a
			if w == s.n.outside() {
				return true
			}
			s.inside = append(s.inside, w)
		}
	}
	return false
}

// other is the far end of an arc in the list of a node.
func (s *setFinder) other(a int32) int32 {
	if a%2 == 0 {
		return s.n.tail[a/2]
	}
	return s.n.head[a/2]
}

// push augments the flow along the path that was found, by at most limit, and returns the amount.
func (s *setFinder) push(v int32, limit float64) float64 {
	step := limit

	// The residual capacity of the path.
	for w := s.n.outside(); w != v; w = s.other(s.parent[w] ^ 1) {
		step = min(step, s.width[s.parent[w]])
	}

	for w := s.n.outside(); w != v; w = s.other(s.parent[w] ^ 1) {
		s.width[s.parent[w]] -= step
		s.width[s.parent[w]^1] += step
	}
	return step
}
