package ordering

import (
	"math/rand/v2"
)

// coarsen returns a smaller graph, in which matched vertices are one, and the vertex of each vertex of g. A vertex of
// it has at most maxWeight, unless a vertex of g has more.
func (g *weighted) coarsen(r *rand.Rand, maxWeight int32) (*weighted, []int32) {
	match := g.matchHeavy(r, maxWeight)
	g.matchDistant(match, maxWeight)
	to, count := numberPairs(match)
	return g.contract(match, to, count), to
}

// matchHeavy matches each vertex with the neighbour of the heaviest edge (G. Karypis, V. Kumar, A fast and high quality
// multilevel scheme for partitioning irregular graphs, SIAM Journal on Scientific Computing 20 (1998)), vertices of low
// degree first, in random order otherwise. A vertex without a match is its own.
func (g *weighted) matchHeavy(r *rand.Rand, maxWeight int32) []int32 {
	n := g.order()
	match := make([]int32, n)
	for v := range match {
		match[v] = -1
	}
	for _, v := range g.byDegree(r) {
		if match[v] >= 0 {
			continue
		}
		best := v
		heaviest := int32(-1)
		adj, edge := g.neighbours(v)
		for k, u := range adj {
			if match[u] < 0 && edge[k] > heaviest && g.weight[u]+g.weight[v] <= maxWeight {
				best = u
				heaviest = edge[k]
			}
		}
		match[v] = best
		match[best] = v
	}
	return match
}

// byDegree returns the vertices in random order, sorted by their degree up to a limit.
func (g *weighted) byDegree(r *rand.Rand) []int32 {
	n := g.order()
	limit := 1
	if n > 0 {
		limit = max(1, 7*len(g.adj)/(10*n)) // the part of the average degree that METIS 5 takes
	}
	shuffled := make([]int32, n)
	for v := range shuffled {
		shuffled[v] = int32(v)
	}
	r.Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })

	count := make([]int, limit+2)
	degree := func(v int32) int { return min(g.start[v+1]-g.start[v], limit) }
	for _, v := range shuffled {
		count[degree(v)+1]++
	}
	for d := range limit + 1 {
		count[d+1] += count[d]
	}
	out := make([]int32, n)
	for _, v := range shuffled {
		d := degree(v)
		out[count[d]] = v
		count[d]++
	}
	return out
}

// matchDistant matches vertices that have no match with others at distance two, if there are many: stars have no
// large matching (D. LaSalle, M. M. A. Patwary, N. Satish, N. Sundaram, P. Dubey, G. Karypis, Improving graph
// partitioning for modern graphs and architectures, IA3 2015).
func (g *weighted) matchDistant(match []int32, maxWeight int32) {
	single := 0
	for v, u := range match {
		if int(u) == v {
			single++
		}
	}
	if 10*single < len(match) {
		return
	}

	// The single neighbours of each vertex are paired in their order.
	for v := range int32(g.order()) {
		adj, _ := g.neighbours(v)
		last := int32(-1)
		for _, u := range adj {
			switch {
			case match[u] != u:
			case last >= 0 && g.weight[u]+g.weight[last] <= maxWeight:
				match[u] = last
				match[last] = u
				last = -1
			default:
				last = u
			}
		}
	}
}

// numberPairs numbers the pairs of a matching.
func numberPairs(match []int32) (to []int32, count int) {
	to = make([]int32, len(match))
	for v, u := range match {
		if int(u) < v {
			to[v] = to[u]
			continue
		}
		to[v] = int32(count)
		count++
	}
	return to, count
}

// contract returns the graph of the pairs. Weights of parallel edges are added.
func (g *weighted) contract(match, to []int32, count int) *weighted {
	c := &weighted{
		start:  make([]int, 1, count+1),
		adj:    make([]int32, 0, len(g.adj)),
		edge:   make([]int32, 0, len(g.adj)),
		weight: make([]int32, 0, count),
		total:  g.total,
	}

	// at[t] is the place of the last edge to t, plus one.
	at := make([]int, count)
	for v := range int32(g.order()) {
		u := match[v]
		if u < v {
			continue
		}

		// The pair of v and u, which is v alone if they are equal.
		k := to[v]
		from := len(c.adj)
		weight := g.weight[v]
		c.join(g, v, k, to, at, from)
		if u != v {
			weight += g.weight[u]
			c.join(g, u, k, to, at, from)
		}
		c.weight = append(c.weight, weight)
		c.start = append(c.start, len(c.adj))
	}
	return c
}

// join adds the edges of vertex v of g to those of vertex k, which begin at from.
func (c *weighted) join(g *weighted, v, k int32, to []int32, at []int, from int) {
	adj, edge := g.neighbours(v)
	for i, u := range adj {
		t := to[u]
		switch p := at[t]; {
		case t == k:
		case p > from && p <= len(c.adj) && c.adj[p-1] == t:
			c.edge[p-1] += edge[i]
		default:
			c.adj = append(c.adj, t)
			c.edge = append(c.edge, edge[i])
			at[t] = len(c.adj)
		}
	}
}
