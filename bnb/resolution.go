package bnb

import (
	"math"
	"slices"
)

// Limits of the resolution of rows. The numbers were chosen by hand.
const (
	resolveSteps    = 200  // rows that are added to a contradiction at most
	resolveLength   = 4    // columns on the way at most, as a multiple of those of a row that may be kept
	resolveMargin   = 1e-6 // least violation, relative to the largest coefficient
	resolveZero     = 1e-8 // coefficient, relative to the largest one, below which a column takes its global bound
	resolveFraction = 1e-3 // distance of a side from the integers at least, where it is rounded
	resolveExact    = 1e-9 // by which a bound that a row implies may differ from that of the trail
)

// resolution derives a row from the rows behind a contradiction. It begins with a row that the bounds of a node
// violate. Where it is violated only with the last bound that was made, a multiple of the row that this bound follows
// from is added, such that the column cancels (generalised resolution: Hooker 1988). Where the bound follows by
// rounding alone, mixed-integer rounding makes a row that implies it as it stands (Mexi, Serrano, Berthold, Gleixner,
// Nordstroem 2024, Cut-based conflict analysis in mixed integer programming). The sum is violated before that bound
// was made. This goes on until the row tightens a bound one level higher up in the tree, where the contradiction was
// not seen.
//
// The row holds for all better points in the whole tree, as do those that it is made of. It has integer columns alone:
// continuous ones take their global bounds.
type resolution struct {
	a *analysis
	s *search

	// The row is sum coef*x <= side, over the columns of the list.
	coef   []float64 // by column
	listed []bool    // by column
	cols   []int32
	side   float64
	scale  float64 // of the numbers that the side was computed from

	reason sideRow // scratch: the row that is added
	found  int     // rows so far that tighten a bound, with those that are too long to be kept
}

// sideRow is one side of a row over integer columns: value'x <= side.
type sideRow struct {
	index []int32
	value []float64
	side  float64
	scale float64 // of the numbers that the side was computed from
}

// begin makes the resolution that of an analysis.
func (q *resolution) begin(s *search, a *analysis) {
	q.s = s
	q.a = a
	if q.coef == nil {
		q.coef = make([]float64, s.p.n)
		q.listed = make([]bool, s.p.n)
	}
	q.clear()
}

// clear makes the row empty.
func (q *resolution) clear() {
	for _, j := range q.cols {
		q.coef[j] = 0
		q.listed[j] = false
	}
	q.cols = q.cols[:0]
	q.side = 0
	q.scale = 0
}

// add adds a multiple of a row.
func (q *resolution) add(factor float64, r *sideRow) {
	for k, j := range r.index {
		if !q.listed[j] {
			q.listed[j] = true
			q.cols = append(q.cols, j)
		}
		q.coef[j] += factor * r.value[k]
	}
	q.side += factor * r.side
	q.scale += math.Abs(factor) * r.scale
}

// fromFailure learns from the reason at which propagation has failed.
func (q *resolution) fromFailure(why reason) {
	l, ok := q.line(why)
	if !ok {
		return
	}

	// One of the sides of the row is violated.
	for _, upper := range [2]bool{true, false} {
		q.clear()
		if q.reason.set(q, l, upper) && q.run() {
			return
		}
	}
}

// fromProof learns from the terms of a row that the bounds of an LP violate.
func (q *resolution) fromProof(terms []keptTerm, side float64) {
	r := &q.reason
	r.index, r.value = r.index[:0], r.value[:0]
	r.side = side
	r.scale = math.Abs(side)
	for _, t := range terms {
		r.index, r.value = append(r.index, t.col), append(r.value, t.coef)
	}
	q.run()
}

// end is the position behind the last entry of the trail.
func (q *resolution) end() int32 { return int32(len(q.a.trail.entries)) }

// run begins with the row in reason, replaces bounds by the rows that they follow from, the latest first, and keeps the
// row that remains. It returns false where the bounds of the whole trail do not violate the first row.
func (q *resolution) run() bool {
	q.add(1, &q.reason)
	if !q.normalise() {
		return false
	}
	violation := q.violation(q.end())
	if !(violation > resolveMargin) {
		return false
	}

	t := &q.a.trail
	length := resolveLength * q.s.learnt.length(q.s)
	steps := 0
	for e := q.end() - 1; e >= 0 && t.entries[e].level > 0; e-- {
		// A bound that the row does not contain, or that it can spare, is left out.
		made := t.entries[e]
		v := q.coef[made.col]
		if v == 0 || (v > 0) == made.upper {
			continue
		}
		if without := violation - v*(made.value-t.value(made.col, made.upper, made.before)); without > resolveMargin {
			violation = without
			continue
		}

		// A row that tightens a bound before the present level is kept. The first row is stored elsewhere already.
		if q.asserts(q.levelBegin(e)) {
			if steps > 0 {
				q.keep()
			}
			return true
		}
		steps++
		if steps > resolveSteps || len(q.cols) > length || !q.resolve(e) {
			return true
		}
		if violation = q.violation(e); !(violation > resolveMargin) {
			return true
		}
	}
	return true
}

// levelBegin is the first entry of the level of entry e.
func (q *resolution) levelBegin(e int32) int32 {
	list := q.a.trail.entries
	for e > 0 && list[e-1].level == list[e].level {
		e--
	}
	return e
}

// violation is the amount by which the bounds before position p violate the row.
func (q *resolution) violation(p int32) float64 {
	if !q.a.x.visit(len(q.cols)) {
		return math.Inf(-1) // no more work may be spent: the row counts as satisfied
	}
	sum := -q.side
	for _, j := range q.cols {
		if v := q.coef[j]; v != 0 {
			sum += v * q.bound(j, v < 0, p)
		}
	}
	return sum
}

// bound is a bound of a column before position p.
func (q *resolution) bound(j int32, upper bool, p int32) float64 {
	t := &q.a.trail
	return t.value(j, upper, t.at(j, upper, p))
}

// asserts reports whether the row tightens the bound of a column before position p.
func (q *resolution) asserts(p int32) bool {
	room := -q.violation(p)
	if room < 0 {
		return true
	}
	for _, j := range q.cols {
		if v := math.Abs(q.coef[j]); v != 0 {
			width := q.bound(j, true, p) - q.bound(j, false, p)
			if math.Floor(room/v+integralBoundTo) < width {
				return true
			}
		}
	}
	return false
}

// resolve cancels the column of entry e by the row that its bound follows from. It returns false where that row, or
// what rounding makes of it, does not imply the bound.
func (q *resolution) resolve(e int32) bool {
	made := q.a.trail.entries[e]
	l, ok := q.line(made.why)
	if !ok {
		return false
	}
	at := slices.Index(l.index, made.col)
	if at < 0 {
		return false
	}

	// An upper bound follows from value'x <= side with a positive coefficient, a lower one with a negative coefficient.
	r := &q.reason
	if !r.set(q, l, (l.value[at] > 0) == made.upper) {
		return false
	}
	at = slices.Index(r.index, made.col)
	if !r.implies(q, at, e) && (!r.round(q, at, e) || !r.implies(q, at, e)) {
		return false
	}
	q.add(math.Abs(q.coef[made.col]/r.value[at]), r)
	q.coef[made.col] = 0
	return q.normalise()
}

// normalise scales the row such that its largest coefficient is 1. It returns false where a column with a coefficient
// below resolveZero has no finite global bound, or the numbers are out of range.
func (q *resolution) normalise() bool {
	largest := 0.0
	for _, j := range q.cols {
		largest = math.Max(largest, math.Abs(q.coef[j]))
	}
	if !(largest > 0) || math.IsInf(largest, 0) {
		return false
	}
	q.side /= largest
	q.scale /= largest

	kept := q.cols[:0]
	ok := true
	for _, j := range q.cols {
		v := q.coef[j] / largest
		q.coef[j] = v
		if math.Abs(v) >= resolveZero {
			kept = append(kept, j)
			continue
		}

		// The column leaves the row.
		if v != 0 {
			q.side -= v * q.s.dom.least(j, v)
			ok = ok && !math.IsInf(q.side, 0)
		}
		q.coef[j] = 0
		q.listed[j] = false
	}
	q.cols = kept
	return ok && !math.IsNaN(q.side)
}

// keep stores the row.
func (q *resolution) keep() {
	var terms []keptTerm
	for _, j := range q.cols {
		if v := q.coef[j]; v != 0 {
			terms = append(terms, keptTerm{col: j, coef: v})
		}
	}
	q.found++
	c := conflict{used: q.s.effort.nodes}
	q.s.learnt.keep(q.s, &c, terms, q.side+conflictNoise*q.scale)
}

// line is the row that a reason refers to, which may be a conflict over 0-1 columns.
func (q *resolution) line(why reason) (line, bool) {
	if why.kind() != byClause {
		return q.a.x.line(why)
	}
	c := q.s.clauses.find(why.place())
	if c == nil {
		return line{}, false
	}
	return c.line(q.s.p, q.s.dom)
}

// set makes the row one side of l, with its continuous columns at their global bounds. It returns false where that side
// or one of these bounds is infinite, or no more work may be spent.
func (r *sideRow) set(q *resolution, l line, upper bool) bool {
	if !q.a.x.visit(len(l.index)) {
		return false
	}
	sign, side := 1.0, l.upper
	if !upper {
		sign, side = -1, -l.lower
	}
	r.index, r.value = r.index[:0], r.value[:0]
	r.side = side
	r.scale = math.Abs(side)
	for k, j := range l.index {
		v := sign * l.value[k]
		switch {
		case v == 0:
		case q.s.p.integer[j]:
			r.index, r.value = append(r.index, j), append(r.value, v)
		default:
			least := v * q.s.dom.least(j, v)
			r.side -= least
			r.scale += math.Abs(least)
		}
	}
	return !math.IsInf(r.scale, 0) && !math.IsNaN(r.scale)
}

// implies reports whether the row implies the bound of entry e, that of the column at a place, without rounding.
func (r *sideRow) implies(q *resolution, at int, e int32) bool {
	room := r.side
	for k, j := range r.index {
		if k != at {
			room -= r.value[k] * q.bound(j, r.value[k] < 0, e)
		}
	}
	bound, made := room/r.value[at], q.a.trail.entries[e].value
	if r.value[at] > 0 {
		return bound <= made+resolveExact
	}
	return bound >= made-resolveExact
}

// round divides the row by the coefficient at a place, and makes it a mixed-integer rounding cut (Nemhauser, Wolsey
// 1990). Each column is the distance from one of its global bounds: if possible from the one at which it is before
// entry e, so that rounding takes nothing from what the row implies there. It returns false where there is nothing to
// round.
func (r *sideRow) round(q *resolution, at int, e int32) bool {
	t := &q.a.trail
	divisor := math.Abs(r.value[at])
	side := r.side / divisor
	scale := r.scale / divisor
	for k, j := range r.index {
		v := r.value[k] / divisor
		base := t.value(j, r.fromUpper(q, k, at, e), -1)
		side -= v * base
		scale += math.Abs(v * base)
	}

	// A fraction that is too large makes the cut weaker, never wrong; so the rounding error of the side is added to it.
	whole := math.Floor(side)
	fraction := side - whole + conflictNoise*math.Max(1, scale)
	if !(fraction > resolveFraction && fraction < 1-resolveFraction) {
		return false
	}

	r.side = whole
	for k, j := range r.index {
		upper := r.fromUpper(q, k, at, e)
		v := r.value[k] / divisor
		if upper {
			v = -v
		}
		down := math.Floor(v)
		v = down + math.Max(0, v-down-fraction)/(1-fraction)

		// Back from the distance to the column.
		if upper {
			v = -v
		}
		base := v * t.value(j, upper, -1)
		r.side += base
		scale += math.Abs(base)
		r.value[k] = v
	}
	r.scale = scale / (1 - fraction)
	return r.value[at] != 0
}

// fromUpper reports whether the column at place k is measured from its upper bound: the one whose bound follows from
// the row is measured from the bound that it leaves, the others from the one at which they are.
func (r *sideRow) fromUpper(q *resolution, k, at int, e int32) bool {
	t := &q.a.trail
	j, positive := r.index[k], r.value[k] > 0
	if k == at {
		return !positive
	}
	last := t.at(j, !positive, e)
	moved := t.value(j, !positive, last) != t.base(j, !positive, last)
	return positive == moved
}
