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

// denseDegree returns the degree above which a vertex of a graph with n vertices is ordered last: it is a neighbour of
// most of the others after a few eliminations, and only slows the ordering down. The factor 10 is that of Amestoy,
// Davis and Duff, Algorithm 837: AMD, ACM TOMS 30 (2004), section 2.
func denseDegree(n int) int { return max(16, int(10*math.Sqrt(float64(n)))) }
