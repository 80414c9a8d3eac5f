package simplex

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/f64"
	"github.com/proxybd/proxybd/internal/sparse"
	"github.com/proxybd/proxybd/lp"
)

// inverse is the inverse of a basis of few rows, as a dense matrix by columns. With so few rows a solve with L and U
// costs more for finding the entries than for the arithmetic with them; the inverse has SIMD kernels for all of it: a
// row is a copy, a solve a sum of columns, an exchange of a basic variable one elimination step on the columns.
type inverse struct {
	valid bool
	m     int
	value []float64 // column i, that of row i of the model, is value[i*m : (i+1)*m]; rows are pivots
}

// column returns column i.
func (v *inverse) column(i int32) []float64 {
	at := int(i) * v.m
	return v.value[at : at+v.m]
}

// copyFrom makes v equal to w and reuses its storage.
func (v *inverse) copyFrom(w *inverse) {
	v.valid = w.valid
	if v.m = w.m; w.valid {
		copyTo(&v.value, w.value)
	}
}

// invert makes the inverse from L and U if the basis, whose variables are in head, has few rows.
func (f *factor) invert(head []int32, n int) {
	v := &f.inverse
	v.valid = f.inverted && f.m <= inverseRows
	if !v.valid {
		return
	}

	v.m = f.m
	v.value = resize(v.value, f.m*f.m)
	f.dense = resize(f.dense, f.m)
	x := f.scratch
	if len(x.Value) != f.m {
		x.Resize(f.m)
	}

	// The column of a row whose logical is basic is that of the negative identity. The others take a solve.
	for i := range int32(f.m) {
		column := v.column(i)
		if head[i] == int32(n)+i {
			clear(column)
			column[i] = -1
			continue
		}
		x.Clear()
		x.Add(i, 1)
		f.ftranL(x, true)
		f.ftranU(x, true)
		copy(column, x.Value)
	}
	x.Clear()
}

// ftranInverse is ftran by the inverse. With save the result is kept for updateInverse.
func (f *factor) ftranInverse(x *sparse.Vector, save bool) {
	// The result is the sum of the columns, each times an entry of x; x itself is read until the sum is complete.
	clear(f.dense)
	columns := 0
	for i, t := range x.Value {
		if t != 0 {
			columns++
			f64.Axpy(t, f.inverse.column(int32(i)), f.dense)
		}
	}
	f.chargeColumns(columns)
	f.setDense(x)

	if save {
		copyTo(&f.entering, x.Value)
	}
}

// btranInverse is btran by the inverse; row is the position of the unit vector that x is, or negative.
func (f *factor) btranInverse(x *sparse.Vector, row int32) {
	// The solution for a unit vector is a row of the inverse.
	v := &f.inverse
	if row >= 0 {
		for i := range f.dense {
			f.dense[i] = v.value[i*v.m+int(row)]
		}
		f.chargeColumns(0)
	} else {
		f64.Gemv(v.m, v.m, 1, v.value, v.m, x.Value, 0, f.dense)
		f.chargeColumns(v.m)
	}
	f.setDense(x)
}

// setDense puts the result of a solve into x and finds its pattern.
func (f *factor) setDense(x *sparse.Vector) {
	copy(x.Value, f.dense)
	x.N = -1
	x.Pack(dropTol)
}

// updateInverse is update for the inverse: the entering column, which the last ftran saved, becomes the unit vector of
// p by one elimination step. It returns the relative difference of its entry there to alpha.
func (f *factor) updateInverse(p int32, alpha float64) float64 {
	// Row p is divided by the pivot, and subtracted from each other row times the entry of the entering column there.
	v := &f.inverse
	pivot := f.entering[p]
	columns := 0
	for i := range int32(v.m) {
		column := v.column(i)
		if column[p] == 0 {
			continue
		}
		columns++
		t := column[p] / pivot
		f64.Axpy(-t, f.entering, column)
		column[p] = t
	}
	f.chargeColumns(columns)

	f.updates++
	f.clearSaved()
	return math.Abs(pivot-alpha) / math.Abs(alpha)
}

// addRowInverse is addRow for the inverse, which returns false where that has as many rows as it may have.
func (f *factor) addRowInverse(ids []int32, value []float64) bool {
	v := &f.inverse
	m := v.m
	if m == inverseRows {
		return false
	}

	// The columns move apart, the last one first. Each gets the product of the new row and itself as its new entry.
	f.m++
	v.m++
	v.value = slices.Grow(v.value, v.m*v.m-m*m)[:v.m*v.m]
	for i := m - 1; i >= 0; i-- {
		column := v.column(int32(i))
		copy(column, v.value[i*m:(i+1)*m])
		column[m] = 0
		for k, p := range ids {
			column[m] += value[k] * column[p]
		}
	}

	// The new column is that of the logical.
	last := v.column(int32(m))
	clear(last)
	last[m] = -1

	f.dense = resize(f.dense, f.m)
	f.sizeScratch()
	f.clearSaved()
	f.charge(m * (m + len(ids)))
	return true
}

// dropRowsInverse is dropRows for the inverse: without a row and its logical, which is basic there, the rest stays as
// it is.
func (f *factor) dropRowsInverse(rows []lp.Con, to []int32) {
	// Places only become smaller, in order, so that nothing is overwritten before it is read.
	v := &f.inverse
	at := 0
	for i := range v.m {
		for p := range v.m {
			if to[i] >= 0 && to[p] >= 0 {
				v.value[at] = v.value[i*v.m+p]
				at++
			}
		}
	}
	f.charge(len(v.value))

	f.m -= len(rows)
	v.m = f.m
	v.value = v.value[:at]
	f.dense = f.dense[:f.m]
	f.clearSaved()
}

// chargeColumns counts work on that many columns of the inverse, of which the kernels handle a number of entries in the
// time of one of a sparse vector, and a pass over a vector.
func (f *factor) chargeColumns(n int) { f.charge(n*f.m/inverseEntries + f.m) }
