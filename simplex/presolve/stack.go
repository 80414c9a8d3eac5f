package presolve

// Status says where a variable is, with the numbers of simplex.VarStatus.
type Status uint8

const (
	AtLower Status = iota // nonbasic at its lower bound; a fixed variable too
	AtUpper               // nonbasic at its upper bound
	AtZero                // nonbasic and free, with value 0
	Basic
)

// record undoes one reduction.
type record interface{ undo(s *restore) }

// vec is a sparse vector in the arena of the stack.
type vec struct{ lo, hi int }

// stack holds the records and the vectors that they saved.
type stack struct {
	records []record
	index   []int32
	value   []float64
}

func (s *stack) push(r record) { s.records = append(s.records, r) }

func (s *stack) get(v vec) ([]int32, []float64) { return s.index[v.lo:v.hi], s.value[v.lo:v.hi] }

// saveRow stores the entries of row i, without that of column skip.
func (p *problem) saveRow(i, skip int32) vec {
	s := &p.stack
	v := vec{lo: len(s.index)}
	for k := p.A.RowHead[i]; k >= 0; k = p.A.E[k].NextR {
		if e := &p.A.E[k]; e.Col != skip {
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
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		if e := &p.A.E[k]; e.Row != skip {
			s.index = append(s.index, e.Row)
			s.value = append(s.value, e.Val)
		}
	}
	v.hi = len(s.index)
	p.Work += v.hi - v.lo
	return v
}

// restore is the solution while the records are undone: values, duals and statuses by the columns and
// rows of the problem as given, of which those of the present stage have a meaning.
type restore struct {
	*stack
	x, y, d  []float64
	col, row []Status
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

// owner decides, for a nonbasic variable whose bounds were tightened by another part of the problem,
// whether the bound that it rests on is such a tightened one, which then takes over its dual value d.
// newLo and newUp say which bounds were tightened, fixed that they are equal. Where the variable keeps
// its place, the status returned is the side that it rests on.
func owner(st Status, d float64, newLo, newUp, fixed bool) (Status, bool) {
	if st == Basic || st == AtZero {
		return st, false
	}
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
	return st, st == AtLower && newLo || st == AtUpper && newUp
}

// opposite returns the other side.
func opposite(st Status) Status {
	switch st {
	case AtLower:
		return AtUpper
	case AtUpper:
		return AtLower
	}
	return st
}

// sideFor returns st if positive, else the opposite side.
func sideFor(st Status, positive bool) Status {
	if positive {
		return st
	}
	return opposite(st)
}
