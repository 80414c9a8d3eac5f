package bnb

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/bnb/symmetry"
)

// Of points that symmetries of the problem map to each other one is enough. Each node keeps those that are largest, in
// the lexicographic order, in the columns that were branched on above it, in the order of the branchings (Margot 2003,
// Exploiting orbits in symmetric ILP; for integer columns van Doornmalen, Hojny 2022, A unified framework for symmetry
// handling). The points of one orbit have one largest tuple of values in these columns, and all that have it are in the
// same nodes. A branching adds a column; those of the points that are largest in it too are all in one child.
// So a point of every orbit is kept. Siblings have the same columns in the same order.
//
// Three reductions follow, for integer columns with any bounds:
//
//   - A symmetry that leaves the columns before one as they are lets that column be no less than its image
//     (lexicographic reduction).
//   - The symmetries that leave the values in all these columns as they are map the points of the node to points of
//     the node: bounds of one column hold for its whole orbit (orbital fixing: Margot 2003; Ostrowski, Linderoth,
//     Rossi, Smriglio 2011, Orbital branching).
//   - At a branching the orbit of the column under these symmetries is at most what the column is.
//
// What else tightens bounds or drops nodes holds for all points of the node that are better than the incumbent, so that
// it drops none of those that are kept for their orbits. At the root, and for the bounds of the whole tree, no column
// is branched on: there the orbits of the whole group have equal bounds.

// orbitPasses is the number of times that the reductions of a node and the propagation of its rows follow each other at
// most. Chosen by hand.
const orbitPasses = 5

// Symmetries are what was found of the symmetries of a model: of all its columns where rows break some of them, of its
// integer columns afterwards.
type Symmetries struct {
	Generators int // permutations that generate the group
	Orbits     int // sets of two columns or more that the group exchanges
	Columns    int // in these
	Rows       int // that were added to break symmetries of continuous columns
}

// orbits reduces the domains of nodes by the symmetries of the problem.
type orbits struct {
	group    *symmetry.Group // of the integer columns; nil without symmetries
	searched bool
	strict   float64 // objective to beat when the bounds of the whole tree were made equal in orbits

	// Scratch: the columns branched on above the node, and the elements that may not leave their values as they are.
	order   []int32
	listed  []int32 // by column: the last pass that has put it into the order
	pass    int32
	stopped []bool
	joins   symmetry.Classes
	reached []int32

	lower, upper []float64 // by column: bounds of its orbit, if it represents that
}

// fork returns the orbits of a worker.
func (q *orbits) fork() orbits {
	f := orbits{searched: true, strict: q.strict}
	f.take(q.group)
	return f
}

// take uses a group, nil for none.
func (q *orbits) take(g *symmetry.Group) {
	q.group = g
	if g != nil {
		q.listed = make([]int32, g.Columns())
		q.joins = symmetry.NewClasses(g.Columns())
		q.lower = make([]float64, g.Columns())
		q.upper = make([]float64, g.Columns())
		q.stopped = make([]bool, len(g.Elements))
	}
}

// mayUseSymmetry reports whether symmetries of the problem are symmetries of all that the search must satisfy. A
// sub-MIP, which needs a point and no proof, does without.
func (s *search) mayUseSymmetry() bool {
	h := &s.hooks
	asymmetric := (h.Lazy != nil || h.User != nil || h.Branch != nil) && !h.Symmetric
	return s.opt.Symmetry && !s.origin.subMIP && s.p.implied == nil && !asymmetric
}

// findSymmetries looks for the symmetries of the problem, once, before the root is branched on.
func (s *search) findSymmetries(ctx context.Context) {
	if s.orbits.searched || !s.mayUseSymmetry() {
		return
	}
	defer s.clock.leave(s.clock.enter(PartSymmetry))
	found, work := s.orbits.find(ctx, s.p)
	s.effort.spend(0, float64(work))
	if s.hooks.Symmetries != nil && found.Generators > 0 {
		s.hooks.Symmetries(found)
	}
}

// find looks for the symmetries of a problem.
func (q *orbits) find(ctx context.Context, p *problem) (Symmetries, int) {
	q.searched = true
	generators, work := p.symmetries(ctx)

	// What a symmetry does to continuous columns follows from the integer ones, for the LP of a node decides about them.
	for k := range generators {
		generators[k] = generators[k].Restrict(p.integer)
	}
	generators = slices.DeleteFunc(generators, func(g symmetry.Permutation) bool { return len(g.From) == 0 })
	if len(generators) == 0 {
		return Symmetries{}, work
	}
	q.take(symmetry.NewGroup(p.n, generators))
	q.strict = inf
	return describe(len(generators), q.group), work
}

// describe counts what a group moves.
func describe(generators int, g *symmetry.Group) Symmetries {
	found := Symmetries{Generators: generators, Orbits: len(g.Orbits)}
	for _, o := range g.Orbits {
		found.Columns += len(o)
	}
	return found
}

// symmetries returns generators of the symmetries of p, and the work of finding them.
func (p *problem) symmetries(ctx context.Context) ([]symmetry.Permutation, int) {
	m := &symmetry.Model{
		Cost:     p.cost,
		Lower:    p.lower,
		Upper:    p.upper,
		Integer:  p.integer,
		RowLower: p.rowLower,
		RowUpper: p.rowUpper,
		ByCol:    p.byCol,
		ByRow:    p.byRow,
	}
	return symmetry.Find(ctx, m, symmetry.DefaultOptions(p.byCol.NNZ()))
}

// moved returns those of the columns that symmetries move.
func (q *orbits) moved(cols []int32) []int32 {
	if q.group == nil {
		return nil
	}
	var list []int32
	for _, j := range cols {
		if len(q.group.Movers(j)) > 0 {
			list = append(list, j)
		}
	}
	return list
}

// reduceOrbits reduces the domain of the node, which is propagated, until neither symmetries nor rows tighten it. It
// returns false if no point is left.
func (s *search) reduceOrbits(nd *node) bool {
	q := &s.orbits
	if q.group == nil {
		return true
	}
	defer s.clock.leave(s.clock.enter(PartSymmetry))
	q.list(nd)

	// No reason is kept for a bound that a symmetry gives: in conflicts it counts as assumed.
	s.dom.because(assumed)
	for range orbitPasses {
		before := len(s.dom.stack)
		if !q.reduce(s.dom, s.inc.strict) {
			s.dom.untouch()
			return false
		}
		if len(s.dom.stack) == before {
			return true
		}
		if !s.propagate(false) {
			return false
		}
	}
	return true
}

// list makes the order that of the node: the columns branched on above it that symmetries move, from the root down.
func (q *orbits) list(nd *node) {
	q.order = q.order[:0]
	for ; nd != nil; nd = nd.parent {
		for _, j := range slices.Backward(nd.branched) {
			q.order = append(q.order, j)
		}
	}
	slices.Reverse(q.order)

	// A column that is branched on again keeps its first place.
	q.pass++
	q.order = slices.DeleteFunc(q.order, func(j int32) bool {
		again := q.listed[j] == q.pass
		q.listed[j] = q.pass
		return again
	})
}

// reduce tightens the domain of the node whose order is listed. It returns false if no point is left.
func (q *orbits) reduce(d *domain, strict float64) bool {
	// A better incumbent has tightened the bounds of the whole tree.
	if strict != q.strict {
		q.strict = strict
		if !q.equaliseGlobally(d) {
			return false
		}
	}
	return q.lexicographic(d) && q.equalise(d)
}

// equaliseGlobally gives the columns of each orbit of the whole group the tightest global bounds among them.
func (q *orbits) equaliseGlobally(d *domain) bool {
	for _, orbit := range q.group.Orbits {
		lo, up := tightest(d.globalLower, d.globalUpper, orbit)
		for _, j := range orbit {
			if !d.tightenGlobal(change{j, false, lo}) || !d.tightenGlobal(change{j, true, up}) {
				return false
			}
		}
	}
	return true
}

// tightest returns the largest lower bound and the least upper bound of the columns of a list.
func tightest(lower, upper []float64, list []int32) (lo, up float64) {
	lo, up = math.Inf(-1), inf
	for _, j := range list {
		lo = math.Max(lo, lower[j])
		up = math.Min(up, upper[j])
	}
	return lo, up
}

// lexicographic lets no column of the order be less than its image under an element that leaves the values before it as
// they are, and marks the elements that may not leave all values so.
func (q *orbits) lexicographic(d *domain) bool {
	clear(q.stopped)
	for _, j := range q.order {
		for _, m := range q.group.Movers(j) {
			if q.stopped[m.Element] {
				continue
			}
			if d.upper[m.To] > d.upper[j] && !d.tighten(change{m.To, true, d.upper[j]}) {
				return false
			}
			if d.lower[m.To] > d.lower[j] && !d.tighten(change{j, false, d.lower[m.To]}) {
				return false
			}
			q.stopped[m.Element] = !d.equal(j, m.To)
		}
	}
	return true
}

// stop marks the elements that may not leave the values in the columns of the order as they are.
func (q *orbits) stop(d *domain) {
	clear(q.stopped)
	for _, j := range q.order {
		for _, m := range q.group.Movers(j) {
			q.stopped[m.Element] = q.stopped[m.Element] || !d.equal(j, m.To)
		}
	}
}

// equalise gives the columns of each orbit under the elements that are not marked the tightest bounds among them.
func (q *orbits) equalise(d *domain) bool {
	if !slices.Contains(q.stopped, false) {
		return true
	}
	q.joinStabilised()

	// The bounds of an orbit are collected at its representative.
	for _, orbit := range q.group.Orbits {
		for _, j := range orbit {
			q.lower[j] = d.lower[j]
			q.upper[j] = d.upper[j]
		}
		for _, j := range orbit {
			root := q.joins.Find(j)
			q.lower[root] = math.Max(q.lower[root], d.lower[j])
			q.upper[root] = math.Min(q.upper[root], d.upper[j])
		}
		for _, j := range orbit {
			root := q.joins.Find(j)
			if q.lower[root] > d.lower[j] && !d.tighten(change{j, false, q.lower[root]}) {
				return false
			}
			if q.upper[root] < d.upper[j] && !d.tighten(change{j, true, q.upper[root]}) {
				return false
			}
		}
	}
	return true
}

// joinStabilised joins the columns that elements without a mark exchange. An element whose first and last columns are
// in the orbits of their images already is left out: it takes time and, for exchanges of blocks, changes nothing.
func (q *orbits) joinStabilised() {
	q.joins.Reset(q.group.Orbits)
	for k, e := range q.group.Elements {
		last := len(e.From) - 1
		if q.stopped[k] || q.joined(e.From[0], e.To[0]) && q.joined(e.From[last], e.To[last]) {
			continue
		}
		for i, j := range e.From {
			q.joins.Join(j, e.To[i])
		}
	}
}

// joined reports whether two columns are in one orbit.
func (q *orbits) joined(i, j int32) bool { return q.joins.Find(i) == q.joins.Find(j) }

// orbitOf returns the other columns in the orbit of column j under the symmetries that leave the values in the order of
// the node as they are.
func (q *orbits) orbitOf(d *domain, nd *node, j int32) []int32 {
	if q.group == nil || len(q.group.Movers(j)) == 0 {
		return nil
	}
	q.list(nd)
	q.stop(d)
	q.pass++
	q.listed[j] = q.pass
	q.reached = append(q.reached[:0], j)
	for k := 0; k < len(q.reached); k++ {
		for _, m := range q.group.Movers(q.reached[k]) {
			if !q.stopped[m.Element] && q.listed[m.To] != q.pass {
				q.listed[m.To] = q.pass
				q.reached = append(q.reached, m.To)
			}
		}
	}
	return q.reached[1:]
}

// branchedOn returns the columns of a branching, and adds to the child below that the orbit of its column is no more
// than the column.
func (s *search) branchedOn(nd *node, ch choice, sides *[2][]change) []int32 {
	if o := s.p.set(ch.col); o != nil {
		return o.cols
	}
	for _, j := range s.orbits.orbitOf(s.dom, nd, ch.col) {
		sides[0] = append(sides[0], change{j, true, math.Floor(ch.value)})
	}
	return []int32{ch.col}
}

// changed lists the columns that the children of a branching restrict, ascending.
func changed(children []*node) []int32 {
	var cols []int32
	for _, nd := range children {
		for _, c := range nd.changes {
			cols = append(cols, c.col)
		}
	}
	slices.Sort(cols)
	return slices.Compact(cols)
}
