package simplex

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/sparse"
)

// infeasibilities holds the positions whose basic variable violates its bounds, with the squares of the
// violations, so that the choice of a row looks at those only. Where columns are dense, half of the positions may
// change sides in every step, at random: the loops over them have no branch that depends on it.
type infeasibilities struct {
	value  []float64 // squared violation by position, 0 where feasible
	list   []int32   // the positions that violate their bounds, and some that did at the last choose
	listed []uint8   // 1 by position in list
	tol    float64   // smallest violation that counts
}

// resize makes room for m positions.
func (l *infeasibilities) resize(m int) {
	l.value = resize(l.value, m)
	l.listed = resize(l.listed, m)
}

// addRow makes room for a row, feasible until check looks at it.
func (l *infeasibilities) addRow() {
	l.value = append(l.value, 0)
	l.listed = append(l.listed, 0)
}

// findInfeasible looks at all positions anew.
func (x *primals) findInfeasible() {
	l := &x.infeasible
	l.tol = x.tol
	l.resize(len(x.basic))
	l.list = l.list[:0]
	clear(l.listed)

	// The list is filled by check, position by position.
	for p := range l.value {
		x.check(int32(p))
	}
}

// squared returns the square of the larger of over and under where that is above tol, else 0; above is 1 or 0.
func squared(over, under, tol float64) (v float64, above uint8) {
	t := max(over, under)
	var mask uint64
	if t > tol {
		mask = math.MaxUint64
		above = 1
	}

	// The mask of zeros makes the square zero.
	return math.Float64frombits(math.Float64bits(t*t) & mask), above
}

// check looks at position p again.
func (x *primals) check(p int32) {
	l := &x.infeasible
	v, above := squared(x.basic[p]-x.up[p], x.lo[p]-x.basic[p], l.tol)
	l.value[p] = v

	// It is listed once, and leaves the list at the next choose where it is feasible by then.
	if above > l.listed[p] {
		l.add(p)
	}
}

// add lists position p.
func (l *infeasibilities) add(p int32) {
	l.list = append(l.list, p)
	l.listed[p] = 1
}

// move changes the basic variables by -t times v.
func (x *primals) move(t float64, v *sparse.Vector) {
	l := &x.infeasible
	basic := x.basic
	tol := l.tol

	// Slices of the same length need no check of their bounds in the loop.
	lo, up, value, listed := x.lo[:len(basic)], x.up[:len(basic)], l.value[:len(basic)], l.listed[:len(basic)]
	for _, p := range v.Index[:v.N] {
		at := basic[p] - t*v.Value[p]
		square, above := squared(at-up[p], lo[p]-at, tol)
		basic[p] = at
		value[p] = square
		if above > listed[p] {
			l.add(p)
		}
	}
}

// choose returns the position with the largest violation in the norm of the weights that is not tabu, or -1: the
// largest value / weight, compared by products. Positions that are feasible by now leave the list.
func (l *infeasibilities) choose(weight []float64, tabu *tabu) int32 {
	list, value := l.list, l.value
	weight, listed := weight[:len(value)], l.listed[:len(value)]
	best := int32(-1)
	bestV := 0.0
	bestW := 1.0
	n := 0
	for _, p := range list {
		// A position stays in the list while it is infeasible, which is written down without a branch.
		v := value[p]
		w := weight[p]
		var stays uint8
		if v > 0 {
			stays = 1
		}
		list[n] = p
		listed[p] = stays
		n += int(stays)

		if v*bestW > bestV*w && !(tabu.count > 0 && tabu.row[p]) {
			best = p
			bestV = v
			bestW = w
		}
	}
	l.list = list[:n]
	return best
}

// none reports whether no position violates its bounds.
func (l *infeasibilities) none() bool {
	return !slices.ContainsFunc(l.list, func(p int32) bool { return l.value[p] > 0 })
}

// largest returns the largest violation.
func (l *infeasibilities) largest() float64 {
	// The squares are stored, so that the root is taken once.
	worst := 0.0
	for _, p := range l.list {
		worst = max(worst, l.value[p])
	}
	return math.Sqrt(worst)
}

// sum returns the sum of the violations.
func (l *infeasibilities) sum() float64 {
	sum := 0.0
	for _, p := range l.list {
		sum += math.Sqrt(l.value[p])
	}
	return sum
}
