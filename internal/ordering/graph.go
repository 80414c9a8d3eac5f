package ordering

import "math"

// Graph is an undirected graph: the neighbours of vertex v are Adj[Start[v]:Start[v+1]]. Each edge occurs at both of
// its ends, no vertex is a neighbour of its own, and no neighbour occurs twice.
type Graph struct {
	Start []int
	Adj   []int32
}

// Order returns the number of vertices.
func (g *Graph) Order() int { return len(g.Start) - 1 }

// Degree returns the number of neighbours of v.
func (g *Graph) Degree(v int32) int { return g.Start[v+1] - g.Start[v] }

// Neighbours returns a view of the neighbours of v.
func (g *Graph) Neighbours(v int32) []int32 { return g.Adj[g.Start[v]:g.Start[v+1]] }

// Vertices far above the mean degree, chosen by hand.
const (
	farFromMean = 100 // multiple of the mean degree
	fewFar      = 0.5 // at most this multiple of the square root of the order
)

// denseDegree returns the degree above which a vertex is ordered last: it is a neighbour of most of the others after
// a few eliminations, and only slows the ordering down. The bound by the order of the graph is that of Amestoy, Davis
// and Duff, Algorithm 837: AMD, ACM TOMS 30 (2004), section 2.
//
// A few vertices far above the mean come last, too: the 43 dense columns of 4node with 4096 scenarios have degree 4100,
// the others 10, and the ordering took 16 seconds instead of one.
func denseDegree(g *Graph) int {
	n := g.Order()
	most := max(16, int(10*math.Sqrt(float64(n))))
	low := max(16, farFromMean*len(g.Adj)/max(1, n))
	if low >= most {
		return most
	}

	// Many of them would make a large clique at the end.
	count := 0
	for v := range int32(n) {
		if g.Degree(v) > low {
			count++
		}
	}
	if float64(count) > fewFar*math.Sqrt(float64(n)) {
		return most
	}
	return low
}
