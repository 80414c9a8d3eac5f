package cuts

import (
	"cmp"
	"math"
	"slices"
)

// outside reports whether the LP point is outside the hull, and leaves the cut in pi: pi t <= value.
func (s *hullSearch) outside() bool {
	s.begin()
	for range hullPivots {
		s.prices()
		if enter := s.negative(); enter >= 0 {
			clear(s.best[:s.k])
			s.best[enter] = -1
			if !s.pivot(true) {
				return false
			}
			continue
		}
		sum := 0.0
		for p, l := range s.lambda {
			if !s.surplus[p] {
				sum += l
			}
		}
		if sum <= 1+hullViolation || !s.solveKnapsack() {
			return false
		}
		if s.value <= 1+hullViolation {
			return sum > s.value*(1+hullViolation)
		}
		if !s.pivot(false) {
			return false
		}
	}
	return false
}

// begin makes a basis of the patterns with one item alone.
func (s *hullSearch) begin() {
	k := s.k
	grow := func(list []float64, n int) []float64 {
		list = slices.Grow(list[:0], n)[:n]
		clear(list)
		return list
	}
	s.inverse, s.lambda, s.pi = grow(s.inverse, k*k), grow(s.lambda, k), grow(s.pi, k)
	s.way, s.pattern, s.best = grow(s.way, k), grow(s.pattern, k), grow(s.best, k)
	s.surplus = slices.Grow(s.surplus[:0], k)[:k]
	for i := range k {
		s.inverse[i*k+i] = 1 / s.items[i].width
		s.lambda[i] = s.items[i].at / s.items[i].width
		s.surplus[i] = false
	}
}

// prices computes the multipliers.
func (s *hullSearch) prices() {
	clear(s.pi)
	k := s.k
	s.v.work += k * k
	for p := range k {
		if s.surplus[p] {
			continue
		}
		for i, v := range s.inverse[p*k : (p+1)*k] {
			s.pi[i] += v
		}
	}
}

// negative returns the item with the most negative multiplier, whose surplus enters, -1 without one; what rounding has
// left below 0 becomes 0.
func (s *hullSearch) negative() int {
	enter, least := -1, -1e-9
	for i, v := range s.pi {
		if v < least {
			enter, least = i, v
		}
		s.pi[i] = math.Max(v, 0)
	}
	return enter
}

// pivot brings the column in best into the basis. It returns false if that fails.
func (s *hullSearch) pivot(surplus bool) bool {
	k := s.k
	s.v.work += 2 * k * k
	leave, least := -1, inf
	for p := range k {
		d := 0.0
		for i, v := range s.inverse[p*k : (p+1)*k] {
			d += v * s.best[i]
		}
		if s.way[p] = d; d > 1e-9 && s.lambda[p] < least*d {
			leave, least = p, s.lambda[p]/d
		}
	}
	if leave < 0 {
		return false
	}
	row := s.inverse[leave*k : (leave+1)*k]
	for i := range row {
		row[i] /= s.way[leave]
	}
	for p := range k {
		d := s.way[p]
		if p == leave || d == 0 {
			continue
		}
		s.lambda[p] = math.Max(s.lambda[p]-d*least, 0)
		for i, v := range row {
			s.inverse[p*k+i] -= d * v
		}
	}
	s.lambda[leave], s.surplus[leave] = least, surplus
	return true
}

// solveKnapsack finds the pattern with the largest value, best, or after some steps the best so far if that improves
// the combination. It returns false if it takes too long.
func (s *hullSearch) solveKnapsack() bool {
	s.order = s.order[:0]
	for k := range s.k {
		if s.pattern[k] = 0; s.pi[k] > 0 {
			s.order = append(s.order, int32(k))
		}
	}
	slices.SortFunc(s.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.pi[b]*s.items[a].weight, s.pi[a]*s.items[b].weight), cmp.Compare(a, b))
	})
	s.value, s.steps = 0, 0
	s.fill(0, s.room, 0)
	s.v.work += 4 * s.steps
	return s.steps <= hullSteps || s.value > 1+hullViolation
}

// fill tries the counts of the item at a place of the order, the largest first, and what they leave for the next.
func (s *hullSearch) fill(place int, room, value float64) {
	if s.steps++; s.steps > hullSteps || s.steps > hullEnough && s.value > 1+hullViolation {
		return
	}
	if place == len(s.order) {
		if value > s.value {
			s.value = value
			copy(s.best, s.pattern)
		}
		return
	}
	k := s.order[place]
	it, pi := &s.items[k], s.pi[k]
	next := 0.0 // value for the weight of the next item
	if place+1 < len(s.order) {
		l := s.order[place+1]
		next = s.pi[l] / s.items[l].weight
	}
	for n := math.Min(it.width, math.Floor(room/it.weight)); n >= 0; n-- {
		left := room - n*it.weight
		if value+n*pi+left*next <= s.value*(1+1e-12) {
			break // fewer of it are worth less
		}
		s.pattern[k] = n
		s.fill(place+1, left, value+n*pi)
	}
	s.pattern[k] = 0
}
