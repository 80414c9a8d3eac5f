package cuts

import "math"

// variableBounds are bounds of the columns that depend on an integer column: x_j <= constant +
// slope*x_k and likewise from below. They come from rows with two entries, and from longer rows whose
// other columns leave x_j less room at one value of a binary column than at the other.
type variableBounds struct {
	m            *Model
	upper, lower [][]variableBound // by column
	pair         []bool            // row of the model that is a variable bound and no more
	near         [2][]int32        // index of the bound nearest to the LP point in lower, upper; -1 for none
	room         []float64         // distance of a continuous column from its nearest bound at the LP point

	// mayRound are the integer columns with a fractional value, and those whose variable bounds have such a column.
	mayRound []bool
}

type variableBound struct {
	col             int32
	constant, slope float64
}

func (b *variableBound) at(x []float64) float64 { return b.constant + b.slope*x[b.col] }

func newVariableBounds(m *Model) *variableBounds {
	n := len(m.Integer)
	v := &variableBounds{m: m, upper: make([][]variableBound, n), lower: make([][]variableBound, n),
		pair: make([]bool, len(m.RowLower))}
	v.near[0], v.near[1] = make([]int32, n), make([]int32, n)
	v.room, v.mayRound = make([]float64, n), make([]bool, n)
	for i := range m.RowLower {
		if index, value := m.ByRow.Vec(i); len(index) == 2 {
			v.readPair(index, value, m.RowLower[i], m.RowUpper[i])
			v.pair[i] = m.Integer[index[0]] != m.Integer[index[1]]
		}
	}
	v.readImplications()
	v.readRows()
	return v
}

// readRows reads longer rows. They come last: a capacity gives every column a slightly tighter bound for each of its
// binary columns, and of so many the list would hold no other.
func (v *variableBounds) readRows() {
	m, budget := v.m, variableWork
	for i := range m.RowLower {
		index, value := m.ByRow.Vec(i)
		if len(index) == 2 {
			continue
		}
		if binaries := v.binaries(index); len(binaries) > 0 && len(binaries)*len(index) <= budget {
			budget -= len(binaries) * len(index)
			v.readRow(index, value, binaries, m.RowUpper[i], 1)
			v.readRow(index, value, binaries, -m.RowLower[i], -1)
		}
	}
}

// readImplications reads what presolve knows of the bounds of a column at the two values of a binary one.
func (v *variableBounds) readImplications() {
	type side struct {
		col, then int32
		upper     bool
	}
	atZero := map[side]float64{}
	for _, i := range v.m.Implications {
		if !v.m.binary(i.Col) || v.m.binary(i.Then) {
			continue
		}
		own := v.m.Lower[i.Then]
		if i.Upper {
			own = v.m.Upper[i.Then]
		}
		if i.Value == 0 { // comes before one
			atZero[side{i.Col, i.Then, i.Upper}] = i.Bound
			v.imply(i.Then, i.Col, i.Bound, own, i.Upper)
		} else if zero, ok := atZero[side{i.Col, i.Then, i.Upper}]; ok {
			v.imply(i.Then, i.Col, zero, i.Bound, i.Upper)
		} else {
			v.imply(i.Then, i.Col, own, i.Bound, i.Upper)
		}
	}
}

// binaries lists the positions of the binary columns of a row that has others too.
func (v *variableBounds) binaries(index []int32) []int {
	var list []int
	for k, j := range index {
		if v.m.binary(j) {
			list = append(list, k)
		}
	}
	if len(list) == len(index) {
		return nil
	}
	return list
}

// readPair reads the bounds of a row with two entries.
func (v *variableBounds) readPair(index []int32, value []float64, lower, upper float64) {
	for k := range 2 {
		x, y, a, b := index[k], index[1-k], value[k], value[1-k]
		if !v.m.Integer[y] || v.m.binary(x) || math.Abs(a) < 1e-6 || b == 0 {
			continue
		}
		lo, up := lower, upper
		if a < 0 {
			a, b, lo, up = -a, -b, -up, -lo
		}
		if !math.IsInf(up, 0) {
			v.keep(&v.upper[x], variableBound{y, up / a, -b / a})
		}
		if !math.IsInf(lo, 0) {
			v.keep(&v.lower[x], variableBound{y, lo / a, -b / a})
		}
	}
}

// readRow reads the bounds that sign*value'x[index] <= side implies with each of its binary columns.
func (v *variableBounds) readRow(index []int32, value []float64, binaries []int, side, sign float64) {
	if math.IsInf(side, 0) {
		return
	}
	least, size, infinite := 0.0, math.Abs(side), 0
	for k, j := range index {
		if t := v.leastTerm(j, sign*value[k]); math.IsInf(t, 0) {
			infinite++
		} else {
			least += t
			size += math.Abs(t)
		}
	}
	for k, j := range index {
		a := sign * value[k]
		if v.m.binary(j) || math.Abs(a) < 1e-6 {
			continue
		}
		rest := least // of the other terms
		t := v.leastTerm(j, a)
		switch {
		case math.IsInf(t, 0) && infinite > 1, !math.IsInf(t, 0) && infinite > 0:
			continue
		case !math.IsInf(t, 0):
			rest -= t
		}
		for _, l := range binaries {
			b := sign * value[l]
			room := side - (rest - math.Min(b, 0))
			if roundingUnit*size > relaxBy*math.Max(math.Abs(a), math.Abs(room)) {
				continue // nothing but rounding of large terms
			}
			v.imply(j, index[l], room/a, (room-b)/a, a > 0)
		}
	}
}

// leastTerm is the least value of a*x_j.
func (v *variableBounds) leastTerm(j int32, a float64) float64 {
	if a > 0 {
		return a * v.m.Lower[j]
	}
	return a * v.m.Upper[j]
}

// imply records that x_j is bounded by at0 where the binary column y is 0 and by at1 where it is 1.
func (v *variableBounds) imply(j, y int32, at0, at1 float64, upper bool) {
	lo, up := v.m.Lower[j], v.m.Upper[j]
	if v.m.Integer[j] {
		if upper {
			at0, at1 = math.Floor(at0+sideTol), math.Floor(at1+sideTol)
		} else {
			at0, at1 = math.Ceil(at0-sideTol), math.Ceil(at1-sideTol)
		}
	}
	if upper {
		at0, at1 = math.Min(at0, up), math.Min(at1, up)
	} else {
		at0, at1 = math.Max(at0, lo), math.Max(at1, lo)
	}
	gain := math.Abs(at0 - at1)
	if !(gain > variableGain*math.Max(1, math.Min(up-lo, math.Max(math.Abs(at0), math.Abs(at1))))) || math.IsInf(gain, 0) {
		return
	}
	if upper && math.Min(at0, at1) < lo || !upper && math.Max(at0, at1) > up {
		return // y has one value left; that is for the propagation to say
	}
	b := variableBound{y, at0, at1 - at0}
	if upper {
		v.keep(&v.upper[j], b)
	} else {
		v.keep(&v.lower[j], b)
	}
}

// keep adds b to a list unless it is there or the list is full.
func (v *variableBounds) keep(list *[]variableBound, b variableBound) {
	if len(*list) >= maxVariable || math.Abs(b.slope) > variableSlope {
		return
	}
	for _, o := range *list {
		if o == b {
			return
		}
	}
	*list = append(*list, b)
}

// refresh finds the nearest bounds at x.
func (v *variableBounds) refresh(x []float64) {
	for j := range v.upper {
		v.near[0][j], v.near[1][j] = -1, -1
		best := inf
		for k := range v.upper[j] {
			if at := v.upper[j][k].at(x); at < best {
				best, v.near[1][j] = at, int32(k)
			}
		}
		best = inf
		for k := range v.lower[j] {
			if at := v.lower[j][k].at(x); -at < best {
				best, v.near[0][j] = -at, int32(k)
			}
		}
		v.look(int32(j), x)
	}
}

// look computes the room of a column, and whether it is lively. A row without lively columns is not
// rounded: no rounding of it removes the LP point.
func (v *variableBounds) look(j int32, x []float64) {
	v.room[j] = math.Min(x[j]-v.m.Lower[j], v.m.Upper[j]-x[j])
	v.mayRound[j] = v.m.Integer[j] && fractional(x[j])
	if v.m.Integer[j] {
		return
	}
	if b := v.nearestUpper(j); b != nil {
		v.room[j] = math.Min(v.room[j], b.at(x)-x[j])
		v.mayRound[j] = fractional(x[b.col])
	}
	if b := v.nearestLower(j); b != nil {
		v.room[j] = math.Min(v.room[j], x[j]-b.at(x))
		v.mayRound[j] = v.mayRound[j] || fractional(x[b.col])
	}
}

func fractional(x float64) bool { return math.Abs(x-math.Round(x)) > atBound }

// nearestUpper returns the tightest variable upper bound of column j at the LP point, nil without one.
func (v *variableBounds) nearestUpper(j int32) *variableBound {
	if k := v.near[1][j]; k >= 0 {
		return &v.upper[j][k]
	}
	return nil
}

// nearestLower is the same for lower bounds.
func (v *variableBounds) nearestLower(j int32) *variableBound {
	if k := v.near[0][j]; k >= 0 {
		return &v.lower[j][k]
	}
	return nil
}
