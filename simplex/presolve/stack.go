package presolve

import "github.com/proxybd/proxybd/internal/activity"

// Status is the place of a variable, with the numbers of simplex.VarStatus.
type Status uint8

// The statuses.
const (
	AtLower Status = iota // nonbasic at its lower bound, also if the bounds are equal
	AtUpper               // nonbasic at its upper bound
	AtZero                // nonbasic at 0, without bounds
	Basic
)

// record is the memory of one reduction. Its undo turns an optimal solution of the stage after the reduction into one
// of the stage before.
type record interface{ undo(s *restore) }

// vec is a sparse vector in the arena of the stack.
type vec struct{ lo, hi int }

// stack holds the records and the entries of their vectors.
type stack struct {
	records []record
	index   []int32
	value   []float64
}

// push adds a record.
func (s *stack) push(r record) { s.records = append(s.records, r) }

// get returns the indices and values of a vector.
func (s *stack) get(v vec) ([]int32, []float64) { return s.index[v.lo:v.hi], s.value[v.lo:v.hi] }

// saveRow stores the entries of row i, without that of column skip.
func (p *problem) saveRow(i, skip int32) vec {
	s := &p.stack
	v := vec{lo: len(s.index)}
	for e := range p.A.Row(i) {
		if e.Col != skip {
			s.index = append(s.index, e.Col)
			s.value = append(s.value, e.Val)
		}
	}

	v.hi = len(s.index)
	p.Work += v.hi - v.lo
	return v
}

// saveCol stores the entries of column j, without that of row skip.
func (p *problem) saveCol(j, skip int32) vec {
	s := &p.stack
	v := vec{lo: len(s.index)}
	for e := range p.A.Col(j) {
		if e.Row != skip {
			s.index = append(s.index, e.Row)
			s.value = append(s.value, e.Val)
		}
	}

	v.hi = len(s.index)
	p.Work += v.hi - v.lo
	return v
}

// restore is the solution while the records are undone: values x, duals y, reduced costs d and statuses, in the columns
// and rows of the given problem. Only those of the current stage have a meaning.
type restore struct {
	*stack
	x, y, d  []float64
	col, row []Status
}

// place sets the value and the status of column j.
func (s *restore) place(j int32, x float64, st Status) {
	s.x[j] = x
	s.col[j] = st
}

// basicCol makes column j basic: its reduced cost is 0.
func (s *restore) basicCol(j int32) {
	s.col[j] = Basic
	s.d[j] = 0
}

// basicRow makes the logical of row i basic: its dual is 0.
func (s *restore) basicRow(i int32) {
	s.row[i] = Basic
	s.y[i] = 0
}

// dot returns the product of a saved vector and v.
func (s *restore) dot(a vec, v []float64) float64 {
	index, value := s.get(a)
	sum := 0.0
	for k, i := range index {
		sum += value[k] * v[i]
	}
	return sum
}

// owner decides, for a nonbasic variable some of whose bounds come from another part of the problem, whether the bound
// at which it rests is one of these. Then the other part takes over its dual value d. newLo and newUp are the bounds
// that come from there; fixed holds if they are equal. The status returned is the bound at which the variable rests if
// it is not taken over.
func owner(st Status, d float64, newLo, newUp, fixed bool) (Status, bool) {
	// Basic and free variables rest on no bound.
	if st == Basic || st == AtZero {
		return st, false
	}

	// At equal bounds the sign of the dual value decides; without one, a bound of the variable itself.
	if fixed {
		switch {
		case d > 0:
			st = AtLower
		case d < 0:
			st = AtUpper
		case !newLo:
			st = AtLower
		case !newUp:
			st = AtUpper
		}
	}
	if st == AtLower {
		return st, newLo
	}
	return st, newUp
}

// boundAt returns the bound, or the side, at which a nonbasic variable with the status rests: the lower one unless the
// status is AtUpper.
func boundAt(st Status, lo, up float64) float64 {
	if st == AtUpper {
		return up
	}
	return lo
}

// huge reports whether a finite bound is so large that nothing is derived from it.
func huge(lo, up float64) bool {
	return activity.FiniteSize(lo) > hugeBound || activity.FiniteSize(up) > hugeBound
}

// opposite returns the other bound of a variable; other statuses are unchanged.
func opposite(st Status) Status {
	switch st {
	case AtLower:
		return AtUpper
	case AtUpper:
		return AtLower
	}
	return st
}

// sideFor returns st if positive holds, and otherwise the opposite bound.
func sideFor(st Status, positive bool) Status {
	if positive {
		return st
	}
	return opposite(st)
}
