package ordering

import "github.com/proxybd/proxybd/internal/splitmix"

// weighted is a graph with weights: a vertex stands for several vertices of the matrix, an edge for several edges.
type weighted struct {
	start  []int
	adj    []int32
	edge   []int32 // weights of the edges of adj
	weight []int32 // of the vertices
	total  int64   // of all vertices
}

// order returns the number of vertices.
func (g *weighted) order() int { return len(g.weight) }

// neighbours returns views of the neighbours of v and of the weights of the edges to them.
func (g *weighted) neighbours(v int32) (adj, edge []int32) {
	lo := g.start[v]
	hi := g.start[v+1]
	return g.adj[lo:hi], g.edge[lo:hi]
}

// sum computes the total weight.
func (g *weighted) sum() {
	g.total = 0
	for _, w := range g.weight {
		g.total += int64(w)
	}
}

// part returns the subgraph of the vertices with side[v] == s, in their order. at is scratch space for a number for
// each vertex of g.
func (g *weighted) part(side []int8, s int8, at []int32) *weighted {
	var vertices []int32
	edges := 0
	for v := range int32(g.order()) {
		if side[v] == s {
			at[v] = int32(len(vertices))
			vertices = append(vertices, v)
			edges += g.start[v+1] - g.start[v]
		}
	}

	// Edges to other parts are left out.
	sub := &weighted{
		start:  make([]int, 1, len(vertices)+1),
		adj:    make([]int32, 0, edges),
		edge:   make([]int32, 0, edges),
		weight: make([]int32, 0, len(vertices)),
	}
	for _, v := range vertices {
		adj, edge := g.neighbours(v)
		for k, u := range adj {
			if side[u] == s {
				sub.adj = append(sub.adj, at[u])
				sub.edge = append(sub.edge, edge[k])
			}
		}
		sub.start = append(sub.start, len(sub.adj))
		sub.weight = append(sub.weight, g.weight[v])
	}
	sub.sum()
	return sub
}

// compress returns the graph in which vertices with the same neighbours, each counted among its own, are one vertex,
// and the vertex of each vertex of g. Vertices with skip[v] are left out, and have vertex -1.
func compress(g *Graph, skip []bool) (*weighted, []int32) {
	first, to := g.twins(skip)
	c := &weighted{start: []int{0}, weight: make([]int32, len(first))}
	for _, k := range to {
		if k >= 0 {
			c.weight[k]++
		}
	}
	c.sum()

	// Vertices that became one have the same neighbours, so that those of the first one are enough.
	seen := make([]int32, len(first))
	for k, v := range first {
		seen[k] = int32(k) + 1
		for _, u := range g.Neighbours(v) {
			t := to[u]
			if t < 0 || seen[t] == int32(k)+1 {
				continue
			}
			seen[t] = int32(k) + 1
			c.adj = append(c.adj, t)
			c.edge = append(c.edge, c.weight[k]*c.weight[t])
		}
		c.start = append(c.start, len(c.adj))
	}
	return c, to
}

// twins numbers the classes of vertices with the same closed neighbourhoods, and returns the first vertex of each class
// and the class of each vertex, -1 if it is left out.
func (g *Graph) twins(skip []bool) (first, to []int32) {
	n := g.Order()
	to = make([]int32, n)
	for v := range to {
		to[v] = -1
	}
	mark := make([]int32, n)
	hash := g.hashes()
	for v := range int32(n) {
		if to[v] >= 0 || skip[v] {
			continue
		}

		// The twins of v are among its neighbours. The first one with the same hash makes it worth to mark those of v.
		to[v] = int32(len(first))
		first = append(first, v)
		marked := false
		for _, u := range g.Neighbours(v) {
			if u < v || to[u] >= 0 || skip[u] {
				continue
			}
			if hash[u] != hash[v] || g.Degree(u) != g.Degree(v) {
				continue
			}
			if !marked {
				g.markClosed(v, mark)
				marked = true
			}
			if g.closedMarked(u, v, mark) {
				to[u] = to[v]
			}
		}
	}
	return first, to
}

// hashes returns a hash of the closed neighbourhood of each vertex.
func (g *Graph) hashes() []uint64 {
	hash := make([]uint64, g.Order())
	for v := range hash {
		// A sum does not depend on the order of the neighbours; mix spreads their bits.
		h := splitmix.Mix(uint64(v))
		for _, u := range g.Neighbours(int32(v)) {
			h += splitmix.Mix(uint64(u))
		}
		hash[v] = h
	}
	return hash
}

// markClosed marks v and its neighbours with v+1.
func (g *Graph) markClosed(v int32, mark []int32) {
	mark[v] = v + 1
	for _, u := range g.Neighbours(v) {
		mark[u] = v + 1
	}
}

// closedMarked reports whether u and its neighbours have the mark of v.
func (g *Graph) closedMarked(u, v int32, mark []int32) bool {
	for _, w := range g.Neighbours(u) {
		if mark[w] != v+1 {
			return false
		}
	}
	return mark[u] == v+1
}
