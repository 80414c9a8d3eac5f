package bnb

import (
	"cmp"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/activity"
)

// Explanations of bounds.
const (
	explainNoise = 1e-9 // rounding error of the room of a row, relative to the size of its terms
	explainShare = 0.9  // of the room left that the bound of a continuous column may give way
)

// need is a bound that an explanation rests on: the entry of the trail from which on it holds, and its value, which
// may be weaker than that of the entry.
type need struct {
	entry int32
	value float64
}

// explainer derives bounds, and contradictions, once more from a reason and the bounds before them.
type explainer struct {
	s     *search
	t     *trail
	terms []explainTerm // scratch
	needs []need        // the last explanation

	visits int // terms of rows that may still be visited
}

// explainTerm is a term of a row at a bound that does not hold in the whole tree.
type explainTerm struct {
	entry int32
	coef  float64
	loss  float64 // that the least value of the row loses if the bound of the whole tree takes its place
}

// begin makes the explainer that of a search and a trail, which may visit a number of terms.
func (x *explainer) begin(s *search, t *trail, visits int) {
	x.s = s
	x.t = t
	x.visits = visits
}

// visit counts terms that are visited, and reports whether they were allowed.
func (x *explainer) visit(terms int) bool {
	x.visits -= terms
	return x.visits >= 0
}

// line returns the row that a reason refers to. The objective is the row p.rows.
func (x *explainer) line(why reason) (line, bool) {
	k := why.place()
	switch why.kind() {
	case byRow:
		if k == x.s.p.rows {
			return x.s.prop.objectiveLine(), true
		}
		if k < x.s.p.rows {
			index, value := x.s.p.byRow.Vec(k)
			return line{index, value, x.s.p.rowLower[k], x.s.p.rowUpper[k]}, true
		}
	case byCut:
		if k < len(x.s.pool.cuts) {
			c := x.s.pool.cuts[k]
			return line{c.index, c.value, c.lower, c.upper}, true
		}
	case byProof:
		if c := x.s.learnt.find(k); c != nil {
			return line{c.index, c.value, math.Inf(-1), c.upper(x.s.inc.strict - x.s.p.offset)}, true
		}
	}
	return line{}, false
}

// bound derives the bound c from the reason of entry e and from bounds before it. It returns false where that fails.
func (x *explainer) bound(c change, e int32) bool {
	x.needs = x.needs[:0]
	switch why := x.t.entries[e].why; why.kind() {
	case byAssumption:
		return false
	case byClause:
		return x.unit(why.place(), c, e)
	case byImplication:
		return x.implied(why.place(), c, e)
	default:
		l, ok := x.line(why)
		if !ok {
			return false
		}

		// The row excludes the first value beyond the bound.
		k := slices.Index(l.index, c.col)
		if k < 0 {
			return false
		}
		return x.excludes(l, (l.value[k] > 0) == c.upper, k, x.beyond(c), e)
	}
}

// beyond is the value beyond a bound that has to be excluded: what propagation would round back to the bound.
func (x *explainer) beyond(c change) float64 {
	step := -x.s.prop.tol * math.Max(1, math.Abs(c.value))
	if x.s.p.integer[c.col] {
		step = 1 - integralBoundTo
	}
	if c.upper {
		return c.value + step
	}
	return c.value - step
}

// contradiction derives from the reason at which propagation has failed that no point is left under the bounds of the
// whole trail.
func (x *explainer) contradiction(why reason) bool {
	x.needs = x.needs[:0]
	end := int32(len(x.t.entries))

	// The last change may have left its column without a value.
	if end > 0 {
		c := x.t.entries[end-1].change
		other := x.t.at(c.col, !c.upper, end)
		if gap := x.t.value(c.col, !c.upper, other) - c.value; c.upper == (gap > 0) && gap != 0 {
			return x.crossed(c, end)
		}
	}
	switch why.kind() {
	case byAssumption:
		return false
	case byClause:
		return x.unit(why.place(), change{col: -1}, end)
	case byImplication:
		return x.apart(why.place(), end)
	}
	l, ok := x.line(why)
	return ok && (x.excludes(l, true, -1, 0, end) || x.excludes(l, false, -1, 0, end))
}

// crossed needs both bounds of a column that has no value left between them, the one of c at the last entry.
func (x *explainer) crossed(c change, end int32) bool {
	other := c.opposite(x.s.p.integer[c.col])
	if !x.s.p.integer[c.col] {
		other.value = x.t.value(other.col, other.upper, x.t.at(other.col, other.upper, end))
	}
	return x.require(c, end) && x.require(other, end)
}

// require adds a bound to the explanation, at the entry from which on it holds. It returns false if the bound does not
// hold before position p.
func (x *explainer) require(c change, p int32) bool {
	e := x.t.at(c.col, c.upper, p)
	if c.tightens(x.t.value(c.col, c.upper, e)) {
		return false
	}
	if first := x.t.first(c, e); first >= 0 {
		x.needs = append(x.needs, need{first, c.value})
	}
	return true
}

// excludes finds bounds before position p under which one side of a row, the upper or the lower one, cannot be
// satisfied. Where target is a place in the row, its column has the value at instead of a bound.
func (x *explainer) excludes(l line, upper bool, target int, at float64, p int32) bool {
	sign, side := 1.0, l.upper
	if !upper {
		sign, side = -1, -l.lower
	}
	if math.IsInf(side, 1) {
		return false
	}

	if !x.visit(len(l.index)) {
		return false
	}

	// The row is sum sign*value*x <= side.
	x.terms = x.terms[:0]
	least, scale := 0.0, 0.0
	for k, j := range l.index {
		a := sign * l.value[k]
		if a == 0 {
			continue
		}
		term := a * at
		if k != target {
			e := x.t.at(j, a < 0, p)
			local := x.t.value(j, a < 0, e)
			term = a * local
			if base := x.t.base(j, a < 0, e); base != local {
				x.terms = append(x.terms, explainTerm{e, a, term - a*base})
			}
		}
		least += term
		scale += math.Abs(term)
	}

	// The tolerance is that of propagation.
	tol := x.s.prop.tol*math.Max(1, math.Abs(side)) + activityError*scale
	noise := explainNoise * math.Max(scale, math.Abs(side))
	room := least - side - tol
	continuous := target >= 0 && !x.s.p.integer[l.index[target]]

	// A bound of a continuous column was derived with equality. The comparison is written such that NaN explains nothing.
	if !(room > 0 || continuous && room > -noise) {
		return false
	}
	x.spare(room - noise)
	return true
}

// spare drops the terms that the room allows, the cheapest first, and weakens the bounds of the others by what is
// left. The rest becomes the explanation.
func (x *explainer) spare(room float64) {
	slices.SortStableFunc(x.terms, func(a, b explainTerm) int { return cmp.Compare(a.loss, b.loss) })
	k := 0
	for ; k < len(x.terms) && x.terms[k].loss <= room; k++ {
		room -= x.terms[k].loss
	}
	for _, t := range x.terms[k:] {
		c := x.t.entries[t.entry].change

		// An integer bound gives way by whole steps, which a 0-1 column has no room for.
		step := 0.0
		if room > 0 {
			step = explainShare * room / math.Abs(t.coef)
			if x.s.p.integer[c.col] {
				step = math.Floor(step)
			}
		}
		if c.upper {
			c.value += step
		} else {
			c.value -= step
		}
		room -= step * math.Abs(t.coef)
		x.needs = append(x.needs, need{x.t.first(c, t.entry), c.value})
	}
}

// proof adds the bounds of the columns that a violated row over the bounds of an LP needs; coefficients and bounds are
// those of the terms. It returns false if the trail does not have these bounds.
func (x *explainer) proof(terms []keptTerm, lower, upper []float64, room float64) bool {
	x.needs = x.needs[:0]
	end := int32(len(x.t.entries))
	for _, t := range terms {
		c := change{t.col, t.coef < 0, activity.Least(t.coef, lower[t.col], upper[t.col])}
		if room > 0 {
			step := math.Floor(explainShare * room / math.Abs(t.coef))
			room -= step * math.Abs(t.coef)
			if c.upper {
				c.value += step
			} else {
				c.value -= step
			}
		}
		if !x.require(c, end) {
			return false
		}
	}
	return true
}

// unit needs all bounds of a conflict but the opposite of c, which follows from the others; column -1 stands for none.
func (x *explainer) unit(id int, c change, p int32) bool {
	q := x.s.clauses.find(id)
	if q == nil {
		return false
	}
	found := c.col < 0
	for _, b := range q.bounds {
		if !found && b.col == c.col && b.upper != c.upper {
			o := b.opposite(x.s.p.integer[b.col])
			if c.tightens(o.value) {
				return false
			}
			found = true
			continue
		}
		if !x.require(b, p) {
			return false
		}
	}
	return found
}

// implied derives a bound from an implication: the bounds of its column from its literals, or the other value of an
// open literal from the bounds of its column.
func (x *explainer) implied(k int, c change, p int32) bool {
	q := &x.s.p.implied.list[k]
	if int32(q.Var) != c.col {
		return x.fixes(k, c.col, p) && x.outside(k, p)
	}
	own := q.Lower
	if c.upper {
		own = q.Upper
	}
	return !c.tightens(own) && x.fixes(k, -1, p)
}

// apart needs the literals of an implication and the bound of its column that contradicts them.
func (x *explainer) apart(k int, p int32) bool { return x.fixes(k, -1, p) && x.outside(k, p) }

// fixes needs the literals of an implication but the one of a column.
func (x *explainer) fixes(k int, but int32, p int32) bool {
	for _, l := range x.s.p.implied.list[k].If {
		if j := int32(l.Var); j != but && !x.require(change{j, l.Is == 0, float64(l.Is)}, p) {
			return false
		}
	}
	return true
}

// outside needs the bound of the column of an implication that is beyond the other bound that it implies.
func (x *explainer) outside(k int, p int32) bool {
	q := &x.s.p.implied.list[k]
	j := int32(q.Var)
	for _, upper := range [2]bool{false, true} {
		v := x.t.value(j, upper, x.t.at(j, upper, p))
		tol := x.s.prop.tol * math.Max(1, math.Abs(v))
		below := upper && v+tol < q.Lower
		above := !upper && v-tol > q.Upper
		if below || above {
			return x.require(change{j, upper, v}, p)
		}
	}
	return false
}
