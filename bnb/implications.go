package bnb

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// implications are the constraints that the search imposes by branching: where 0-1 columns have values, another
// column is within bounds. Propagation applies them to the domain, the LP gets the bounds of those whose literals are
// fixed, and a point is checked against them before it is accepted. A node whose integer columns are all fixed has an
// exact LP.
type implications struct {
	list []lp.Implication
	// of are the implications that a column has a part in, as a literal or as the column restricted.
	of [][]int32
	// targets are the continuous columns that are restricted, and at the implications that restrict a column.
	targets  []int32
	at       [][]int32
	sets     []lp.Places
	switches []lp.Switch
	tol      float64 // by which bounds may cross, relative to max(1, |bound|)
}

// newImplications reads those of a model, whose points hold to a tolerance; nil for a model without.
func newImplications(m *lp.Model, tol float64) *implications {
	b := m.Branched()
	if !b.Any() {
		return nil
	}
	n := len(m.Cols)
	q := &implications{
		list:     b.Implications,
		of:       make([][]int32, n),
		at:       make([][]int32, n),
		sets:     b.Sets,
		switches: b.Switches,
		tol:      tol,
	}
	for k, c := range q.list {
		q.of[c.Var] = append(q.of[c.Var], int32(k))
		for _, l := range c.If {
			q.of[l.Var] = append(q.of[l.Var], int32(k))
		}

		// The LP has the bounds of integer columns from the domain.
		if !m.Cols[c.Var].Integer && len(q.at[c.Var]) == 0 {
			q.targets = append(q.targets, int32(c.Var))
		}
		q.at[c.Var] = append(q.at[c.Var], int32(k))
	}
	return q
}

// decided reports how many literals of an implication are open over bounds of columns; false where one fails.
func decided(c *lp.Implication, lower, upper []float64) (open int, ok bool) {
	for _, l := range c.If {
		switch v := float64(l.Is); {
		case v < lower[l.Var] || v > upper[l.Var]:
			return 0, false
		case lower[l.Var] < upper[l.Var]:
			open++
		}
	}
	return open, true
}

// impliedBounds returns the bounds of the continuous column j where columns have the bounds lower and upper: those of
// the model and of the implications whose literals hold. Bounds that cross within the tolerance leave one value.
func (p *problem) impliedBounds(j int32, lower, upper []float64) (lo, up float64) {
	lo, up = p.lower[j], p.upper[j]
	for _, k := range p.implied.at[j] {
		c := &p.implied.list[k]
		if open, ok := decided(c, lower, upper); ok && open == 0 {
			lo = math.Max(lo, c.Lower)
			up = math.Min(up, c.Upper)
		}
	}

	// A point at either bound satisfies the other one to the tolerance.
	if lo > up && lo <= up+p.implied.tol*math.Max(1, math.Abs(up)) {
		lo = up
	}
	return lo, up
}

// eachTarget calls do with the bounds of every continuous column that implications restrict, where columns have the
// bounds lower and upper, until do returns false. It returns false then.
func (p *problem) eachTarget(lower, upper []float64, do func(j int32, lo, up float64) bool) bool {
	if p.implied == nil {
		return true
	}
	for _, j := range p.implied.targets {
		lo, up := p.impliedBounds(j, lower, upper)
		if !do(j, lo, up) {
			return false
		}
	}
	return true
}

// implicationViolation returns the largest violation of an implication at x.
func (p *problem) implicationViolation(x []float64) float64 {
	worst := 0.0
	if p.implied == nil {
		return worst
	}
	for k := range p.implied.list {
		worst = math.Max(worst, p.implied.list[k].Violation(x))
	}
	return worst
}

// start applies the implications of the touched columns, or all. It returns false where no point is left.
func (q *implications) start(d *domain, all bool, tol float64) bool {
	if all {
		for k := range q.list {
			if !q.apply(d, k, tol) {
				return false
			}
		}
		return true
	}

	// The list grows by the columns that are tightened here: follow visits those.
	for _, j := range d.touched[:len(d.touched):len(d.touched)] {
		if !q.visit(d, j, tol) {
			return false
		}
	}
	return true
}

// follow applies the implications of the columns whose changes are on the stack from an entry on, until nothing
// changes. It moves at to the end of the stack and returns false where no point is left.
func (q *implications) follow(d *domain, at *int, tol float64) bool {
	for ; *at < len(d.stack); *at++ {
		if !q.visit(d, d.stack[*at].col, tol) {
			return false
		}
	}
	return true
}

// visit applies the implications that a column has a part in.
func (q *implications) visit(d *domain, j int32, tol float64) bool {
	for _, k := range q.of[j] {
		if !q.apply(d, int(k), tol) {
			return false
		}
	}
	return true
}

// apply restricts the column where all literals hold, and refutes the last open literal where the column cannot be
// within the bounds. It returns false where no point is left.
func (q *implications) apply(d *domain, k int, tol float64) bool {
	c := &q.list[k]
	j := int32(c.Var)
	open, ok := decided(c, d.lower, d.upper)
	if !ok || open > 1 {
		return true
	}

	d.because(because(byImplication, k))

	// Bounds of continuous columns are padded by the tolerance, so that apart by more means empty.
	apart := c.Lower > d.upper[j]+tol*math.Max(1, math.Abs(d.upper[j])) ||
		c.Upper < d.lower[j]-tol*math.Max(1, math.Abs(d.lower[j]))
	if open == 1 {
		return !apart || q.refute(d, c)
	}
	if apart {
		return false
	}

	// Bounds that cross within the tolerance are left to the LP.
	if c.Upper >= d.lower[j] {
		d.tighten(change{j, true, c.Upper})
	}
	if c.Lower <= d.upper[j] {
		d.tighten(change{j, false, c.Lower})
	}
	return true
}

// refute gives the open literal of an implication the other value.
func (q *implications) refute(d *domain, c *lp.Implication) bool {
	for _, l := range c.If {
		if j := int32(l.Var); !d.fixed(j) {
			return d.tighten(change{j, l.Is == 1, float64(1 - l.Is)})
		}
	}
	return true
}

// settle gives the hidden 0-1 columns of an LP point that are not fixed the values that follow from the other columns.
// The LP leaves them open, since they have no cost and stand in no row but the equation of their set: the point remains
// optimal. Where the set or the semi-continuity holds, the columns are integral; elsewhere they are fractional, and
// branching on them excludes the point.
func (q *implications) settle(x, lower, upper []float64, tol float64) {
	for k := range q.switches {
		if s := &q.switches[k]; lower[s.On] < upper[s.On] {
			x[s.On] = switchValue(s, x[s.Var], tol)
		}
	}
	for k := range q.sets {
		settlePlaces(&q.sets[k], x, lower, upper, tol)
	}
}

// Values of hidden columns at a point that violates what they stand for. Both keep the columns clearly fractional.
const (
	leastShare = 0.05 // of a column of a set that is not zero, before the shares are scaled to the sum 1
	leastFrac  = 0.1  // distance of the value of a switch from 0 and from 1
)

// switchValue is the value of the 0-1 column of a semi-continuous column at v.
func switchValue(s *lp.Switch, v, tol float64) float64 {
	switch {
	case math.Abs(v) <= tol:
		return 0
	case v >= s.Lower-tol && v <= s.Upper+tol:
		return 1
	}

	// The column is between zero and its interval.
	end := s.Lower
	if v < 0 {
		end = s.Upper
	}
	share := 0.5
	if end != 0 {
		share = v / end
	}
	return math.Min(math.Max(share, leastFrac), 1-leastFrac)
}

// settlePlaces sets the columns of the places of a set.
func settlePlaces(s *lp.Places, x, lower, upper []float64, tol float64) {
	// A place that is chosen leaves nothing open.
	open := func(k int) bool { return upper[s.At[k]] > 0.5 }
	if slices.ContainsFunc(s.At, func(y lp.Var) bool { return lower[y] > 0.5 }) {
		return
	}
	for _, y := range s.At {
		x[y] = 0
	}

	// An open place that covers all columns other than zero satisfies the set.
	first, last := nonzeros(s.Vars, x, tol)
	width := int(s.Kind)
	for k := range s.At {
		covers := first < 0 || k <= first && last < k+width
		if open(k) && covers {
			x[s.At[k]] = 1
			return
		}
	}

	sharePlaces(s, x, upper, tol)
}

// sharePlaces sets the open places of a set that x violates to fractions: each column that is not zero shares its
// weight among its own. The first open place is chosen where none of them has any, as where propagation is still to
// come.
func sharePlaces(s *lp.Places, x, upper []float64, tol float64) {
	width := int(s.Kind)

	// The weight of a column is its share in the sum of the absolute values.
	all := 0.0
	for _, j := range s.Vars {
		all += math.Abs(x[j])
	}
	sum := 0.0
	for i, j := range s.Vars {
		// The places of a column are those at which it may be other than zero. Some of them may be closed.
		places := s.At[max(0, i-width+1):min(i+1, len(s.At))]
		count := 0
		for _, y := range places {
			if upper[y] > 0.5 {
				count++
			}
		}

		if math.Abs(x[j]) <= tol || count == 0 {
			continue
		}

		// The weight of the column, at least leastShare, is divided equally between its open places.
		w := math.Max(math.Abs(x[j])/all, leastShare) / float64(count)
		for _, y := range places {
			if upper[y] > 0.5 {
				x[y] += w
				sum += w
			}
		}
	}

	// The places add up to 1, as their equation says.
	for _, y := range s.At {
		switch {
		case sum > 0:
			x[y] /= sum
		case upper[y] > 0.5:
			x[y] = 1
			return
		}
	}
}

// nonzeros returns the places of the first and of the last column that is not zero, -1 where all are.
func nonzeros[T ~int32](cols []T, x []float64, tol float64) (first, last int) {
	first, last = -1, -1
	for k, j := range cols {
		if math.Abs(x[j]) > tol {
			if first < 0 {
				first = k
			}
			last = k
		}
	}
	return first, last
}

// violatedLiterals appends to list the columns of open literals of implications that the point of the node violates,
// each once, other than the fractional ones and the columns of places: one side of a branching applies the
// implication, the other refutes it.
func (s *search) violatedLiterals(list []candidateColumn) []candidateColumn {
	if s.p.implied == nil {
		return list
	}
	others := len(list) > 0
	for k := range s.p.implied.list {
		c := &s.p.implied.list[k]
		if !(c.Violation(s.point.x) > s.opt.Tolerances.Feasibility) {
			continue
		}
		for _, l := range c.If {
			j := int32(l.Var)
			known := slices.ContainsFunc(list, func(e candidateColumn) bool { return e.col == j })
			bySet := others && s.p.isPlace(j) // the set itself is among the candidates
			if !s.dom.fixed(j) && !known && !bySet {
				list = append(list, candidateColumn{col: j, frac: 0.5, integral: true})
			}
		}
	}
	return list
}

// openAlong returns a column of an open literal of an implication whose column the ray moves beyond the bounds at some
// time; -1 where the ray is one of the problem too.
func (s *search) openAlong(ray []float64) int32 {
	if s.p.implied == nil {
		return -1
	}
	for k := range s.p.implied.list {
		c := &s.p.implied.list[k]
		step := ray[c.Var]
		end := c.Upper
		if step < 0 {
			end = c.Lower
		}

		// The column does not move, or there is no bound on its way.
		if step == 0 || math.IsInf(end, 0) {
			continue
		}
		if _, ok := decided(c, s.dom.lower, s.dom.upper); !ok {
			continue
		}
		for _, l := range c.If {
			if !s.dom.fixed(int32(l.Var)) {
				return int32(l.Var)
			}
		}
	}
	return -1
}
