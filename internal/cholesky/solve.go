package cholesky

import (
	"fmt"
	"slices"

	"github.com/proxybd/proxybd/internal/f64"
)

// solution is the order in which a triangular system is solved: groups of subtrees at the same time, and the fronts
// above them. The sums of a group are added to those of the others in the order of the groups, so that the groups
// decide the bits. They do not depend on the number of threads.
type solution struct {
	groups []group
	top    []int32 // fronts above the groups, in ascending order
	rows   []int32 // rows above the groups that have sums of them, group by group
}

// group is a range of fronts that is closed under children, whose sums are for a range of the rows.
type group struct {
	first, last int32
	rows, end   int
}

const (
	minSolveEntries = 100000   // of a factor, from which it has groups; fewer are read before another thread starts
	groupShare      = 1.0 / 16 // largest part of the entries that a group has
)

// newSolution cuts the tree into subtrees, and joins neighbours to groups.
func newSolution(s *Symbolic) solution {
	entries := make([]float64, len(s.fronts))
	for k := range s.fronts {
		entries[k] = float64(s.fronts[k].pivots) * float64(s.fronts[k].size)
	}
	var out solution
	total := float64(s.stored())
	if total >= minSolveEntries {
		out.groups = joinNeighbours(cut(s.fronts, entries, groupShare*total), groupShare*total)
	}

	// The fronts between groups are above them.
	next := int32(0)
	mark := make([]bool, s.n)
	for k := range out.groups {
		g := &out.groups[k]
		for ; next < g.first; next++ {
			out.top = append(out.top, next)
		}
		next = g.last + 1
		g.rows = len(out.rows)
		out.rows = s.appendRowsAbove(out.rows, g, mark)
		g.end = len(out.rows)
	}
	for ; int(next) < len(s.fronts); next++ {
		out.top = append(out.top, next)
	}
	return out
}

// joinNeighbours joins subtrees next to each other to groups with at most the given number of entries.
func joinNeighbours(subtrees []subtree, most float64) []group {
	var groups []group
	work := 0.0
	for _, t := range subtrees {
		last := len(groups) - 1
		if last >= 0 && groups[last].last+1 == t.first && work+t.work <= most {
			groups[last].last = t.last
			work += t.work
			continue
		}
		groups = append(groups, group{first: t.first, last: t.last})
		work = t.work
	}
	return groups
}

// appendRowsAbove appends the rows of the fronts of a group that are pivots of fronts above it, each once. They are all
// in roots of subtrees. mark is false everywhere before and after.
func (s *Symbolic) appendRowsAbove(list []int32, g *group, mark []bool) []int32 {
	from := len(list)
	for k := g.first; k <= g.last; k++ {
		f := &s.fronts[k]
		if f.parent >= 0 && f.parent <= g.last {
			continue
		}
		for _, row := range s.frontRows(f) {
			if !mark[row] {
				mark[row] = true
				list = append(list, row)
			}
		}
	}
	for _, row := range list[from:] {
		mark[row] = false
	}
	return list
}

// Solve replaces the right-hand side x, of length n, by the solution of A x = b. It panics if the length is another
// one.
func (f *Factor) Solve(x []float64) {
	if len(x) != f.n {
		panic(fmt.Sprintf("cholesky: right-hand side of length %d for order %d", len(x), f.n))
	}
	for k, i := range f.perm {
		f.x[k] = x[i]
	}

	// L D is the transpose of W, so that L D y = b gives the y of L' x = y.
	s := &f.solution
	own := &f.workers[0]
	f.spread(len(s.groups), func(w *worker, k int) { f.forwardGroup(w, &s.groups[k]) })
	for k, row := range s.rows {
		f.x[row] += f.sums[k]
	}
	for _, k := range s.top {
		f.forward(&f.fronts[k], f.x, own.y)
	}
	for _, k := range slices.Backward(s.top) {
		f.backward(&f.fronts[k], own.y)
	}
	f.spread(len(s.groups), func(w *worker, k int) {
		for front := s.groups[k].last; front >= s.groups[k].first; front-- {
			f.backward(&f.fronts[front], w.y)
		}
	})

	for k, i := range f.perm {
		x[i] = f.x[k]
	}
}

// SolveMany is Solve for each right-hand side.
func (f *Factor) SolveMany(xs [][]float64) {
	for _, x := range xs {
		f.Solve(x)
	}
}

// forwardGroup solves the rows of a group in L D y = b. Its part of the rows above goes to the sums.
func (f *Factor) forwardGroup(w *worker, g *group) {
	lo := f.fronts[g.first].first
	hi := f.fronts[g.last].first + f.fronts[g.last].pivots
	copy(w.x[lo:hi], f.x[lo:hi])
	for front := g.first; front <= g.last; front++ {
		f.forward(&f.fronts[front], w.x, w.y)
	}
	copy(f.x[lo:hi], w.x[lo:hi])

	// The next group finds zeros again in the rows above.
	for k, row := range f.solution.rows[g.rows:g.end] {
		f.sums[g.rows+k] = w.x[row]
		w.x[row] = 0
	}
}

// forward solves the rows of the pivots of a front in L D y = b, and subtracts their part from the rows below. work is
// as long as the rows below.
func (f *Factor) forward(front *front, x, work []float64) {
	size := int(front.size)
	pivots := int(front.pivots)
	w := f.values[front.values : front.values+size*pivots]
	y := x[front.first : front.first+front.pivots]
	for p := range y {
		row := w[p*size : p*size+pivots]
		y[p] /= row[p]
		for i := p + 1; i < pivots; i++ {
			y[i] -= row[i] * y[p]
		}
	}

	rows := f.frontRows(front)
	if len(rows) == 0 {
		return
	}
	if pivots <= 2 {
		subtractFew(x, rows, w[pivots:], size, y)
		return
	}

	// The rows below are neighbours in a sum, whose parts are subtracted from where they belong.
	sum := work[:len(rows)]
	f64.Gemm(false, false, 1, len(rows), pivots, 1, y, pivots, w[pivots:], size, 0, sum, len(rows))
	for i, v := range sum {
		x[rows[i]] -= v
	}
}

// subtractFew subtracts the part of one or two pivots y from rows of x, without a product.
func subtractFew(x []float64, rows []int32, w []float64, size int, y []float64) {
	first := w[:len(rows)]
	if len(y) == 1 {
		for i, row := range rows {
			x[row] -= first[i] * y[0]
		}
		return
	}
	second := w[size:][:len(rows)]
	for i, row := range rows {
		x[row] -= first[i]*y[0] + second[i]*y[1]
	}
}

// backward solves the rows of the pivots of a front in L' x = y, when the rows below are solved. work is as long as
// these.
func (f *Factor) backward(front *front, work []float64) {
	size := int(front.size)
	pivots := int(front.pivots)
	w := f.values[front.values : front.values+size*pivots]
	x := f.x[front.first : front.first+front.pivots]
	rows := f.frontRows(front)
	below := work[:len(rows)]
	for i, row := range rows {
		below[i] = f.x[row]
	}

	for p := pivots - 1; p >= 0; p-- {
		row := w[p*size : (p+1)*size]
		sum := dot(row[p+1:pivots], x[p+1:]) + dot(row[pivots:], below)
		x[p] -= sum / row[p]
	}
}

// dot is f64.Dot, without the call for short vectors.
func dot(x, y []float64) float64 {
	if len(x) >= 12 {
		return f64.Dot(x, y)
	}
	sum := 0.0
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}
