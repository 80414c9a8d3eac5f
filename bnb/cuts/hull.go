package cuts

import (
	"cmp"
	"math"
	"slices"
)

// hullSearch separates from the convex hull of the integer points of single rows (Boyd, Generating Fenchel cutting
// planes for knapsack polyhedra, SIAM J. Optim. 3, 1993). With its columns measured from the bounds where the row is
// least, a row is
//
//	sum w_i t_i <= room,   0 <= t_i <= width_i,   t_i integer,   w_i > 0.
//
// Its points, the patterns p, span a hull that holds the LP point t if a combination of them lies above it, with
// weights of sum 1 at most: in
//
//	min sum lambda_p   subject to   sum lambda_p p >= t,   lambda >= 0.
//
// If the sum is larger, the multipliers pi are the cut pi t <= 1. The patterns come one by one, from knapsack problems
// with the values pi; the cut's side is the value of the last one. Items at 0 take no part and are lifted afterwards.
//
// Only rows over integer columns, one of them not binary, are looked at. With continuous columns at their bounds, and
// on rows over binary columns, which have lifted covers, it lost on some models what it gained on others.
type hullSearch struct {
	v     *view
	idle  []idle // of the rows
	items []hullItem
	room  float64

	k       int       // items that take part, the first ones
	inverse []float64 // of the basis, k by k: rows are places, columns are items
	lambda  []float64 // of the patterns of the basis
	surplus []bool    // the place holds the surplus of an item, not a pattern
	pi      []float64
	way     []float64 // the entering column in terms of the basis

	order   []int32 // of the items by value for their weight
	pattern []float64
	best    []float64
	value   float64
	steps   int // of the knapsack problem
	states  []hullState
	merged  []hullState
	before  []hullState
}

// hullItem is an integer column of the row.
type hullItem struct {
	col    int32
	upper  bool // measured from the upper bound
	wide   bool // not binary
	bound  float64
	weight float64
	width  float64
	at     float64 // LP value
	value  float64 // coefficient in the cut
}

// hullState is a weight with the largest value that lifted items reach with it.
type hullState struct{ weight, value float64 }

func newHullSearch(v *view) *hullSearch {
	return &hullSearch{v: v, idle: make([]idle, len(v.m.RowLower))}
}

// hull tries both sides of every row of the model. Rows without a cut rest for a round, and then for two.
func (g *Generator) hull() {
	s := g.hulls
	for i := range g.m.RowLower {
		if g.v.spent() {
			return
		}
		if s.idle[i].until >= g.rounds || len(g.v.rows[i].Index) > hullEntries {
			continue
		}
		tried, found := false, false
		for _, sign := range []float64{1, -1} {
			if !s.read(&g.v.rows[i], sign) {
				continue
			}
			tried = true
			if s.outside() && s.lift() && g.add(s.cut(), Hull) {
				found = true
			}
		}
		if tried {
			s.idle[i].rest(found, g.rounds)
		}
	}
}

// read writes sign*r <= side in items. It returns false where that cannot give a cut or is no task of this separator.
func (s *hullSearch) read(r *Row, sign float64) bool {
	side := r.Upper
	if sign < 0 {
		side = -r.Lower
	}
	if math.IsInf(side, 0) {
		return false
	}
	m, x, size := s.v.m, s.v.x, math.Abs(side)
	s.items = s.items[:0]
	for k, j := range r.Index {
		s.v.work++
		a, lower, upper := sign*r.Value[k], m.Lower[j], m.Upper[j]
		if !m.Integer[j] {
			return false
		}
		it := hullItem{col: j, weight: a, width: upper - lower, wide: upper-lower > 1, bound: lower, at: x[j] - lower}
		if a < 0 {
			it.upper, it.weight, it.bound, it.at = true, -a, upper, upper-x[j]
		}
		if math.IsInf(it.bound, 0) {
			return false
		}
		side -= a * it.bound
		size = math.Max(size, math.Abs(a*it.bound))
		if it.width > 0 && a != 0 {
			s.items = append(s.items, it)
		}
	}
	s.room = side + sideTol*size
	return side > 0 && s.choose()
}

// choose cuts the widths down to what the room allows and puts the items that take part first. It returns false if
// these are too many, or the LP point cannot be outside the hull: no item is fractional, or the room is enough for all.
func (s *hullSearch) choose() bool {
	s.k = 0
	fractional, wide, total := false, false, 0.0
	keep := s.items[:0]
	for _, it := range s.items {
		it.width = math.Min(it.width, math.Floor(s.room/it.weight))
		if it.width < 1 {
			continue
		}
		if it.width > hullWidth {
			return false
		}
		it.at = math.Min(math.Max(it.at, 0), it.width)
		keep = append(keep, it)
		total += it.weight * it.width
		if it.at > atBound {
			s.k++
			wide = wide || it.wide
			fractional = fractional || math.Abs(it.at-math.Round(it.at)) > atBound
		}
	}
	s.items = keep
	if !fractional || !wide || total <= s.room || s.k > hullItems {
		return false
	}
	slices.SortFunc(s.items, func(a, b hullItem) int {
		return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.weight, a.weight), cmp.Compare(a.col, b.col))
	})
	return true
}

// lift gives the items at 0 the largest coefficients that keep all points, one after the other.
func (s *hullSearch) lift() bool {
	side := s.value
	s.states = append(s.states[:0], hullState{})
	for k := range s.items {
		it := &s.items[k]
		if k < s.k {
			it.value = s.pi[k]
		} else {
			it.value = s.largest(it, side)
		}
		if it.value < hullLeast*side {
			it.value = 0
		}
		if it.value > 0 && !s.include(it) {
			return false
		}
	}
	s.value = s.states[len(s.states)-1].value // the side, within rounding: all points are below it as they are lifted
	return true
}

// largest is the largest coefficient of an item that keeps the points within side.
func (s *hullSearch) largest(it *hullItem, side float64) float64 {
	least := inf
	for n := 1.0; n <= it.width; n++ {
		k, found := slices.BinarySearchFunc(s.states, s.room-n*it.weight, func(h hullState, room float64) int {
			return cmp.Compare(h.weight, room)
		})
		if !found {
			k--
		}
		s.v.work += 10
		least = math.Min(least, (side-s.states[max(k, 0)].value)/n)
	}
	return least
}

// include adds an item to the states. It returns false if they become too many.
func (s *hullSearch) include(it *hullItem) bool {
	s.before = append(s.before[:0], s.states...)
	for n := 1.0; n <= it.width; n++ {
		s.merged = s.merged[:0]
		a, b := s.states, s.before
		dw, dv := n*it.weight, n*it.value
		for len(a) > 0 || len(b) > 0 {
			var h hullState
			if len(b) == 0 || len(a) > 0 && a[0].weight <= b[0].weight+dw {
				h, a = a[0], a[1:]
			} else {
				h, b = hullState{b[0].weight + dw, b[0].value + dv}, b[1:]
				if h.weight > s.room {
					b = nil
					continue
				}
			}
			if last := len(s.merged) - 1; last < 0 || h.value > s.merged[last].value {
				s.merged = append(s.merged, h)
			}
		}
		s.v.work += 4 * len(s.merged)
		s.states, s.merged = s.merged, s.states
		if len(s.states) > hullStates {
			return false
		}
	}
	return true
}

// cut writes the cut in the columns of the model.
func (s *hullSearch) cut() Cut {
	largest := 0.0
	for k := range s.items {
		largest = math.Max(largest, s.items[k].value)
	}
	slices.SortFunc(s.items, func(a, b hullItem) int { return cmp.Compare(a.col, b.col) })
	c := Cut{Upper: s.value / largest}
	for k := range s.items {
		it := &s.items[k]
		if it.value == 0 {
			continue
		}
		v := it.value / largest
		if it.upper {
			v = -v
		}
		c.Upper += v * it.bound
		c.Index, c.Value = append(c.Index, it.col), append(c.Value, v)
	}
	c.Upper += relaxBy * math.Max(1, math.Abs(c.Upper))
	return c
}
