package interior

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// form is a model in the form that the method iterates on,
//
//	min  cost'x  s.t.  A x = right,  x_j >= 0 unless free,  x_j <= upper,
//
// scaled, with a slack column for each row that is no equation, and without the columns that bounds fix and the rows
// that have no side. A column with a lower bound is shifted to begin at zero; one that has an upper bound alone is
// mirrored first.
type form struct {
	m, n  int
	cols  *sparse.Matrix // A by column
	rows  *sparse.Matrix // A by row
	cost  []float64
	right []float64
	upper []float64 // +Inf for none
	free  []bool
	split workers // of loops over A; one unless newKKT has made more

	// The way back. Column j of the form is column from[j] of the model, or the slack of the row -1-from[j]; its value in
	// the model is shift[j] + unit[j]*size*x_j. Row i is the row rowFrom[i] of the model, multiplied by rowUnit[i].
	from    []int
	shift   []float64
	unit    []float64
	rowFrom []int
	rowUnit []float64

	size   float64 // what values were divided by, after their units
	price  float64 // what costs were divided by
	sense  float64 // 1, or -1 for a maximisation
	offset float64 // of the minimised objective

	pairs                          int // complementary pairs: bounds of columns
	rightSize, costSize, upperSize float64
}

// newForm returns the form of m, scaled as the simplex method scales it. The bounds of m do not cross.
func newForm(m *lp.Model) (*form, error) {
	a, err := m.Matrix()
	if err != nil {
		return nil, err
	}
	rowScale, colScale, err := simplex.Scales(m)
	if err != nil {
		return nil, err
	}

	f := &form{sense: 1, offset: m.Offset}
	if m.Maximize {
		f.sense = -1
		f.offset = -m.Offset
	}

	// Columns need the places of the rows, and slacks follow the columns.
	rowAt := f.addRows(m, rowScale)
	entries := f.addColumns(m, a, rowAt, colScale)
	entries = f.addSlacks(m, entries)

	f.m = len(f.rowFrom)
	f.n = len(f.cost)
	if f.cols, err = sparse.Compress(f.n, f.m, entries); err != nil {
		return nil, err
	}
	f.rows = f.cols.Transpose()
	f.split = newWorkers(f, 1)
	f.normalise()
	f.measure()
	return f, nil
}

// normalise divides right-hand sides and upper bounds, and costs, by powers of two such that the largest right-hand
// side and the largest cost are about 1.
func (f *form) normalise() {
	f.size = powerOfTwo(norm(f.right))
	if norm(f.right) == 0 {
		f.size = f.largestUpper()
	}
	f.price = powerOfTwo(norm(f.cost))
	for i := range f.right {
		f.right[i] /= f.size
	}
	for j := range f.cost {
		f.upper[j] /= f.size
		f.cost[j] /= f.price
	}
}

// largestUpper returns the power of two next to the largest finite upper bound, 1 where there is none.
func (f *form) largestUpper() float64 {
	largest := 0.0
	for j, u := range f.upper {
		if f.boxed(j) {
			largest = max(largest, u)
		}
	}
	return powerOfTwo(largest)
}

// powerOfTwo returns the power of two next to v, 1 for zero.
func powerOfTwo(v float64) float64 {
	if v == 0 {
		return 1
	}
	return math.Ldexp(1, int(math.Round(math.Log2(v))))
}

// measure counts the bounds, and finds the largest right-hand side, cost and upper bound.
func (f *form) measure() {
	f.rightSize = norm(f.right)
	f.costSize = norm(f.cost)
	for j := range f.n {
		if !f.free[j] {
			f.pairs++
		}
		if f.boxed(j) {
			f.pairs++
			f.upperSize = max(f.upperSize, f.upper[j])
		}
	}
}

// addRows makes the rows that have a side, and returns the place of each row of m, -1 for none.
func (f *form) addRows(m *lp.Model, scale []float64) []int32 {
	at := make([]int32, len(m.Rows))
	for i := range m.Rows {
		r := &m.Rows[i]
		at[i] = -1
		if isInf(r.Lower) && isInf(r.Upper) {
			continue
		}

		// The side that the slack is measured from is the right-hand side.
		at[i] = int32(len(f.rowFrom))
		side := r.Lower
		if isInf(side) {
			side = r.Upper
		}
		f.rowFrom = append(f.rowFrom, i)
		f.rowUnit = append(f.rowUnit, scale[i])
		f.right = append(f.right, side*scale[i])
	}
	return at
}

// addColumns makes the columns whose bounds differ. Fixed columns move to the right-hand sides, as do the shifts.
func (f *form) addColumns(m *lp.Model, a *lp.Matrix, rowAt []int32, scale []float64) []sparse.Triplet {
	entries := make([]sparse.Triplet, 0, a.NNZ()+len(m.Rows))
	for j := range m.Cols {
		c := &m.Cols[j]

		// The origin is a bound, and the unit is negative for a column that goes down from it.
		shift := c.Lower
		unit := scale[j]
		switch {
		case isInf(c.Lower) && isInf(c.Upper):
			shift = 0
		case isInf(c.Lower):
			shift = c.Upper
			unit = -unit
		}

		index, value := a.Vec(j)
		f.offset += f.sense * c.Cost * shift
		for k, i := range index {
			if at := rowAt[i]; at >= 0 && shift != 0 {
				f.right[at] -= value[k] * f.rowUnit[at] * shift
			}
		}
		if c.Lower == c.Upper {
			continue
		}

		at := int32(len(f.cost))
		for k, i := range index {
			if row := rowAt[i]; row >= 0 && value[k] != 0 {
				entries = append(entries, sparse.Triplet{Major: at, Minor: row, Value: value[k] * f.rowUnit[row] * unit})
			}
		}
		width := c.Upper - c.Lower
		free := isInf(c.Lower) && isInf(c.Upper)
		f.add(j, f.sense*c.Cost*unit, width/math.Abs(unit), free)
		f.shift = append(f.shift, shift)
		f.unit = append(f.unit, unit)
	}
	return entries
}

// addSlacks makes the slack of each row that is no equation: the distance from its side, in the units of the row.
func (f *form) addSlacks(m *lp.Model, entries []sparse.Triplet) []sparse.Triplet {
	for at, i := range f.rowFrom {
		r := &m.Rows[i]
		if r.Lower == r.Upper {
			continue
		}

		sign := -1.0 // a'x - slack = lower
		if isInf(r.Lower) {
			sign = 1 // a'x + slack = upper
		}
		entries = append(entries, sparse.Triplet{Major: int32(len(f.cost)), Minor: int32(at), Value: sign})
		f.add(-1-i, 0, (r.Upper-r.Lower)*f.rowUnit[at], false)
		f.shift = append(f.shift, 0)
		f.unit = append(f.unit, 1)
	}
	return entries
}

// add appends a column.
func (f *form) add(from int, cost, upper float64, free bool) {
	f.from = append(f.from, from)
	f.cost = append(f.cost, cost)
	f.upper = append(f.upper, upper)
	f.free = append(f.free, free)
}

// boxed reports whether column j has an upper bound.
func (f *form) boxed(j int) bool { return !isInf(f.upper[j]) }

// timesColumns adds t A x to r. With several threads each adds up rows of its own; the terms of a row come in the order
// of the columns in both cases, and the conversions keep them from being rounded differently.
func (f *form) timesColumns(t float64, x, r []float64) {
	if f.split.count > 1 {
		f.split.run(f.split.byRows, func(_, from, to int) {
			for i := from; i < to; i++ {
				sum := r[i]
				for p := f.rows.Start[i]; p < f.rows.Start[i+1]; p++ {
					if v := t * x[f.rows.Index[p]]; v != 0 {
						sum += float64(v * f.rows.Value[p])
					}
				}
				r[i] = sum
			}
		})
		return
	}
	for j, v := range x {
		v *= t
		if v == 0 {
			continue
		}
		for p := f.cols.Start[j]; p < f.cols.Start[j+1]; p++ {
			r[f.cols.Index[p]] += float64(v * f.cols.Value[p])
		}
	}
}

// timesRows adds t A'y to r.
func (f *form) timesRows(t float64, y, r []float64) {
	f.split.run(f.split.byColumns, func(_, from, to int) {
		for j := from; j < to; j++ {
			sum := 0.0
			for p := f.cols.Start[j]; p < f.cols.Start[j+1]; p++ {
				sum += f.cols.Value[p] * y[f.cols.Index[p]]
			}
			r[j] += t * sum
		}
	})
}

// isInf reports an infinite bound.
func isInf(v float64) bool { return math.IsInf(v, 0) }
