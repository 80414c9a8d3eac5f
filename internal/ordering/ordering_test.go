package ordering

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// grid returns the graph of a grid of the given shape, where neighbours differ by one in one coordinate.
func grid(nx, ny, nz int) *Graph {
	at := func(x, y, z int) int32 { return int32((z*ny+y)*nx + x) }
	var edges [][2]int32
	for z := range nz {
		for y := range ny {
			for x := range nx {
				if x > 0 {
					edges = append(edges, [2]int32{at(x, y, z), at(x-1, y, z)})
				}
				if y > 0 {
					edges = append(edges, [2]int32{at(x, y, z), at(x, y-1, z)})
				}
				if z > 0 {
					edges = append(edges, [2]int32{at(x, y, z), at(x, y, z-1)})
				}
			}
		}
	}
	return fromEdges(nx*ny*nz, edges)
}

// fromEdges returns a graph of n vertices; edges that occur twice, and those from a vertex to itself, are left out.
func fromEdges(n int, edges [][2]int32) *Graph {
	lists := make([][]int32, n)
	for _, e := range edges {
		if e[0] != e[1] {
			lists[e[0]] = append(lists[e[0]], e[1])
			lists[e[1]] = append(lists[e[1]], e[0])
		}
	}
	g := &Graph{Start: []int{0}}
	for _, list := range lists {
		slices.Sort(list)
		g.Adj = append(g.Adj, slices.Compact(list)...)
		g.Start = append(g.Start, len(g.Adj))
	}
	return g
}

// randomGraph returns one of several kinds of graphs: sparse, with hubs, of cliques, in several components, complete.
func randomGraph(r *rand.Rand) *Graph {
	n := 1 + r.IntN(300)
	var edges [][2]int32
	vertex := func() int32 { return int32(r.IntN(n)) }

	switch r.IntN(5) {
	case 0: // sparse, perhaps with isolated vertices
		for range r.IntN(4 * n) {
			edges = append(edges, [2]int32{vertex(), vertex()})
		}

	case 1: // hubs
		for range 3 * n {
			edges = append(edges, [2]int32{vertex(), vertex() / int32(1+r.IntN(50))})
		}

	case 2: // the normal equations of a random matrix
		for range n {
			column := make([]int32, 1+r.IntN(6))
			for i := range column {
				column[i] = vertex()
				for _, j := range column[:i] {
					edges = append(edges, [2]int32{column[i], j})
				}
			}
		}

	case 3: // components
		size := 1 + r.IntN(20)
		for range 4 * n {
			i := r.IntN(n)
			edges = append(edges, [2]int32{int32(i), int32(min(i/size*size+r.IntN(size), n-1))})
		}

	case 4: // complete
		n = min(n, 40)
		for i := range n {
			for j := range i {
				edges = append(edges, [2]int32{int32(i), int32(j)})
			}
		}
	}
	return fromEdges(n, edges)
}

// fill returns the entries below the diagonal of the factor, by elimination on sets of neighbours.
func fill(g *Graph, order []int32) int {
	sets := make([]map[int32]bool, g.Order())
	for v := range sets {
		sets[v] = map[int32]bool{}
		for _, u := range g.Neighbours(int32(v)) {
			sets[v][u] = true
		}
	}
	total := 0
	for _, v := range order {
		total += len(sets[v])
		for u := range sets[v] {
			delete(sets[u], v)
			for w := range sets[v] {
				if w != u {
					sets[u][w] = true
				}
			}
		}
	}
	return total
}

// exactMinimumDegree is the greedy ordering with exact degrees and no supervariables.
func exactMinimumDegree(g *Graph) []int32 {
	n := g.Order()
	adjacent := make([][]bool, n)
	for v := range adjacent {
		adjacent[v] = make([]bool, n)
		for _, u := range g.Neighbours(int32(v)) {
			adjacent[v][u] = true
		}
	}

	// Eliminated vertices keep their entries in the matrix, and are neighbours of no vertex.
	done := make([]bool, n)
	neighbours := func(v int) []int {
		var out []int
		for u, yes := range adjacent[v] {
			if yes && !done[u] {
				out = append(out, u)
			}
		}
		return out
	}

	// A vertex of least degree is next, the first of several.
	var order []int32
	for range n {
		best, least := -1, n
		for v := range n {
			if d := len(neighbours(v)); !done[v] && d < least {
				best, least = v, d
			}
		}

		// Its elimination makes neighbours of all its neighbours.
		clique := neighbours(best)
		done[best] = true
		for _, u := range clique {
			for _, w := range clique {
				adjacent[u][w] = u != w
			}
		}
		order = append(order, int32(best))
	}
	return order
}

// checkPermutation fails if the order does not have each vertex once.
func checkPermutation(t *testing.T, order []int32, n int) {
	t.Helper()
	seen := make([]bool, n)
	for _, v := range order {
		if seen[v] {
			t.Fatalf("vertex %d twice", v)
		}
		seen[v] = true
	}
	if len(order) != n {
		t.Fatalf("%d of %d vertices", len(order), n)
	}
}

// TestMinimumDegree holds the fill beside that of exact degrees, in the sum over random graphs: the approximation may
// not lose more than a few per cent.
func TestMinimumDegree(t *testing.T) {
	approximate, exact := 0, 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 2))
		g := randomGraph(r)
		order := MinimumDegree(g, nil)
		checkPermutation(t, order, g.Order())
		if g.Order() > 150 {
			continue
		}
		approximate += fill(g, order)
		exact += fill(g, exactMinimumDegree(g))
	}
	t.Logf("fill %d, with exact degrees %d", approximate, exact)
	if float64(approximate) > 1.05*float64(exact) {
		t.Errorf("fill %d, with exact degrees %d", approximate, exact)
	}
}

// TestMinimumDegreeTree orders trees and cycles, where no elimination of least degree makes more than one edge.
func TestMinimumDegreeTree(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := 1 + r.IntN(200)
		var edges [][2]int32
		for v := 1; v < n; v++ {
			edges = append(edges, [2]int32{int32(v), int32(r.IntN(v))})
		}
		g := fromEdges(n, edges)
		if got := fill(g, MinimumDegree(g, nil)); got != n-1 {
			t.Errorf("seed %d: a tree of %d vertices has a factor of %d entries", seed, n, got)
		}
	}
}

// TestHubs orders grids with a few vertices of far higher degree than the others, which have to come last: the lists of
// their elements would be read at nearly every elimination.
func TestHubs(t *testing.T) {
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 8))
		plain := grid(150, 150, 1)
		n := plain.Order()
		hubs := 1 + r.IntN(5)

		// Each hub is a neighbour of nearly 1000 vertices of the grid; the others have at most nine neighbours.
		var edges [][2]int32
		for v := range int32(n) {
			for _, u := range plain.Neighbours(v) {
				edges = append(edges, [2]int32{v, u})
			}
		}
		for h := range hubs {
			for range 1000 {
				edges = append(edges, [2]int32{int32(n + h), int32(r.IntN(n))})
			}
		}
		g := fromEdges(n+hubs, edges)

		// The test means something only if the limit is between these degrees.
		if limit := denseDegree(g); limit >= 900 || limit < 100 {
			t.Fatalf("seed %d: vertices of degree above %d come last", seed, limit)
		}

		// The hubs have the last numbers, and have to be at the end of both orderings.
		for name, order := range map[string][]int32{
			"minimum degree":    MinimumDegree(g, nil),
			"nested dissection": NestedDissection(g, 1, nil),
		} {
			checkPermutation(t, order, g.Order())
			if least := slices.Min(order[n:]); int(least) < n {
				t.Errorf("seed %d: %s orders vertex %d after a hub", seed, name, least)
			}
		}
	}
}

// TestStages orders with stages: no vertex is eliminated before an earlier stage, unless that makes no new edges.
func TestStages(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 4))
		g := randomGraph(r)
		stage := make([]int32, g.Order())
		stages := 1 + r.IntN(5)
		for v := range stage {
			stage[v] = int32(r.IntN(stages))
		}
		order := minimumDegree(g, slices.Clone(stage), stages, nil)
		checkPermutation(t, order, g.Order())
	}
}
