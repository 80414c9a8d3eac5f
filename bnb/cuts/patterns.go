package cuts

import (
	"cmp"
	"math"
	"slices"
)

// outside reports whether the LP point is outside the hull, and leaves the cut in pi: pi t <= value. It is the primal
// simplex method with generated columns, on the program of hullSearch. A point that takes too long counts as inside.
func (s *hullSearch) outside() bool {
	s.begin()
	for range hullPivots {
		s.prices()

		// Surplus columns are priced first; patterns need a knapsack problem.
		if enter := s.negative(); enter >= 0 {
			clear(s.best[:s.k])
			s.best[enter] = -1
			if !s.pivot(true) {
				return false
			}
			continue
		}

		// The patterns of the combination have the sum of their weights as its cost.
		sum := 0.0
		for p, l := range s.lambda {
			if !s.surplus[p] {
				sum += l
			}
		}

		if sum <= 1+hullViolation || !s.solveKnapsack() {
			return false
		}

		// No pattern has a reduced cost: the basis is optimal.
		if s.value <= 1+hullViolation {
			return sum > s.value*(1+hullViolation)
		}

		if !s.pivot(false) {
			return false
		}
	}
	return false
}

// begin makes the basis of the patterns that hold one item alone, as often as it fits.
func (s *hullSearch) begin() {
	// The lists are used again for every row, cleared.
	k := s.k
	grow := func(list []float64, n int) []float64 {
		list = slices.Grow(list[:0], n)[:n]
		clear(list)
		return list
	}
	s.inverse = grow(s.inverse, k*k)
	s.lambda = grow(s.lambda, k)
	s.pi = grow(s.pi, k)
	s.entering = grow(s.entering, k)
	s.pattern = grow(s.pattern, k)
	s.best = grow(s.best, k)
	s.surplus = slices.Grow(s.surplus[:0], k)[:k]

	// One item alone, as often as it fits, is a pattern; its share covers the LP value of the item.
	for i := range k {
		s.inverse[i*k+i] = 1 / s.items[i].width
		s.lambda[i] = s.items[i].at / s.items[i].width
		s.surplus[i] = false
	}
}

// prices computes the multipliers: the costs of the basis, 1 for a pattern and 0 for a surplus, times its inverse.
func (s *hullSearch) prices() {
	clear(s.pi)
	k := s.k
	s.v.work += k * k

	// A row of the inverse for each pattern, which costs 1.
	for p := range k {
		if s.surplus[p] {
			continue
		}
		for i, v := range s.inverse[p*k : (p+1)*k] {
			s.pi[i] += v
		}
	}
}

// negative returns the item with the most negative multiplier, whose surplus enters the basis, and -1 if there is none.
// Negative multipliers, which are then rounding errors, become 0.
func (s *hullSearch) negative() int {
	enter := -1
	least := -priceTol

	for i, v := range s.pi {
		if v < least {
			enter = i
			least = v
		}
		s.pi[i] = math.Max(v, 0)
	}
	return enter
}

// pivot brings the column in best, of a surplus or a pattern, into the basis. It returns false if no position is
// blocking.
func (s *hullSearch) pivot(surplus bool) bool {
	k := s.k
	s.v.work += 2 * k * k

	// The ratio test: lambda stays nonnegative.
	leave := -1
	least := inf

	// The entering column in terms of the basis, and the position that it makes 0 first.
	for p := range k {
		d := 0.0
		for i, v := range s.inverse[p*k : (p+1)*k] {
			d += v * s.best[i]
		}
		s.entering[p] = d
		if d > hullPivot && s.lambda[p] < least*d {
			leave = p
			least = s.lambda[p] / d
		}
	}
	if leave < 0 {
		return false
	}

	// The update of the inverse, row by row.
	row := s.inverse[leave*k : (leave+1)*k]
	for i := range row {
		row[i] /= s.entering[leave]
	}

	// The other rows lose their multiple of the pivot row.
	for p := range k {
		d := s.entering[p]
		if p == leave || d == 0 {
			continue
		}
		s.lambda[p] = math.Max(s.lambda[p]-d*least, 0)
		for i, v := range row {
			s.inverse[p*k+i] -= d * v
		}
	}
	s.lambda[leave] = least
	s.surplus[leave] = surplus
	return true
}

// solveKnapsack enumerates the patterns by decreasing value per weight and leaves the one of largest value in best.
// After hullEnough steps it stops at one that improves the combination. It returns false if it finds none in hullSteps
// steps.
func (s *hullSearch) solveKnapsack() bool {
	// Only items with a positive value can improve a pattern.
	s.order = s.order[:0]
	for k := range s.k {
		s.pattern[k] = 0
		if s.pi[k] > 0 {
			s.order = append(s.order, int32(k))
		}
	}
	slices.SortFunc(s.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.pi[b]*s.items[a].weight, s.pi[a]*s.items[b].weight), cmp.Compare(a, b))
	})

	s.value = 0
	s.steps = 0
	s.fill(0, s.room, 0)
	s.v.work += 4 * s.steps
	return s.steps <= hullSteps || s.value > 1+hullViolation
}

// fill branches on the count of the item at a place of the order, the largest count first. The bound of a branch is its
// value with the remaining room filled by the next item, fractions allowed.
func (s *hullSearch) fill(place int, room, value float64) {
	s.steps++

	// Once a pattern improves the combination the search is short.
	if s.steps > hullSteps || s.steps > hullEnough && s.value > 1+hullViolation {
		return
	}

	// All items have a count: the pattern is complete.
	if place == len(s.order) {
		if value > s.value {
			s.value = value
			copy(s.best, s.pattern)
		}
		return
	}

	k := s.order[place]
	it := &s.items[k]
	pi := s.pi[k]
	next := 0.0 // value per weight of the next item
	if place+1 < len(s.order) {
		l := s.order[place+1]
		next = s.pi[l] / s.items[l].weight
	}

	for n := math.Min(it.width, math.Floor(room/it.weight)); n >= 0; n-- {
		left := room - n*it.weight
		if value+n*pi+left*next <= s.value*(1+1e-12) {
			break // smaller counts have smaller bounds
		}
		s.pattern[k] = n
		s.fill(place+1, left, value+n*pi)
	}
	s.pattern[k] = 0
}
