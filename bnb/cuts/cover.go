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

// coverSearch separates lifted cover inequalities (Gu, Nemhauser and Savelsbergh 1998) from single rows
// relaxed to a knapsack: with C a set of literals that are too heavy to be true together,
// at most |C| - 1 of them are, and the other literals get the largest coefficients that keep the row
// valid, one after the other.
type coverSearch struct {
	v     *view
	vb    *variableBounds
	items []coverItem
	room  float64
	least []float64 // least[k] is the least weight of lifted literals with coefficients summing to k or more
	coef  []float64 // dense scratch over the columns, zero outside cols
	in    []bool
	cols  []int32
}

func newCoverSearch(v *view, vb *variableBounds) *coverSearch {
	n := len(v.m.Integer)
	return &coverSearch{v: v, vb: vb, coef: make([]float64, n), in: make([]bool, n)}
}

// cover tries both sides of every row that is nearly tight.
func (g *Generator) cover() {
	s := g.covers
	for i := range g.v.rows {
		if g.v.spent() {
			return
		}
		r := &g.v.rows[i]
		for _, sign := range []float64{1, -1} {
			side, act := r.Upper, g.v.activity[i]
			if sign < 0 {
				side, act = -r.Lower, -act
			}
			if math.IsInf(side, 0) || side-act > coverSlack*math.Max(1, math.Abs(act)) || len(r.Index) > coverTerms {
				continue
			}
			if !s.relax(r, sign, side) {
				continue
			}
			if c, ok := s.lift(); ok {
				g.add(c, Cover)
			}
		}
	}
}

// relax writes sign*row <= side as a knapsack in literals. Other columns leave by their bounds, or by
// their variable bounds on binary columns where these are tighter at the LP point.
func (s *coverSearch) relax(r *Row, sign, side float64) bool {
	m, x := s.v.m, s.v.x
	s.items = s.items[:0]
	s.cols = s.cols[:0]
	ok := true
	for k, j := range r.Index {
		a := sign * r.Value[k]
		if m.binary(j) {
			s.put(j, a)
			continue
		}
		at, b := m.Lower[j], s.vb.nearestLower(j)
		if a < 0 {
			at, b = m.Upper[j], s.vb.nearestUpper(j)
		}
		if b != nil && m.binary(b.col) && a*b.at(x) > a*at {
			s.put(b.col, a*b.slope)
			at = b.constant
		}
		if math.IsInf(at, 0) {
			ok = false
			break
		}
		side -= a * at
	}
	for _, j := range s.cols {
		a := s.coef[j]
		s.coef[j], s.in[j] = 0, false
		switch {
		case a > 0:
			s.items = append(s.items, coverItem{weighted: weighted{literal(2 * j), a}})
		case a < 0:
			s.items = append(s.items, coverItem{weighted: weighted{literal(2*j + 1), -a}})
			side -= a
		}
	}
	s.room = side
	return ok && side > 0 && s.evaluate()
}

func (s *coverSearch) put(j int32, a float64) {
	if !s.in[j] {
		s.in[j] = true
		s.cols = append(s.cols, j)
	}
	s.coef[j] += a
}

// evaluate reads the LP values and drops literals that are too heavy to be true. It returns false if no
// cover can be violated; with equal weights the row, its side rounded, is the only cover inequality.
func (s *coverSearch) evaluate() bool {
	s.v.work += 4 * len(s.items)
	keep, fractional, total, equal := s.items[:0], false, 0.0, true
	for _, it := range s.items {
		if it.w > s.room*(1+1e-9) {
			continue
		}
		it.at = math.Min(math.Max(it.l.value(s.v.x), 0), 1)
		fractional = fractional || it.at > 1e-6 && it.at < 1-1e-6
		total += it.w
		equal = equal && (len(keep) == 0 || it.w == keep[0].w)
		keep = append(keep, it)
	}
	s.items = keep
	return fractional && !equal && total > s.room
}

// lift finds a cover and lifts it.
func (s *coverSearch) lift() (Cut, bool) {
	if !s.chooseCover() {
		return Cut{}, false
	}
	return s.liftCover()
}

// chooseCover takes literals by how much of the violation they cost for their weight, until they are
// too heavy together, and then drops those that are not needed, the costliest first.
func (s *coverSearch) chooseCover() bool {
	slices.SortFunc(s.items, func(a, b coverItem) int {
		return cmp.Or(cmp.Compare((1-a.at)*b.w, (1-b.at)*a.w), cmp.Compare(a.l, b.l))
	})
	enough := s.room + 1e-6*math.Max(1, s.room)
	sum, n := 0.0, 0
	for n < len(s.items) && sum <= enough {
		sum += s.items[n].w
		n++
	}
	if sum <= enough {
		return false
	}
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

// liftCover makes the cut. Members of the cover at one are taken as true first and lifted down after the
// fractional literals were lifted up; literals at zero come last.
func (s *coverSearch) liftCover() (Cut, bool) {
	var start, up, down, zero []*coverItem
	for k := range s.items {
		it := &s.items[k]
		switch {
		case it.inCover && it.at > 1-1e-6:
			down = append(down, it)
		case it.inCover:
			start = append(start, it)
		case it.at > 1e-6:
			up = append(up, it)
		default:
			zero = append(zero, it)
		}
	}
	if len(start) < 2 { // a cover of the reduced knapsack needs two members to start from
		n := min(len(down), 2-len(start))
		start, down = append(start, down[:n]...), down[n:]
	}
	room := s.room
	for _, it := range down {
		room -= it.w
	}
	side := len(start) - 1
	if side < 1 || len(s.items)*len(start) > coverWork {
		return Cut{}, false
	}
	s.v.work += 8*len(s.items) + (len(up)+len(down)+len(zero))*4
	s.begin(start)
	byValue := func(a, b *coverItem) int {
		return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.w, a.w), cmp.Compare(a.l, b.l))
	}
	slices.SortFunc(up, byValue)
	for _, it := range up {
		s.include(it, side-s.largestSum(room-it.w))
	}
	for _, it := range down {
		gain := s.largestSum(room+it.w) - side
		side += gain
		room += it.w
		s.include(it, gain)
	}
	slices.SortFunc(zero, byValue)
	for _, it := range zero {
		s.include(it, side-s.largestSum(room-it.w))
	}
	return s.row(side)
}

// begin fills the table for the cover alone, lightest first.
func (s *coverSearch) begin(start []*coverItem) {
	sorted := slices.Clone(start)
	slices.SortFunc(sorted, func(a, b *coverItem) int { return cmp.Compare(a.w, b.w) })
	s.least = append(s.least[:0], 0)
	for k, it := range sorted {
		it.lifted = 1
		s.least = append(s.least, s.least[k]+it.w)
	}
}

// largestSum is the largest sum of coefficients that the lifted literals reach within the room; it errs upward.
func (s *coverSearch) largestSum(room float64) int {
	tol := 1e-9 * math.Max(1, math.Abs(s.room))
	if room < -tol {
		return -1
	}
	k, _ := slices.BinarySearchFunc(s.least, room+tol, func(w, limit float64) int {
		if w <= limit {
			return -1
		}
		return 1
	})
	return k - 1
}

// include records the coefficient of a literal and updates the table.
func (s *coverSearch) include(it *coverItem, coef int) {
	it.lifted = coef
	if coef <= 0 {
		it.lifted = 0
		return
	}
	old := len(s.least)
	s.v.work += old + coef
	for range coef {
		s.least = append(s.least, inf)
	}
	for k := len(s.least) - 1; k >= 1; k-- {
		from := max(k-coef, 0)
		if from < old {
			s.least[k] = math.Min(s.least[k], s.least[from]+it.w)
		}
	}
}

// row writes the cut in the columns of the model.
func (s *coverSearch) row(side int) (Cut, bool) {
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
		c.Index, c.Value = append(c.Index, it.l.col()), append(c.Value, v)
	}
	return c, true
}
