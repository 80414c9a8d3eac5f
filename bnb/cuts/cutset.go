package cuts

import (
	"math"
	"slices"
)

// cutSets finds sets of nodes of a network that the flow at the LP point gets into only because columns that pay for
// arcs are fractional: by a maximal flow, from what has something to give to one node that needs d, through arcs no
// wider than their flow nor than d times the value of the column that pays for it: min(x, u y, d y). Where less than d
// arrives, the rows of the nodes that it does not get into are added up, and the sum is rounded like any other
// aggregation (T. Koch and A. Martin, Solving Steiner tree problems in graphs to optimality, Networks 32, 1998, for y
// alone; T. Achterberg and C. Raack, The MCF-separator, Mathematical Programming Computation 2, 2010). Walks along
// paths end after a few rows; these sets have any size.
type cutSets struct {
	n    *network
	v    *view
	vb   *variableBounds
	next [2]int32 // node to begin with, where what is needed comes in, and where what is there must go out

	width  []float64 // left of an arc, forwards and backwards
	reach  []bool    // nodes from which the one in need is reached
	parent []int32   // arc by which, as network.at has it
	inside []int32   // nodes of the set, as they were reached
	seen   map[uint64]bool

	failed int // rounds in a row without a cut
	until  int // round of the generator up to which there is none then
	last   int // and the one in which there were many
}

func newCutSets(n *network, v *view, vb *variableBounds) *cutSets {
	return &cutSets{n: n, v: v, vb: vb, width: make([]float64, 2*len(n.column)), reach: make([]bool, len(n.row)+1),
		parent: make([]int32, len(n.row)+1), seen: map[uint64]bool{}}
}

// cutSet rounds the sums of the rows of cut sets. After a round without a cut it rests, each time twice as long.
func (g *Generator) cutSet() {
	s := g.sets
	if s == nil || s.until >= g.rounds {
		return
	}
	clear(s.seen)
	found := 0
	for side := range 2 {
		found += s.search(side == 1, func() bool {
			g.sumOf(s)
			return g.round(CutSet)
		})
	}
	switch s.failed++; {
	case found == 0:
		s.until = g.rounds + 1<<min(s.failed, 30)
	case found >= cutSetsMany:
		s.failed, s.last = 0, g.rounds
	default:
		s.failed = 0
	}
}

// sumOf makes the aggregation the sum of the rows of a set of nodes: in it columns within the set cancel.
func (g *Generator) sumOf(s *cutSets) {
	a, n := g.agg, s.n
	a.clear()
	for _, v := range s.inside {
		g.v.work += len(g.v.rows[n.row[v]].Index)
		a.add(&g.v.rows[n.row[v]], n.row[v], n.weight[v])
	}
	for _, v := range s.inside {
		for _, k := range n.at[v] {
			if j := n.column[k/2]; k%2 == 0 && j >= 0 && s.reach[n.tail[k/2]] {
				a.coef[j], a.in[j] = 0, false
			}
		}
	}
	a.cols = slices.DeleteFunc(a.cols, func(j int32) bool { return !a.in[j] })
}

// search visits the sets, in the network or in the one with all arcs turned round, and returns how many of them gave a
// cut. It ends when the work is done, and after some nodes in a row without a cut; the next search goes on from there.
func (s *cutSets) search(turned bool, cut func() bool) (found int) {
	side := 0
	if turned {
		side = 1
	}
	nodes := int32(len(s.n.row))
	patience := max(cutSetFailures, nodes/cutSetShare)
	for left, failed := nodes, int32(0); left > 0 && failed < patience && !s.v.spent(); left-- {
		v := s.next[side]
		if s.next[side]++; s.next[side] == nodes {
			s.next[side] = 0
		}
		need := s.n.lower[v]
		if turned {
			need = -s.n.upper[v]
		}
		if !(need > 0) || math.IsInf(need, 0) {
			continue
		}
		if failed++; s.around(v, need, turned) && cut() {
			failed = 0
			found++
		}
	}
	return found
}

// around visits the set around node v that less than its need gets into. It reports whether there is one.
func (s *cutSets) around(v int32, need float64, turned bool) bool {
	s.widths(need, turned)
	for flow := 0.0; flow < need*(1-cutSetShort); {
		if !s.path(v, need*cutSetNoise) {
			return len(s.inside) > 1 && s.isNew() // walks begin with a row alone
		}
		flow += s.push(v, need-flow)
	}
	return false
}

// isNew reports whether the set has not come before in this round.
func (s *cutSets) isNew() bool {
	hash := uint64(0)
	for _, v := range s.inside {
		h := (uint64(v) + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		hash += h ^ h>>31
	}
	known := s.seen[hash]
	s.seen[hash] = true
	return !known
}

// widths are those of the arcs for a need, each a little wider than it is: of sets that are short by the same that
// leaves the one with the fewest arcs.
func (s *cutSets) widths(need float64, turned bool) {
	n := s.n
	s.v.work += len(n.column)
	for k, j := range n.column {
		w := 0.0
		switch {
		case j >= 0:
			w = s.v.x[j]
			if b := s.vb.nearestUpper(j); b != nil && b.slope > 0 && b.constant <= atBound && s.v.m.Lower[j] == 0 {
				w = min(w, need*s.v.x[b.col])
			}
		case !turned && n.tail[k] == n.outside():
			w = -n.lower[n.head[k]]
		case turned && n.head[k] == n.outside():
			w = n.upper[n.tail[k]]
		}
		w = min(max(w, 0)+cutSetCreep*need, need)
		s.width[2*k], s.width[2*k+1] = w, 0
		if turned {
			s.width[2*k], s.width[2*k+1] = 0, w
		}
	}
}

// path looks for a way from the outside to node v with more than that width, breadth first from v. Where there is none
// the nodes that v is reached from are the set.
func (s *cutSets) path(v int32, least float64) bool {
	clear(s.reach)
	s.reach[v], s.parent[v], s.inside = true, -1, append(s.inside[:0], v)
	for k := 0; k < len(s.inside); k++ {
		list := s.n.at[s.inside[k]]
		s.v.work += len(list)
		for _, a := range list {
			w := s.other(a)
			if s.width[a] <= least || s.reach[w] {
				continue
			}
			s.reach[w], s.parent[w] = true, a
			if w == s.n.outside() {
				return true
			}
			s.inside = append(s.inside, w)
		}
	}
	return false
}

// other is the far end of an arc that a node lists.
func (s *cutSets) other(a int32) int32 {
	if a%2 == 0 {
		return s.n.tail[a/2]
	}
	return s.n.head[a/2]
}

// push sends what there is room for, and no more than that much, along the path that was found. It returns how much.
func (s *cutSets) push(v int32, limit float64) float64 {
	step := limit
	for w := s.n.outside(); w != v; w = s.other(s.parent[w] ^ 1) {
		step = min(step, s.width[s.parent[w]])
	}
	for w := s.n.outside(); w != v; w = s.other(s.parent[w] ^ 1) {
		s.width[s.parent[w]] -= step
		s.width[s.parent[w]^1] += step
	}
	return step
}
