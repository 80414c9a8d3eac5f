package cuts

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/activity"
)

// variableBounds are bounds of the columns that depend on an integer column: x_j <= constant + slope*x_k and likewise
// from below. They come from rows with two entries, from the implications that presolve found, and from longer rows
// whose other columns leave x_j less room at one value of a binary column than at the other.
type variableBounds struct {
	m            *Model
	upper, lower [][]variableBound // by column
	pair         []bool            // by row of the model: it is a variable bound and no more
	near         [2][]int32        // index of the tightest bound at the LP point, in lower and in upper; -1 for none
	room         []float64         // distance of a column from its nearest bound at the LP point

	// mayRound holds for integer columns with a fractional value, and for columns whose tightest variable bounds have such
	// a column.
	mayRound []bool
}

// variableBound is constant + slope*x_col.
type variableBound struct {
	col             int32
	constant, slope float64
}

// at is the value of the bound at x.
func (b *variableBound) at(x []float64) float64 { return b.constant + b.slope*x[b.col] }

// newVariableBounds reads the variable bounds of m.
func newVariableBounds(m *Model) *variableBounds {
	n := len(m.Integer)
	v := &variableBounds{
		m:        m,
		upper:    make([][]variableBound, n),
		lower:    make([][]variableBound, n),
		pair:     make([]bool, len(m.RowLower)),
		near:     [2][]int32{make([]int32, n), make([]int32, n)},
		room:     make([]float64, n),
		mayRound: make([]bool, n),
	}

	// Rows with two entries give the exact bounds, and come before what is derived.
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
// binary columns, and these many bounds would leave no place for others in the lists.
func (v *variableBounds) readRows() {
	m := v.m
	budget := variableWork

	// The budget bounds the pairs of a binary column and another one.
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

// readImplications reads the bounds that presolve has found for a column at the two values of a binary one. At a value
// without an implication the column's own bound holds.
func (v *variableBounds) readImplications() {
	type side struct {
		col, then int32
		upper     bool
	}
	atZero := map[side]float64{}

	// Implications between two binary columns are cliques, not variable bounds.
	for _, i := range v.m.Implications {
		if !v.m.binary(i.Col) || v.m.binary(i.Then) {
			continue
		}

		own := activity.End(i.Upper, v.m.Lower[i.Then], v.m.Upper[i.Then])

		// The implication for 0 precedes the one for 1 of the same columns, which then replaces the weaker bound.
		key := side{i.Col, i.Then, i.Upper}
		if i.Value == 0 {
			atZero[key] = i.Bound
			v.imply(i.Then, i.Col, i.Bound, own, i.Upper)
		} else if zero, ok := atZero[key]; ok {
			v.imply(i.Then, i.Col, zero, i.Bound, i.Upper)
		} else {
			v.imply(i.Then, i.Col, own, i.Bound, i.Upper)
		}
	}
}

// binaries lists the positions of the binary columns of a row, nil if it has no others.
func (v *variableBounds) binaries(index []int32) []int {
	var list []int
	for k, j := range index {
		if v.m.binary(j) {
			list = append(list, k)
		}
	}

	// A row without other columns bounds none.
	if len(list) == len(index) {
		return nil
	}
	return list
}

// readPair reads the variable bounds of a row with two entries: of either column, where the other one is integer.
func (v *variableBounds) readPair(index []int32, value []float64, lower, upper float64) {
	// Either column may be bounded by the other one, if that is integer.
	for k := range 2 {
		x, y := index[k], index[1-k]
		a, b := value[k], value[1-k]
		unsuitable := !v.m.Integer[y] || v.m.binary(x)
		if unsuitable || math.Abs(a) < minPivot || b == 0 {
			continue
		}

		// Now lower <= a x + b y <= upper with a > 0.
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

// readRow reads the bounds that sign*value'x[index] <= side implies with each of its binary columns, which are at the
// positions binaries: the other terms have their least values.
func (v *variableBounds) readRow(index []int32, value []float64, binaries []int, side, sign float64) {
	if math.IsInf(side, 0) {
		return
	}

	// The least activity is least, plus infinite terms that are minus infinity; size bounds its rounding error.
	least := 0.0
	size := math.Abs(side)
	infinite := 0

	// The least values of all terms; infinite ones are counted.
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
		if v.m.binary(j) || math.Abs(a) < minPivot {
			continue
		}

		// The activity of the rest is finite only if no other term is infinite.
		rest := least // of the other terms
		t := v.leastTerm(j, a)
		switch {
		case math.IsInf(t, 0) && infinite > 1, !math.IsInf(t, 0) && infinite > 0:
			continue
		case !math.IsInf(t, 0):
			rest -= t
		}

		// At the value 0 or 1 of the binary column the rest of the side is left for x_j.
		for _, l := range binaries {
			b := sign * value[l]
			room := side - (rest - math.Min(b, 0))
			smaller := math.Min(math.Abs(room), math.Abs(room-b))
			if roundingUnit*size > relaxBy*math.Max(math.Abs(a), smaller) {
				continue // a bound would be rounding errors of large terms
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

// imply records that x_j is bounded by at0 where the binary column y is 0 and by at1 where it is 1, unless the
// difference is too small to matter or a constant bound implies it.
func (v *variableBounds) imply(j, y int32, at0, at1 float64, upper bool) {
	lo, up := v.m.Lower[j], v.m.Upper[j]

	// Bounds of an integer column are integers.
	if v.m.Integer[j] {
		at0 = inward(at0, upper)
		at1 = inward(at1, upper)
	}

	// A bound is no weaker than the constant one.
	if upper {
		at0 = math.Min(at0, up)
		at1 = math.Min(at1, up)
	} else {
		at0 = math.Max(at0, lo)
		at1 = math.Max(at1, lo)
	}

	// A bound that hardly depends on the binary column is of no use.
	gain := math.Abs(at0 - at1)
	scale := math.Max(1, math.Min(up-lo, math.Max(math.Abs(at0), math.Abs(at1))))
	if !(gain > variableGain*scale) || math.IsInf(gain, 0) {
		return
	}

	// Where x_j has no value left at 0 or at 1, y is fixed: propagation finds that.
	list := &v.lower[j]
	fixes := math.Max(at0, at1) > up
	if upper {
		list = &v.upper[j]
		fixes = math.Min(at0, at1) < lo
	}
	if !fixes {
		v.keep(list, variableBound{y, at0, at1 - at0})
	}
}

// inward rounds a bound of an integer column, from farther outside than the rounding error that readRow allows it.
func inward(bound float64, upper bool) float64 {
	slack := math.Max(impliedTol, impliedErrors*relaxBy*math.Abs(bound))
	if upper {
		return math.Floor(bound + slack)
	}
	return math.Ceil(bound - slack)
}

// keep adds b to a list unless the list has it already or is full, or the slope is too large.
func (v *variableBounds) keep(list *[]variableBound, b variableBound) {
	// The first bounds of a column are kept: rows with two entries come before longer ones.
	full := len(*list) >= maxVariable
	if full || math.Abs(b.slope) > variableSlope || slices.Contains(*list, b) {
		return
	}
	*list = append(*list, b)
}

// refresh finds the tightest variable bounds at x, and the room of every column.
func (v *variableBounds) refresh(x []float64) {
	for j := range v.upper {
		v.near[0][j] = tightest(v.lower[j], x, -1)
		v.near[1][j] = tightest(v.upper[j], x, 1)
		v.measure(int32(j), x)
	}
}

// tightest returns the index of the bound for which sign times its value at x is least, the first of several; -1 for an
// empty list.
func tightest(list []variableBound, x []float64, sign float64) int32 {
	at := int32(-1)
	best := inf
	for k := range list {
		if v := sign * list[k].at(x); v < best {
			best = v
			at = int32(k)
		}
	}
	return at
}

// measure computes room and mayRound of a column. An aggregation without a column or logical that may be rounded is not
// rounded: no rounding of it removes the LP point.
func (v *variableBounds) measure(j int32, x []float64) {
	// The room of a continuous column is measured from its variable bounds too.
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

// fractional reports whether x is no integer, within tolerance.
func fractional(x float64) bool { return math.Abs(x-math.Round(x)) > atBound }

// nearestUpper returns the tightest variable upper bound of column j at the LP point, nil without one.
func (v *variableBounds) nearestUpper(j int32) *variableBound {
	if k := v.near[1][j]; k >= 0 {
		return &v.upper[j][k]
	}
	return nil
}

// nearestLower returns the tightest variable lower bound of column j at the LP point, nil without one.
func (v *variableBounds) nearestLower(j int32) *variableBound {
	if k := v.near[0][j]; k >= 0 {
		return &v.lower[j][k]
	}
	return nil
}
