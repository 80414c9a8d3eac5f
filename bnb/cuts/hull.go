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
// If the sum is larger, the multipliers pi give the cut pi t <= 1. The patterns are generated as they are needed, by
// knapsack problems with the values pi; the side of the cut is the value of the last one. Items at 0 are left out of
// this problem and are lifted afterwards.
//
// Only rows over integer columns, at least one of them not binary, are looked at. With continuous columns at their
// bounds, and on rows over binary columns, which have lifted covers, the separator was a loss on as many models as it
// was a gain.
type hullSearch struct {
	v     *view
	idle  []idle // by row
	items []hullItem
	room  float64 // right-hand side of the row in items

	k        int       // number of items that are not at 0: the first ones
	inverse  []float64 // of the basis, k by k: rows are basic positions, columns are items
	lambda   []float64 // value of each basic position
	surplus  []bool    // the position holds the surplus of an item, not a pattern
	pi       []float64 // multiplier of each item
	entering []float64 // the entering column in terms of the basis (the column of the tableau)

	order   []int32   // items by decreasing value per weight
	pattern []float64 // the counts that are enumerated
	best    []float64 // the best pattern found, the entering column
	value   float64   // of best
	steps   int       // of the enumeration

	states []hullState // the staircase of lifted items, by increasing weight and value
	merged []hullState // scratch of include
	before []hullState // the same
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

// hullState is a weight and the largest value that the lifted items reach within it.
type hullState struct{ weight, value float64 }

// newHullSearch prepares the search for the rows of v.
func newHullSearch(v *view) *hullSearch {
	return &hullSearch{v: v, idle: make([]idle, len(v.m.RowLower))}
}

// hull tries both sides of every row of the model. Rows without a cut are left out for a round, and then for two.
func (g *Generator) hull() {
	s := g.hulls

	// Work is polled row by row.
	for i := range g.m.RowLower {
		if g.v.spent() {
			return
		}
		if s.idle[i].until >= g.rounds || len(g.v.rows[i].Index) > hullEntries {
			continue
		}

		// Only a row that was searched is left out next time: with other bounds the separator may apply to it.
		tried := false
		found := false
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

// read writes sign*row <= side in items. It returns false where that cannot give a cut or the row is not one for this
// separator.
func (s *hullSearch) read(r *Row, sign float64) bool {
	// The row is read as sign*row <= side; without that side it is none.
	side := sideOf(r.Lower, r.Upper, sign)
	if math.IsInf(side, 0) {
		return false
	}

	m, x := s.v.m, s.v.x
	size := math.Abs(side) // the largest number in the sum of the side
	s.items = s.items[:0]

	for k, j := range r.Index {
		// The work counts every entry, also of rows that are given up.
		s.v.work++
		if !m.Integer[j] {
			return false
		}

		// The item counts from the bound where the row is least.
		a := sign * r.Value[k]
		it := hullItem{col: j, weight: a, width: m.Upper[j] - m.Lower[j], bound: m.Lower[j], at: x[j] - m.Lower[j]}
		if a < 0 {
			it.upper = true
			it.weight = -a
			it.bound = m.Upper[j]
			it.at = m.Upper[j] - x[j]
		}
		it.wide = it.width > 1
		if math.IsInf(it.bound, 0) {
			return false
		}

		// The bound takes its term out of the side.
		side -= a * it.bound
		size = math.Max(size, math.Abs(a*it.bound))
		if it.width > 0 && a != 0 {
			s.items = append(s.items, it)
		}
	}

	// The room gets the rounding error of the side, so that no integer point is lost.
	s.room = side + sideTol*size
	return side > 0 && s.choose()
}

// choose reduces the widths to what the room allows and puts the items that are not at 0 first. It returns false if
// these are too many, or if the LP point cannot be outside the hull: no item is fractional, or the room is enough for
// all items. Rows over binary columns are left to covers.
func (s *hullSearch) choose() bool {
	s.k = 0
	fractional, wide := false, false
	total := 0.0
	keep := s.items[:0]
	for _, it := range s.items {
		// More units than the room allows no point can have.
		it.width = math.Min(it.width, math.Floor(s.room/it.weight))
		if it.width < 1 {
			continue
		}
		if it.width > hullWidth { // too many values for the dynamic program
			return false
		}

		// The LP point may be outside its bounds by the tolerance.
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

	possible := fractional && wide && total > s.room
	if !possible || s.k > hullItems {
		return false
	}

	// The items away from 0 come first, the farthest first.
	slices.SortFunc(s.items, func(a, b hullItem) int {
		return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.weight, a.weight), cmp.Compare(a.col, b.col))
	})
	return true
}

// lift gives the items at 0, in their order, the largest coefficients for which the cut holds at all points. It returns
// false if the staircase becomes too long.
func (s *hullSearch) lift() bool {
	// The staircase begins with the empty pattern, of weight and value 0.
	side := s.value
	s.states = append(s.states[:0], hullState{})

	for k := range s.items {
		// The items away from 0 have the multipliers as coefficients, the others are lifted.
		it := &s.items[k]
		if k < s.k {
			it.value = s.pi[k]
		} else {
			it.value = s.largest(it, side)
		}

		// A tiny coefficient is left out, which weakens the cut a little.
		if it.value < hullLeast*side {
			it.value = 0
		}
		if it.value > 0 && !s.include(it) {
			return false
		}
	}

	// With rounding, the value of the last state is the side: all points are below it.
	s.value = s.states[len(s.states)-1].value
	return true
}

// largest is the largest coefficient of an item for which n of it, with the best of the items lifted before within the
// remaining room, stay within side for all n.
func (s *hullSearch) largest(it *hullItem, side float64) float64 {
	least := inf

	// Each number of units must keep the cut valid.
	for n := 1.0; n <= it.width; n++ {
		// The last state of weight at most the remaining room has the largest value.
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

// include adds an item to the staircase, one unit of it at a time: the states without and with n units are merged by
// weight, and dominated ones are dropped. It returns false if there are too many states.
func (s *hullSearch) include(it *hullItem) bool {
	// The states before the item are needed for every number of its units.
	s.before = append(s.before[:0], s.states...)
	for n := 1.0; n <= it.width; n++ {
		s.merged = s.merged[:0]
		a, b := s.states, s.before
		dw := n * it.weight
		dv := n * it.value
		// Both lists ascend by weight and by value, and so does their merge.
		for len(a) > 0 || len(b) > 0 {
			var h hullState
			first := len(b) == 0 || len(a) > 0 && a[0].weight <= b[0].weight+dw
			if first {
				h = a[0]
				a = a[1:]
			} else {
				h = hullState{b[0].weight + dw, b[0].value + dv}
				b = b[1:]
				if h.weight > s.room {
					b = nil // the remaining ones are heavier still
					continue
				}
			}

			// A state is dominated if a lighter one has as large a value.
			dominated := len(s.merged) > 0 && h.value <= s.merged[len(s.merged)-1].value
			if !dominated {
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

// cut returns the cut in the columns of the model, scaled to a largest coefficient of 1 and with its side relaxed for
// rounding errors.
func (s *hullSearch) cut() Cut {
	// The largest coefficient becomes 1.
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

		// An item that counts from the upper bound is u - x.
		v := it.value / largest
		if it.upper {
			v = -v
		}
		c.Upper += v * it.bound
		c.Index = append(c.Index, it.col)
		c.Value = append(c.Value, v)
	}

	c.Upper += relaxBy * math.Max(1, math.Abs(c.Upper))
	return c
}
