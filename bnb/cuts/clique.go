package cuts

import (
	"cmp"
	"math/bits"
	"slices"
)

// cliqueSearch finds cliques of literals, at most one of them true, whose LP values sum to more than one: a branch and
// bound on the graph of the fractional literals that exclude each other.
type cliqueSearch struct {
	t        *cliqueTable
	nodes    []literal  // vertices, by decreasing weight
	weight   []float64  // LP value of each vertex
	position []int32    // by literal, its vertex, -1 for none
	adjacent [][]uint64 // bit sets over the vertices
	chosen   []int      // vertices on the path to the current node of the search
	best     []int
	heaviest float64 // weight of best
	steps    int     // nodes of the search from one vertex
	mark     []int32 // by literal, scratch of extend
	budget   int     // literals that extend may still look at in this round
}

// newCliqueSearch prepares the search for the literals of t.
func newCliqueSearch(t *cliqueTable) *cliqueSearch {
	return &cliqueSearch{t: t, position: slices.Repeat([]int32{-1}, len(t.of)), mark: make([]int32, len(t.of))}
}

// load builds the graph at the LP point. It returns false if it has too few vertices for a violated clique that is no
// edge, or too many to search.
func (s *cliqueSearch) load(x []float64, fractional []int32) bool {
	// The positions of the last graph are taken back first.
	for _, l := range s.nodes {
		s.position[l] = -1
	}
	s.nodes = s.nodes[:0]
	s.weight = s.weight[:0]
	for _, j := range fractional {
		// Both literals of a column are fractional; only those in a clique of the table can exclude others.
		for _, l := range []literal{literal(2 * j), literal(2*j + 1)} {
			if len(s.t.of[l]) > 0 {
				s.nodes = append(s.nodes, l)
			}
		}
	}
	if len(s.nodes) < 3 || len(s.nodes) > cliqueVertices {
		s.nodes = s.nodes[:0]
		return false
	}

	// The heaviest vertices come first, so that heavy cliques are found early.
	slices.SortStableFunc(s.nodes, func(a, b literal) int { return cmp.Compare(b.value(x), a.value(x)) })

	// All bit sets share one allocation.
	words := (len(s.nodes) + 63) / 64
	bitsAll := make([]uint64, words*len(s.nodes))
	s.adjacent = s.adjacent[:0]
	for k, l := range s.nodes {
		s.position[l] = int32(k)
		s.weight = append(s.weight, l.value(x))
		s.adjacent = append(s.adjacent, bitsAll[k*words:(k+1)*words])
	}
	s.connect()
	return true
}

// connect joins the vertices that exclude each other: members of a common clique of the table, and complements.
func (s *cliqueSearch) connect() {
	join := func(a, b int32) {
		s.adjacent[a][b/64] |= 1 << (b % 64)
		s.adjacent[b][a/64] |= 1 << (a % 64)
	}

	// Cliques of the table: only their vertices count.
	var members []int32
	for _, c := range s.t.cliques {
		members = members[:0]
		for _, l := range c {
			if p := s.position[l]; p >= 0 {
				members = append(members, p)
			}
		}
		for i, a := range members {
			for _, b := range members[:i] {
				join(a, b)
			}
		}
	}

	// A column and its complement; each pair is visited at its first vertex.
	for k, l := range s.nodes {
		if p := s.position[l^1]; p > int32(k) {
			join(int32(k), p)
		}
	}
}

// heaviestWith looks for the heaviest clique of vertex v and later ones (Carraghan and Pardalos 1990). It returns nil
// if none is heavier than 1, so that its row is violated.
func (s *cliqueSearch) heaviestWith(v int) []int {
	// The candidates are the later neighbours of v: cliques with an earlier one were found from there.
	cand := make([]uint64, len(s.adjacent[v]))
	total := 0.0
	for w := v + 1; w < len(s.nodes); w++ {
		if s.adjacent[v][w/64]>>(w%64)&1 != 0 {
			cand[w/64] |= 1 << (w % 64)
			total += s.weight[w]
		}
	}

	s.chosen = append(s.chosen[:0], v)
	s.best = nil
	s.heaviest = 1
	s.steps = 0
	s.grow(cand, s.weight[v], total)
	return s.best
}

// grow extends the chosen clique, of the given weight, by every candidate of the set cand in turn; total is the weight
// of the candidates, which bounds that of the extensions.
func (s *cliqueSearch) grow(cand []uint64, weight, total float64) {
	// A heavier clique replaces the best one.
	if weight > s.heaviest+cliqueTol {
		s.heaviest = weight
		s.best = append(s.best[:0], s.chosen...)
	}

	// The candidates leave the set one after the other, so that no clique is visited twice.
	for k := range cand {
		for cand[k] != 0 {
			if weight+total <= s.heaviest+cliqueTol || s.steps > cliqueSteps {
				return
			}
			s.steps++

			w := 64*k + bits.TrailingZeros64(cand[k])
			cand[k] &= cand[k] - 1
			total -= s.weight[w]

			// The later candidates that are adjacent to w remain.
			next := make([]uint64, len(cand))
			sum := 0.0
			for i := k; i < len(cand); i++ {
				next[i] = cand[i] & s.adjacent[w][i]
				for b := next[i]; b != 0; b &= b - 1 {
					sum += s.weight[64*i+bits.TrailingZeros64(b)]
				}
			}

			s.chosen = append(s.chosen, w)
			s.grow(next, weight+s.weight[w], sum)
			s.chosen = s.chosen[:len(s.chosen)-1]
		}
	}
}

// extend adds literals that exclude all members of the clique and each other, while the budget lasts.
func (s *cliqueSearch) extend(clique []literal) []literal {
	if s.budget < 0 {
		return clique
	}

	// A literal has mark k when it excludes the first k members. The marks count up with every member.
	s.budget -= len(s.mark)
	clear(s.mark)
	var common []literal
	for k, l := range clique {
		common = s.exclude(l, int32(k), common[:0])
	}

	n := int32(len(clique))
	for _, l := range common {
		if s.budget < 0 {
			break
		}

		// A literal of the clique, or its complement, would make the row useless.
		if s.mark[l] == n && !slices.Contains(clique, l) && !slices.Contains(clique, l^1) {
			s.exclude(l, n, nil)
			clique = append(clique, l)
			n++
		}
	}
	return clique
}

// exclude raises the marks of the literals that exclude l from k to k+1, and returns them appended to raised.
func (s *cliqueSearch) exclude(l literal, k int32, raised []literal) []literal {
	for _, id := range s.t.of[l] {
		s.budget -= len(s.t.cliques[id])
		for _, o := range s.t.cliques[id] {
			if s.mark[o] == k && o != l {
				s.mark[o] = k + 1
				raised = append(raised, o)
			}
		}
	}
	return raised
}

// clique adds the rows of violated cliques, one for every vertex as the first of its clique.
func (g *Generator) clique() {
	// The table of cliques does not depend on the LP point: it is built once.
	if g.cliques == nil {
		g.cliques = newCliqueSearch(newCliqueTable(g.m))
	}
	s := g.cliques
	if !s.load(g.v.x, g.fractional) {
		return
	}

	s.budget = cliqueExtend
	g.v.work += s.t.entries
	found := 0
	for v := 0; v < len(s.nodes) && found < maxCliques && !g.v.spent(); v++ {
		best := s.heaviestWith(v)
		g.v.work += (s.steps + 2) * len(s.adjacent[v])
		if best == nil {
			continue
		}

		// The clique may contain literals that are not fractional: they make the row stronger for other points.
		found++
		clique := make([]literal, 0, len(best))
		for _, w := range best {
			clique = append(clique, s.nodes[w])
		}
		g.add(atMostOne(s.extend(clique)), Clique)
	}
	g.v.work += cliqueExtend - s.budget
}

// atMostOne returns the row that at most one literal is true.
func atMostOne(clique []literal) Cut {
	slices.Sort(clique)
	c := Cut{Upper: 1}
	for _, l := range clique {
		// 1 - x_j moves its constant to the side.
		v := 1.0
		if l.negated() {
			v = -1
			c.Upper--
		}

		c.Index = append(c.Index, l.col())
		c.Value = append(c.Value, v)
	}
	return c
}
