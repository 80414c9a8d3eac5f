package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// tsp is a symmetric travelling salesman problem in the plane, with one binary column for every pair of cities.
type tsp struct {
	// n is the number of cities, and x and y are their coordinates.
	n    int
	x, y []float64
	// ends are the two cities of each column, the smaller one first.
	ends [][2]int
}

// random draws n cities in a square of side 1000.
func random(n int, seed uint64) *tsp {
	rng := rand.New(rand.NewPCG(seed, 100))
	t := &tsp{n: n}
	for range n {
		t.x = append(t.x, 1000*rng.Float64())
		t.y = append(t.y, 1000*rng.Float64())
	}

	// A column for every pair, in the order that column assumes.
	for i := range n {
		for j := i + 1; j < n; j++ {
			t.ends = append(t.ends, [2]int{i, j})
		}
	}
	return t
}

// distance is the cost of the edge between two cities.
func (t *tsp) distance(i, j int) float64 { return math.Hypot(t.x[i]-t.x[j], t.y[i]-t.y[j]) }

// column returns the column of a pair of cities. The pairs (i, j) with i < j are in lexicographic order.
func (t *tsp) column(i, j int) int {
	// The smaller city comes first.
	if i > j {
		i, j = j, i
	}
	return i*(2*t.n-i-1)/2 + j - i - 1
}

// model requires two edges at every city. The hooks add the rows that make a tour connected.
func (t *tsp) model() *lp.Model {
	m := &lp.Model{Name: "tsp"}
	for _, e := range t.ends {
		m.Binary("", t.distance(e[0], e[1]))
	}

	// The degree row of each city: it is entered once and left once.
	for i := range t.n {
		var edges []lp.Var
		for j := range t.n {
			if j != i {
				edges = append(edges, lp.Var(t.column(i, j)))
			}
		}
		m.Equal(2, lp.Total(edges...))
	}
	return m
}

// cut returns the subtour elimination constraint of a set of cities: at least two edges leave it. Every tour satisfies
// the constraint, so it is valid at all nodes of the tree.
func (t *tsp) cut(in []bool) bnb.Cut {
	c := bnb.Cut{Lower: 2, Upper: math.Inf(1)}
	for e, uv := range t.ends {
		// An edge leaves the set if one of its cities is inside.
		if in[uv[0]] != in[uv[1]] {
			c.Index = append(c.Index, int32(e))
			c.Value = append(c.Value, 1)
		}
	}
	return c
}

// components returns a number for every city, equal where edges above the threshold connect them.
func (t *tsp) components(x []float64, threshold float64) (of []int, count int) {
	// next has the neighbours of each city.
	next := make([][]int, t.n)
	for e, uv := range t.ends {
		if x[e] > threshold {
			next[uv[0]] = append(next[uv[0]], uv[1])
			next[uv[1]] = append(next[uv[1]], uv[0])
		}
	}

	// A search from every city that no search before has reached.
	of = slices.Repeat([]int{-1}, t.n)
	for i := range t.n {
		if of[i] >= 0 {
			continue
		}

		// The cities on the stack have their number already.
		of[i] = count
		for stack := []int{i}; len(stack) > 0; {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, w := range next[v] {
				if of[w] < 0 {
					of[w] = count
					stack = append(stack, w)
				}
			}
		}
		count++
	}
	return of, count
}

// disconnected returns a cut for every component of the edges above the threshold, if there are several. No edge above
// the threshold leaves a component, so that the cut is violated where the other edges are near zero.
func (t *tsp) disconnected(x []float64, threshold float64) []bnb.Cut {
	of, count := t.components(x, threshold)
	if count == 1 {
		return nil
	}

	// The set of a cut are the cities of one component.
	var cuts []bnb.Cut
	for k := range count {
		in := make([]bool, t.n)
		for i, c := range of {
			in[i] = c == k
		}
		cuts = append(cuts, t.cut(in))
	}
	return cuts
}

// lazy refuses points that fall into several cycles. It is called for every integral point before it counts as a
// solution: with two edges at every city such a point is a tour or several cycles.
func (t *tsp) lazy(_ context.Context, c bnb.Candidate) (bnb.Separation, error) {
	return bnb.Separation{Cuts: t.disconnected(c.X, 0.5)}, nil
}

// user separates fractional points: components first, then minimum cuts.
func (t *tsp) user(_ context.Context, c bnb.Candidate) (bnb.Separation, error) {
	// A search for components takes far less time than one for minimum cuts.
	cuts := t.disconnected(c.X, 1e-9)
	if cuts == nil {
		cuts = append(t.minimumCuts(c.X), t.blossoms(c.X)...)
	}
	return bnb.Separation{Cuts: cuts}, nil
}

// blossoms returns violated 2-matching inequalities (Edmonds 1965): an even number of edges leaves a set, so if an odd
// number of them is chosen, one more must be. The sets are the components of the fractional edges, the chosen edges
// those of value 1 (Padberg and Hong 1980).
func (t *tsp) blossoms(x []float64) []bnb.Cut {
	const eps = 1e-6
	fractional := make([]float64, len(x))
	for e, v := range x {
		// Edges of value 0 and 1 are not fractional.
		if v > eps && v < 1-eps {
			fractional[e] = 1
		}
	}

	// The handles of the inequalities: components of the fractional edges.
	of, count := t.components(fractional, 0.5)
	size := make([]int, count)
	for _, k := range of {
		size[k]++
	}

	// The edges that leave a component, with the coefficient -1 for the chosen ones, its teeth.
	cuts := make([]bnb.Cut, count)
	teeth := make([]int, count)
	for e, uv := range t.ends {
		a, b := of[uv[0]], of[uv[1]]
		if a == b {
			continue
		}

		// A tooth leaves two components, and counts for both.
		v := 1.0
		if x[e] >= 1-eps {
			v = -1
			teeth[a]++
			teeth[b]++
		}
		for _, k := range []int{a, b} {
			cuts[k].Index = append(cuts[k].Index, int32(e))
			cuts[k].Value = append(cuts[k].Value, v)
		}
	}

	// Only an odd number of teeth makes an inequality that the degree rows do not imply.
	out := cuts[:0]
	for k, c := range cuts {
		if size[k] > 1 && teeth[k]%2 == 1 {
			c.Lower = float64(1 - teeth[k])
			c.Upper = math.Inf(1)
			out = append(out, c)
		}
	}
	return out
}

// minimumCuts runs the algorithm of Stoer and Wagner (1997) on the edge values and returns the constraint of every
// cut of a phase below 2; the least of them is a minimum cut.
func (t *tsp) minimumCuts(x []float64) []bnb.Cut {
	w := make([][]float64, t.n)
	for i := range w {
		w[i] = make([]float64, t.n)
	}

	// w is the symmetric matrix of weights between the vertices that are left. Cities merge into vertices.
	for e, uv := range t.ends {
		w[uv[0]][uv[1]] = x[e]
		w[uv[1]][uv[0]] = x[e]
	}

	// Every city is a vertex of its own at first.
	alive := make([]int, t.n)
	merged := make([][]int, t.n) // the cities of a vertex
	for i := range t.n {
		alive[i] = i
		merged[i] = []int{i}
	}

	// A phase gives the cut around its last vertex, which is then merged with the one before it.
	var cuts []bnb.Cut
	for len(alive) > 1 {
		last, before, weight := phase(w, alive)
		if weight < 2-1e-6 {
			// The cut is around the cities that were merged into the last vertex.
			in := make([]bool, t.n)
			for _, i := range merged[last] {
				in[i] = true
			}
			cuts = append(cuts, t.cut(in))
		}

		// The weights of parallel edges add up.
		merged[before] = append(merged[before], merged[last]...)
		for _, v := range alive {
			w[before][v] += w[last][v]
			w[v][before] = w[before][v]
		}
		alive = slices.DeleteFunc(alive, func(v int) bool { return v == last })
	}
	return cuts
}

// phase orders the vertices by their connection to those before them; it returns the last two and the weight of the
// cut around the last.
func phase(w [][]float64, alive []int) (last, before int, weight float64) {
	sum := make([]float64, len(w))
	rest := slices.Clone(alive)
	for len(rest) > 0 {
		// The vertex with the largest connection comes next, the first of several.
		k := 0
		for l, v := range rest {
			if sum[v] > sum[rest[k]] {
				k = l
			}
		}
		before = last
		last = rest[k]
		weight = sum[last]
		rest = slices.Delete(rest, k, k+1)

		// The vertices left are connected to one vertex more.
		for _, v := range rest {
			sum[v] += w[last][v]
		}
	}
	return last, before, weight
}

// heuristic builds a tour along the edges of large value and improves it: an edge of value 1 counts as a tenth of its
// length.
func (t *tsp) heuristic(_ context.Context, c bnb.Candidate) (bnb.Separation, error) {
	// The shorter an edge counts, the earlier the tour takes it.
	tour := t.greedy(func(i, j int) float64 { return t.distance(i, j) * (1 - 0.9*c.X[t.column(i, j)]) })
	t.improve(tour)
	return bnb.Separation{Points: [][]float64{t.point(tour)}}, nil
}

// greedy begins in city 0 and goes to the nearest of the remaining cities, by the given length.
func (t *tsp) greedy(length func(i, j int) float64) []int {
	// The part of the list behind the present city are the cities that remain.
	tour := make([]int, t.n)
	for k := range tour {
		tour[k] = k
	}
	for k := 1; k < t.n; k++ {
		// The cities before k are in the tour already.
		best := k
		for l := k + 1; l < t.n; l++ {
			if length(tour[k-1], tour[l]) < length(tour[k-1], tour[best]) {
				best = l
			}
		}
		tour[k], tour[best] = tour[best], tour[k]
	}
	return tour
}

// improve reverses parts of the tour, and moves parts of up to three cities, while that makes it shorter.
func (t *tsp) improve(tour []int) {
	// Every step makes the tour shorter, so that the loop ends.
	for t.reverse(tour) || t.move(tour) {
	}
}

// reverse makes the first 2-opt step that shortens the tour, and reports whether there is one.
func (t *tsp) reverse(tour []int) bool {
	n := t.n
	for a := range n - 1 {
		for b := a + 2; b < n; b++ {
			// Edges p-q and r-s become p-r and q-s, for which the part between them is reversed.
			p, q := tour[a], tour[a+1]
			r, s := tour[b], tour[(b+1)%n]

			// The last edge of the tour has its first city as an end.
			if s != p && t.distance(p, r)+t.distance(q, s) < t.distance(p, q)+t.distance(r, s)-1e-9 {
				slices.Reverse(tour[a+1 : b+1])
				return true
			}
		}
	}
	return false
}

// move makes the first Or-opt step that shortens the tour, and reports whether there is one.
func (t *tsp) move(tour []int) bool {
	n := t.n
	for size := 1; size <= 3; size++ {
		for a := range n {
			// The part of the given size begins at position a; taking it out joins its neighbours.
			rotated := append(slices.Clone(tour[a:]), tour[:a]...)
			part, rest := rotated[:size], rotated[size:]
			first, last := part[0], part[size-1]
			end := rest[len(rest)-1]
			gain := t.distance(end, first) + t.distance(last, rest[0]) - t.distance(end, rest[0])

			// The part may go between any two neighbours of the rest, in either direction.
			for k := 0; k+1 < len(rest); k++ {
				p, q := rest[k], rest[k+1]
				straight := t.distance(p, first) + t.distance(last, q)
				turned := t.distance(p, last) + t.distance(first, q)
				if math.Min(straight, turned)-t.distance(p, q) >= gain-1e-9 {
					continue
				}

				// The shorter one of the two directions.
				moved := slices.Clone(part)
				if turned < straight {
					slices.Reverse(moved)
				}
				copy(tour, slices.Concat(rest[:k+1], moved, rest[k+1:]))
				return true
			}
		}
	}
	return false
}

// point returns the columns of a tour.
func (t *tsp) point(tour []int) []float64 {
	x := make([]float64, len(t.ends))

	// The tour is closed: the last city is joined to the first.
	for k, i := range tour {
		x[t.column(i, tour[(k+1)%t.n])] = 1
	}
	return x
}

// solve finds a shortest tour.
func (t *tsp) solve(ctx context.Context, opt bnb.Options) (bnb.Result, error) {
	// The tree starts from a tour, which bounds it from the first node on.
	tour := t.greedy(t.distance)
	t.improve(tour)
	opt.Start = [][]float64{t.point(tour)}
	return bnb.Solve(ctx, t.model(), opt, bnb.Hooks{Lazy: t.lazy, User: t.user, Heuristic: t.heuristic})
}
