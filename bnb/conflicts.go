package bnb

import (
	"cmp"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/sparse"
)

// Limits of what is learnt from dropped nodes. The numbers were chosen by hand.
const (
	conflictMax    = 80   // rows kept; a worker keeps this number for each worker
	conflictLength = 30   // columns in a row at most, plus conflictShare of the integer columns
	conflictShare  = 0.1  // see conflictLength
	conflictMargin = 1e-5 // least violation by the node's domain, relative to the largest term
	conflictZero   = 1e-9 // coefficient, relative to the largest one, below which a column is relaxed to its global bound
	conflictScale  = 1e-4 // share of the largest term that counts like a coefficient in that margin
	conflictNoise  = 1e-9 // rounding error of the side of a row, relative to its largest term
)

// conflict is a row row'x <= upper over integer columns that no better point violates. It is used by propagation
// only, never by an LP.
type conflict struct {
	index []int32
	value []float64
	base  float64 // upper without the objective
	// price is how much of the objective to beat (incumbent.strict) is in upper: 1 over the scale of a row from a node
	// cut off, 0 from an infeasible one.
	price  float64
	strict float64 // the objective to beat when it was learnt
	reach  float64 // largest amount that a column can add to the row
	used   int     // node at which it was learnt, or last tightened a bound
	id     int     // the count of learnt rows when it came
}

// upper is the side of the row for an objective to beat, without the offset.
func (c *conflict) upper(strict float64) float64 { return c.sideOf(c.base, strict) }

// sideOf is the same for another side without the objective.
func (c *conflict) sideOf(base, strict float64) float64 {
	if c.price > 0 {
		return base + c.price*strict
	}
	return base
}

// conflicts are rows learnt from the duals of node LPs that were infeasible or cut off (dual proofs: Witzig, Berthold,
// Heinz, Computational aspects of infeasibility analysis in MIP, 2021).
type conflicts struct {
	list   []*conflict
	kept   []keptTerm // scratch
	learnt int

	// The rows tighten nothing more for this domain, objective to beat, and number of learnt rows.
	seen       int
	seenStrict float64
	seenLearnt int

	limit     int  // rows kept
	exporting bool // new rows are kept for export
	pending   []*conflict
}

// keptTerm is a column of a proof whose local bound is tighter than the global one.
type keptTerm struct {
	col  int32
	coef float64
	loss float64 // what the proof loses if the global bound takes its place
}

// learn turns the proof behind a dropped node LP into a row. The proof is a Farkas ray if infeasible is set, else the
// duals at the cutoff.
func (q *conflicts) learn(s *search, infeasible bool) {
	defer s.clock.leave(s.clock.enter(PartConflicts))
	r := s.lp
	c := conflict{used: s.effort.nodes}
	var side float64
	if infeasible {
		// The ray must have a weight for every row that the LP has now.
		ray := r.s.Ray()
		if len(ray) != r.p.rows+len(r.cuts) {
			return
		}
		side = -r.combine(ray, nil, -1) // r.dual = -A'ray, so that r.dual'x <= side
	} else {
		side = -r.combine(r.s.RowDual(), r.p.cost, -1) // r.dual'x - side <= strict - offset
		c.price = 1
	}
	q.shorten(s, &c, side)
}

// shorten relaxes the columns whose local bound is the global one, then those that the proof can spare, and keeps
// the row if it is short.
func (q *conflicts) shorten(s *search, c *conflict, side float64) {
	d := s.dom
	r := s.lp

	// Coefficients are compared with the largest one, so that the scale of the proof does not matter.
	largest := sparse.Largest(r.dual)
	if largest == 0 {
		return
	}

	// The row is r.dual'x <= side: its least value over the local bounds violates the side.
	q.kept = q.kept[:0]
	least := 0.0
	scale := math.Abs(side)
	for j, z := range r.dual {
		if z == 0 {
			continue
		}

		// The terms are least at these bounds, at the node and in the whole tree.
		local := activity.Least(z, r.lower[j], r.upper[j])
		global := d.least(int32(j), z)
		if !s.p.integer[j] || local == global || math.Abs(z) < conflictZero*largest {
			// A term without a finite least value in the whole tree leaves no valid row.
			if math.IsInf(global, 0) {
				return
			}
			side -= z * global
			scale = math.Max(scale, math.Abs(z*global))
			continue
		}
		least += z * local
		scale = math.Max(scale, math.Abs(z*local))
		q.kept = append(q.kept, keptTerm{int32(j), z, z * (local - global)})
	}

	room := least - side // by which the local bounds violate the row

	// The row of a node that was cut off contains the objective, which must be below strict.
	if c.price > 0 {
		room -= s.inc.strict - s.p.offset
	}
	margin := conflictMargin * math.Max(largest, conflictScale*scale)

	// The comparison is written such that NaN keeps no row.
	if !(room > margin) {
		return
	}
	side, room = q.spare(s.dom, side+conflictNoise*scale, room-margin)
	s.graph.analyseProof(s, s.plunge.current, q.kept, c.sideOf(side, s.inc.strict-s.p.offset), room)
	q.keep(s, c, q.kept, side)
}

// spare drops the terms that the room allows, the cheapest first. It returns the side without them, and the room left.
func (q *conflicts) spare(d *domain, side, room float64) (newSide, left float64) {

	// The cheapest terms go first, so that as many as possible take their global bound.
	slices.SortStableFunc(q.kept, func(a, b keptTerm) int { return cmp.Compare(a.loss, b.loss) })
	k := 0
	for ; k < len(q.kept) && q.kept[k].loss <= room; k++ {
		t := q.kept[k]
		room -= t.loss
		side -= t.coef * d.least(t.col, t.coef)
	}
	q.kept = q.kept[k:]
	return side, room
}

// length is the number of columns that a row may have: a long one seldom tightens a bound.
func (q *conflicts) length(s *search) int {
	return conflictLength + int(conflictShare*float64(len(s.p.ints)))
}

// keep stores the row of the terms unless it is too long, or has no columns.
func (q *conflicts) keep(s *search, c *conflict, terms []keptTerm, side float64) {
	d := s.dom
	if len(terms) == 0 || len(terms) > q.length(s) {
		return
	}

	// The largest coefficient of a stored row is 1.
	largest := 0.0
	for _, t := range terms {
		largest = math.Max(largest, math.Abs(t.coef))
	}
	slices.SortFunc(terms, func(a, b keptTerm) int { return cmp.Compare(a.col, b.col) })
	for _, t := range terms {
		c.index, c.value = append(c.index, t.col), append(c.value, t.coef/largest)
		c.reach = math.Max(c.reach, math.Abs(t.coef)/largest*(d.globalUpper[t.col]-d.globalLower[t.col]))
	}
	c.base = side / largest
	c.strict = s.inc.strict
	c.price /= largest

	// Other workers get only what this one has learnt itself.
	if q.exporting {
		q.pending = append(q.pending, c)
	}
	q.add(c)
}

// add stores a row.
func (q *conflicts) add(c *conflict) {
	q.learnt++
	c.id = q.learnt
	if len(q.list) >= q.limit {
		q.forget()
	}
	q.list = append(q.list, c)
}

// find returns the row with that number, nil where it was forgotten.
func (q *conflicts) find(id int) *conflict {
	k, ok := slices.BinarySearchFunc(q.list, id, func(c *conflict, id int) int { return cmp.Compare(c.id, id) })
	if !ok {
		return nil
	}
	return q.list[k]
}

// export returns the rows that were learnt since the last call.
func (q *conflicts) export() []*conflict {
	list := q.pending
	q.pending = nil
	return list
}

// addCopy stores a row of another search, as if it had been learnt at node now.
func (q *conflicts) addCopy(c *conflict, now int) {
	own := *c
	own.used = now
	q.add(&own)
}

// fork returns a copy for a worker, which keeps new rows for export. With room for no more rows than one search has,
// those of the other workers would drive out its own, which are of use at its nodes: with eight workers neos17 took
// 77,000 nodes, with room for the rows of all 12,500.
func (q *conflicts) fork(workers int) conflicts {
	f := conflicts{limit: workers * conflictMax, learnt: q.learnt, exporting: true}
	for _, c := range q.list {
		own := *c
		f.list = append(f.list, &own)
	}
	return f
}

// forget drops the row that has been of no use for the longest time.
func (q *conflicts) forget() {
	old := 0
	for k, c := range q.list {
		if c.used < q.list[old].used {
			old = k
		}
	}
	q.list = slices.Delete(q.list, old, old+1)
}

// least is the least value of the row over the domain.
func (c *conflict) least(d *domain) float64 {
	sum := 0.0

	// The least value of a term is at the lower bound for a positive coefficient, else at the upper one.
	for k, j := range c.index {
		if v := c.value[k]; v > 0 {
			sum += v * d.lower[j]
		} else {
			sum += v * d.upper[j]
		}
	}
	return sum
}

// reaches reports whether some column of the row has a wider domain than the room above its least value.
func (c *conflict) reaches(d *domain, room float64) bool {
	// No column moves the row by more than its reach, over the global bounds.
	if room >= c.reach {
		return false
	}
	if room < 0 {
		return true
	}
	for k, j := range c.index {
		if math.Abs(c.value[k])*(d.upper[j]-d.lower[j]) > room {
			return true
		}
	}
	return false
}

// done reports whether propagation by the rows changes nothing: they were propagated over the same domain before.
func (q *conflicts) done(s *search) bool {
	same := q.seen == s.dom.version && q.seenStrict == s.inc.strict-s.p.offset && q.seenLearnt == q.learnt
	return same || len(q.list) == 0
}

// propagate tightens the domain by the rows. It returns false if one of them leaves no better point.
func (q *conflicts) propagate(s *search) bool {
	if q.done(s) {
		return true
	}
	d := s.dom
	defer d.endPropagation()
	strict := s.inc.strict - s.p.offset
	unchanged := d.version
	for _, c := range q.list {
		// The side depends on the objective to beat where the proof came from the cutoff.
		before := len(d.stack)
		upper := c.upper(strict)
		if !c.reaches(d, upper-c.least(d)) {
			continue
		}

		// A row that is of use stays longer: see forget.
		d.because(because(byProof, c.id))
		ok := s.prop.row(d, line{c.index, c.value, math.Inf(-1), upper})
		if !ok || len(d.stack) > before {
			c.used = s.effort.nodes
		}
		if !ok {
			return false
		}
	}

	// Nothing has changed: the next call need not repeat the pass until something does.
	if d.version == unchanged {
		q.seen = unchanged
		q.seenStrict = strict
		q.seenLearnt = q.learnt
	}
	return true
}
