package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// steiner is a Steiner tree problem: a tree of least cost that connects the terminals of a graph. Column 2e is edge e
// in its direction, column 2e+1 against it: an arborescence from the first terminal to all others.
type steiner struct {
	// n is the number of vertices.
	n int
	// ends are the two vertices of each edge, the smaller one first, and cost is its length.
	ends [][2]int
	cost []float64
	// terminals are the vertices to connect. The first one is the root.
	terminals []int
	// out are the arcs (columns) that leave each vertex.
	out [][]int
}

// random draws a connected graph: vertices in a square, edges between near ones, costs their lengths.
func random(n, terminals int, seed uint64) *steiner {
	rng := rand.New(rand.NewPCG(seed, 200))
	points := make([][2]float64, n)

	// The vertices are in the unit square.
	for i := range points {
		points[i] = [2]float64{rng.Float64(), rng.Float64()}
	}

	// Lengths are whole numbers, so that bounds can be rounded up.
	length := func(i, j int) float64 {
		return math.Ceil(1000 * math.Hypot(points[i][0]-points[j][0], points[i][1]-points[j][1]))
	}

	// An edge is added once, whichever of its ends asks for it.
	s := &steiner{n: n, terminals: rng.Perm(n)[:terminals]}
	joined := map[[2]int]bool{}
	add := func(i, j int) {
		e := [2]int{min(i, j), max(i, j)}
		if !joined[e] {
			joined[e] = true
			s.ends = append(s.ends, e)
			s.cost = append(s.cost, length(i, j))
		}
	}

	// A tree, so that the graph is connected.
	for i := 1; i < n; i++ {
		near := 0
		for j := range i {
			if length(i, j) < length(i, near) {
				near = j
			}
		}
		add(i, near)
	}

	// The edges to the three nearest of every vertex.
	for i := range n {
		order := rng.Perm(n)
		slices.SortStableFunc(order, func(a, b int) int { return int(length(i, a) - length(i, b)) })
		for _, j := range order[1:min(4, n)] {
			if j != i {
				add(i, j)
			}
		}
	}
	s.link()
	return s
}

// link lists the arcs that leave each vertex.
func (s *steiner) link() {
	s.out = make([][]int, s.n)

	// Both directions of an edge are arcs.
	for e, uv := range s.ends {
		s.out[uv[0]] = append(s.out[uv[0]], 2*e)
		s.out[uv[1]] = append(s.out[uv[1]], 2*e+1)
	}
}

// tail is the vertex that an arc leaves.
func (s *steiner) tail(a int) int { return s.ends[a/2][a%2] }

// head is the vertex that an arc enters.
func (s *steiner) head(a int) int { return s.ends[a/2][1-a%2] }

// model holds one binary column for every arc; at most one arc enters a vertex, none the root, exactly one
// every other terminal. The hooks add the rows that make the root reach the terminals.
func (s *steiner) model() *lp.Model {
	m := &lp.Model{Name: "steiner"}
	entering := make([][]lp.Var, s.n)

	// An arc into the root is fixed at 0: no arborescence from the root has it.
	for a := range 2 * len(s.ends) {
		arc := m.Binary("", s.cost[a/2])
		if s.head(a) == s.terminals[0] {
			m.Cols[arc].Upper = 0
		}
		entering[s.head(a)] = append(entering[s.head(a)], arc)
	}

	// A vertex that is no terminal may be outside the tree.
	for v, arcs := range entering {
		switch k := slices.Index(s.terminals, v); {
		case k < 0:
			m.AtMost(1, lp.Total(arcs...))
		case k > 0:
			m.Equal(1, lp.Total(arcs...))
		}
	}
	return m
}

// cut returns the row that at least one arc enters the set of vertices.
func (s *steiner) cut(in []bool) bnb.Cut {
	// The row holds at every tree that connects the terminals.
	c := bnb.Cut{Lower: 1, Upper: math.Inf(1)}
	for a := range 2 * len(s.ends) {
		// An arc enters the set if it leads from outside to inside.
		if !in[s.tail(a)] && in[s.head(a)] {
			c.Index = append(c.Index, int32(a))
			c.Value = append(c.Value, 1)
		}
	}
	return c
}

// separate sends a flow of 1 from the root to every terminal, with x as capacities, and returns the connectivity
// constraints of the minimum cuts that are too small, several disjoint ones for a terminal (nested cuts: Koch and
// Martin 1998).
func (s *steiner) separate(x []float64) []bnb.Cut {
	var cuts []bnb.Cut
	rest := make([]float64, len(x))
	for _, t := range s.terminals[1:] {
		// Capacities are what the flow to this terminal leaves of x.
		copy(rest, x)
		flow := 0.0

		// A path that augments the flow, or else a cut.
		for flow < 1-1e-6 {
			more, reached := s.augment(rest, t, 1-flow)
			if more == 0 {
				// The cut is around the vertices that the root does not reach.
				for v := range reached {
					reached[v] = !reached[v]
				}
				c := s.cut(reached)
				cuts = append(cuts, c)
				for _, a := range c.Index {
					rest[a] = 1 // the next cut has none of these arcs
				}
			}
			flow += more
		}
	}
	return cuts
}

// augment sends at most the amount along a shortest path of residual arcs from the root to t, or returns 0 and the
// vertices that the root reaches.
func (s *steiner) augment(rest []float64, t int, amount float64) (float64, []bool) {
	// Capacities below eps are rounding of the linear program.
	const eps = 1e-9
	root := s.terminals[0]
	via := slices.Repeat([]int{-1}, s.n)
	reached := make([]bool, s.n)
	reached[root] = true

	// A breadth-first search finds a path of the fewest arcs (Edmonds and Karp 1972).
	for queue := []int{root}; len(queue) > 0 && !reached[t]; queue = queue[1:] {
		for _, a := range s.out[queue[0]] {
			if v := s.head(a); !reached[v] && rest[a] > eps {
				reached[v] = true
				via[v] = a
				queue = append(queue, v)
			}
		}
	}
	if !reached[t] {
		return 0, reached
	}

	// The least capacity on the path limits the flow. Arcs a and a^1 are each other's reverse.
	for v := t; v != root; v = s.tail(via[v]) {
		amount = math.Min(amount, rest[via[v]])
	}
	for v := t; v != root; v = s.tail(via[v]) {
		rest[via[v]] -= amount
		rest[via[v]^1] += amount
	}
	return amount, nil
}

// lazy refuses points in which the root does not reach every terminal; user cuts off fractional points.
func (s *steiner) lazy(_ context.Context, c bnb.Candidate) (bnb.Separation, error) {
	return bnb.Separation{Cuts: s.separate(c.X)}, nil
}

// heuristic connects the terminals one by one along shortest paths (Takahashi and Matsuyama 1980) for lengths that
// the relaxation makes short where it uses an arc.
func (s *steiner) heuristic(_ context.Context, c bnb.Candidate) (bnb.Separation, error) {
	// The tree begins with the root.
	x := make([]float64, len(c.X))
	in := make([]bool, s.n)
	in[s.terminals[0]] = true
	for range s.terminals[1:] {
		dist, via := s.paths(in, c.X)

		// The nearest terminal that the tree does not have yet is connected next.
		next := -1
		for _, t := range s.terminals {
			if !in[t] && (next < 0 || dist[t] < dist[next]) {
				next = t
			}
		}
		if next < 0 {
			break
		}

		// The path joins the tree.
		for v := next; !in[v]; v = s.tail(via[v]) {
			in[v] = true
			x[via[v]] = 1
		}
	}
	return bnb.Separation{Points: [][]float64{x}}, nil
}

// paths computes the distance of every vertex from the set, and the arc by which it is reached, by Dijkstra's
// algorithm.
func (s *steiner) paths(from []bool, x []float64) (dist []float64, via []int) {
	dist = slices.Repeat([]float64{math.Inf(1)}, s.n)
	via = make([]int, s.n)
	done := make([]bool, s.n)
	for v, in := range from {
		if in {
			dist[v] = 0
		}
	}

	// The nearest vertex that is not done yet has its final distance.
	for range s.n {
		v := -1
		for w := range s.n {
			if !done[w] && (v < 0 || dist[w] < dist[v]) {
				v = w
			}
		}

		// An arc that the relaxation uses counts as a tenth of its cost.
		done[v] = true
		for _, a := range s.out[v] {
			if d := dist[v] + s.cost[a/2]*(1-0.9*math.Max(x[a], x[a^1])); d < dist[s.head(a)] {
				dist[s.head(a)] = d
				via[s.head(a)] = a
			}
		}
	}
	return dist, via
}

// solve finds a tree of least cost.
func (s *steiner) solve(ctx context.Context, opt bnb.Options) (bnb.Result, error) {
	return bnb.Solve(ctx, s.model(), opt, bnb.Hooks{Lazy: s.lazy, User: s.lazy, Heuristic: s.heuristic})
}
