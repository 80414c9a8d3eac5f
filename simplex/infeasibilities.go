package simplex

import "math"

// infeasibilities holds the positions whose basic variable violates its bounds, with the squares of the
// violations, so that the choice of a row looks at those only.
type infeasibilities struct {
	value []float64 // squared violation by position, 0 where feasible
	at    []int32   // place in list, -1 where absent
	list  []int32
	tol   float64 // that they are counted by
}

// resize makes room for m positions.
func (l *infeasibilities) resize(m int) { l.value, l.at = resize(l.value, m), resize(l.at, m) }

// addRow makes room for a row, feasible until check looks at it.
func (l *infeasibilities) addRow() { l.value, l.at = append(l.value, 0), append(l.at, -1) }

// findInfeasible looks at all positions anew.
func (x *primals) findInfeasible() {
	l := &x.infeasible
	l.tol = x.tol
	l.resize(len(x.basic))
	l.list = l.list[:0]
	for p := range l.at {
		l.at[p] = -1
		l.value[p] = 0
	}
	for p := range l.at {
		x.check(int32(p))
	}
}

// check looks at position p again.
func (x *primals) check(p int32) {
	l := &x.infeasible
	at := x.basic[p]
	v := 0.0
	if over := at - x.up[p]; over > l.tol {
		v = over * over
	} else if under := x.lo[p] - at; under > l.tol {
		v = under * under
	}
	old := l.value[p]
	l.value[p] = v
	if (v > 0) == (old > 0) {
		return
	}
	if v > 0 {
		l.at[p] = int32(len(l.list))
		l.list = append(l.list, p)
		return
	}
	place, last := l.at[p], len(l.list)-1
	q := l.list[last]
	l.list[place] = q
	l.at[q] = place
	l.list = l.list[:last]
	l.at[p] = -1
}

// largest returns the largest violation.
func (l *infeasibilities) largest() float64 {
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
