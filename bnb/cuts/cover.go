package cuts

import (
	"cmp"
	"math"
	"slices"
)

// coverItem is a literal of a knapsack row at the LP point.
type coverItem struct {
	weighted
	at      float64 // LP value
	inCover bool
	lifted  int // coefficient in the cut
}

// coverSearch separates lifted cover inequalities (Gu, Nemhauser and Savelsbergh 1998) from single rows that are
// relaxed to a knapsack. A cover C is a set of literals that are too heavy to be true together: at most |C| - 1 of them
// are. The other literals get, in some order, the largest coefficients that keep the inequality valid.
type coverSearch struct {
	v     *view
	vb    *variableBounds
	items []coverItem
	room  float64   // right-hand side of the knapsack row
	least []float64 // least[k] is the least weight of lifted literals with coefficients summing to k or more
	coef  []float64 // dense scratch over the columns, zero outside cols
	in    []bool    // column is in cols
	cols  []int32   // binary columns of the row
}

// newCoverSearch prepares the search for the rows of v.
func newCoverSearch(v *view, vb *variableBounds) *coverSearch {
	n := len(v.m.Integer)
	return &coverSearch{v: v, vb: vb, coef: make([]float64, n), in: make([]bool, n)}
}

// cover tries both sides of every row that is nearly tight.
func (g *Generator) cover() {
	// Rows that are not nearly tight have no violated cover.
	s := g.covers
	for i := range g.v.rows {
		if g.v.spent() {
			return
		}

		// Long rows take too long to lift.
		if len(g.v.rows[i].Index) > coverTerms {
			continue
		}
		for _, sign := range []float64{1, -1} {
			side := sideOf(g.v.rows[i].Lower, g.v.rows[i].Upper, sign)
			act := sign * g.v.activity[i]

			near := side-act <= coverSlack*math.Max(1, math.Abs(act))
			if math.IsInf(side, 0) || !near || !s.relax(&g.v.rows[i], sign, side) {
				continue
			}
			if c, ok := s.lift(); ok {
				g.add(c, Cover)
			}
		}
	}
}

// relax writes sign*row <= side as a knapsack in literals. Columns that are not binary are replaced by their bounds, or
// by their variable bounds on binary columns where these are tighter at the LP point. It returns false if that is not
// possible, or if the knapsack cannot have a violated cover.
func (s *coverSearch) relax(r *Row, sign, side float64) bool {
	m, x := s.v.m, s.v.x
	s.items = s.items[:0]
	s.cols = s.cols[:0]

	ok := true
	size := math.Abs(side) // sum of the numbers that make the room, for their rounding errors

	// Every column becomes a term of a binary column, a constant, or both.
	for k, j := range r.Index {
		a := sign * r.Value[k]
		if m.binary(j) {
			s.put(j, a)
			continue
		}

		// The bound where the term is least, constant or variable.
		at, b := m.Lower[j], s.vb.nearestLower(j)
		if a < 0 {
			at, b = m.Upper[j], s.vb.nearestUpper(j)
		}

		// The variable bound is used where it makes the row tighter at the LP point.
		if b != nil && m.binary(b.col) && a*b.at(x) > a*at {
			s.put(b.col, a*b.slope)
			at = b.constant
		}

		if math.IsInf(at, 0) {
			ok = false
			break
		}
		side -= a * at
		size += math.Abs(a * at)
	}

	// A negative coefficient becomes positive with the complement of its column. The scratch is cleared in any case.
	for _, j := range s.cols {
		a := s.coef[j]
		s.coef[j] = 0
		s.in[j] = false
		switch {
		case a > 0:
			s.items = append(s.items, coverItem{weighted: weighted{literal(2 * j), a}})
		case a < 0:
			s.items = append(s.items, coverItem{weighted: weighted{literal(2*j + 1), -a}})
			side -= a
		}
	}

	s.room = side + 2*roundingUnit*size
	return ok && side > 0 && s.evaluate()
}

// put adds a to the coefficient of the binary column j.
func (s *coverSearch) put(j int32, a float64) {
	if !s.in[j] {
		s.in[j] = true
		s.cols = append(s.cols, j)
	}
	s.coef[j] += a
}

// evaluate reads the LP values and drops literals that are too heavy to be true. It returns false if no cover can be
// violated; with equal weights the row, its side rounded, is the only cover inequality.
func (s *coverSearch) evaluate() bool {
	s.v.work += 4 * len(s.items)
	keep := s.items[:0]
	total := 0.0
	fractional, equal := false, true

	// A literal that is too heavy alone is false at every point of the row.
	for _, it := range s.items {
		if it.w > s.room*(1+tooHeavy) {
			continue
		}
		it.at = math.Min(math.Max(it.l.value(s.v.x), 0), 1)
		// Equal weights in the whole row make the cover inequality the row itself.
		fractional = fractional || it.at > coverTol && it.at < 1-coverTol
		total += it.w
		equal = equal && (len(keep) == 0 || it.w == keep[0].w)
		keep = append(keep, it)
	}

	s.items = keep
	return fractional && !equal && total > s.room
}

// lift finds a cover and returns its lifted inequality; false if there is none.
func (s *coverSearch) lift() (Cut, bool) {
	if !s.chooseCover() {
		return Cut{}, false
	}
	return s.liftCover()
}

// chooseCover takes literals by increasing ratio of their distance from 1, which the violation loses, to their weight,
// until they are too heavy together. Then it drops those that are not needed, the smallest LP values first.
func (s *coverSearch) chooseCover() bool {
	slices.SortFunc(s.items, func(a, b coverItem) int {
		return cmp.Or(cmp.Compare((1-a.at)*b.w, (1-b.at)*a.w), cmp.Compare(a.l, b.l))
	})

	// The cover must exceed the room clearly.
	enough := s.room + knapsackTol*math.Max(1, s.room)
	sum := 0.0
	n := 0
	for n < len(s.items) && sum <= enough {
		sum += s.items[n].w
		n++
	}
	if sum <= enough {
		return false
	}

	// The members that are not needed leave the cover, those that add least to its activity first.
	cover := s.items[:n]
	slices.SortFunc(cover, func(a, b coverItem) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.w, b.w), cmp.Compare(a.l, b.l))
	})
	for k := range cover {
		cover[k].inCover = true
		if sum-cover[k].w > enough {
			sum -= cover[k].w
			cover[k].inCover = false
		}
	}
	return true
}

// liftCover returns the cut. The fractional literals are lifted up while the members of the cover at one count as true;
// these are lifted down afterwards. The literals at zero come last.
func (s *coverSearch) liftCover() (Cut, bool) {
	// The literals are lifted by groups: those at 1 in the cover last but one, since they may be lifted down.
	var start, up, down, zero []*coverItem
	for k := range s.items {
		it := &s.items[k]
		switch {
		case it.inCover && it.at > 1-coverTol:
			down = append(down, it)
		case it.inCover:
			start = append(start, it)
		case it.at > coverTol:
			up = append(up, it)
		default:
			zero = append(zero, it)
		}
	}

	// A cover of the reduced knapsack needs two members to start from.
	if len(start) < 2 {
		n := min(len(down), 2-len(start))
		start = append(start, down[:n]...)
		down = down[n:]
	}

	// While the members at one count as true they take their weight from the room.
	room := s.room
	for _, it := range down {
		room -= it.w
	}
	side := len(start) - 1
	if side < 1 || len(s.items)*len(start) > coverWork {
		return Cut{}, false
	}

	// The work is about that of sorting, and of a search in the table for each lifted literal.
	s.v.work += 8*len(s.items) + (len(up)+len(down)+len(zero))*4
	s.begin(start)

	// Lifting up: the coefficient is what the literal, true, takes from the largest sum of the lifted ones.
	byValue := func(a, b *coverItem) int {
		return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.w, a.w), cmp.Compare(a.l, b.l))
	}
	slices.SortFunc(up, byValue)
	for _, it := range up {
		s.include(it, side-s.largestSum(room-it.w))
	}

	// Lifting down: the coefficient is what the largest sum gains when the literal is false.
	for _, it := range down {
		gain := s.largestSum(room+it.w) - side
		side += gain
		room += it.w
		s.include(it, gain)
	}

	// The literals at zero add nothing to the violation, so that their order hardly matters.
	slices.SortFunc(zero, byValue)
	for _, it := range zero {
		s.include(it, side-s.largestSum(room-it.w))
	}
	return s.row(side), true
}

// begin fills the table for the members in start alone: their k lightest have the least weight of k.
func (s *coverSearch) begin(start []*coverItem) {
	sorted := slices.Clone(start)
	slices.SortFunc(sorted, func(a, b *coverItem) int { return cmp.Compare(a.w, b.w) })
	s.least = append(s.least[:0], 0)

	// The least weight of k members is that of the k lightest ones.
	for k, it := range sorted {
		it.lifted = 1
		s.least = append(s.least, s.least[k]+it.w)
	}
}

// largestSum is the largest sum of coefficients that the lifted literals reach within the room, and -1 if the room is
// negative. Its tolerance makes it too large rather than too small, which keeps the cut valid.
func (s *coverSearch) largestSum(room float64) int {
	tol := largestSumTol * math.Max(1, math.Abs(s.room))
	if room < -tol {
		return -1
	}

	// The last entry within the room is the largest sum that fits.
	k, _ := slices.BinarySearchFunc(s.least, room+tol, func(w, limit float64) int {
		if w <= limit {
			return -1
		}
		return 1
	})
	return k - 1
}

// include records the coefficient of a literal, 0 if it is negative, and updates the table.
func (s *coverSearch) include(it *coverItem, coef int) {
	it.lifted = max(coef, 0)
	if coef <= 0 {
		return
	}

	// The table gets room for the sums that the new literal makes possible.
	old := len(s.least)
	s.v.work += old + coef
	for range coef {
		s.least = append(s.least, inf)
	}

	// From the largest sum down, so that no literal counts twice.
	for k := len(s.least) - 1; k >= 1; k-- {
		from := max(k-coef, 0)
		if from < old {
			s.least[k] = math.Min(s.least[k], s.least[from]+it.w)
		}
	}
}

// row returns the cut in the columns of the model.
func (s *coverSearch) row(side int) Cut {
	// In the columns of the model a complement moves its coefficient to the side.
	c := Cut{Upper: float64(side)}
	slices.SortFunc(s.items, func(a, b coverItem) int { return cmp.Compare(a.l, b.l) })
	for k := range s.items {
		it := &s.items[k]
		if it.lifted == 0 {
			continue
		}

		v := float64(it.lifted)
		if it.l.negated() {
			v = -v
			c.Upper += v
		}
		c.Index = append(c.Index, it.l.col())
		c.Value = append(c.Value, v)
	}
	return c
}
