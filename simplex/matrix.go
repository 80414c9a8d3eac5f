package simplex

import (
	"slices"

	"github.com/proxybd/proxybd/internal/sparse"
)

// matrix is the constraint matrix, by column and by row, with its scales.
type matrix struct {
	n, m               int             // columns and rows
	cols               *sparse.Dynamic // by column, scaled
	rows               *sparse.Dynamic // by row, as given, in the parts of partition
	partition          partition       // of rows
	colScale, rowScale []float64       // powers of two: scaled a_ij = rowScale_i a_ij colScale_j
	scaling            bool            // rows and columns have scales other than 1
	wide               bool            // entries of a row are far apart; see isWide
	fingerprint        fingerprint
	shape              int // counts changes of rows and columns
	numbering          int // counts those that number the variables anew, and of their units
}

// load takes the matrix by, by column, and finds its scales; cost are the costs of the columns, not scaled.
func (a *matrix) load(by *sparse.Matrix, rows int, cost []float64, scaling bool) {
	by = dropZeros(by)
	a.n = by.Major
	a.m = rows
	a.scaling = scaling

	// The copy by row keeps the coefficients as given, the one by column is scaled in place.
	a.cols = sparse.NewDynamic(by)
	a.rows = sparse.TakeDynamic(by.Transpose())
	a.wide = isWide(a.rows)
	a.findScales(cost)
	a.partition.start(a)
}

// dropZeros returns a without explicit zeros.
func dropZeros(a *sparse.Matrix) *sparse.Matrix {
	// Most matrices have no explicit zeros, and are taken as they are.
	if !slices.Contains(a.Value, 0) {
		return a
	}

	b := &sparse.Matrix{Major: a.Major, Minor: a.Minor, Start: make([]int, a.Major+1)}
	for k := range a.Major {
		index, value := withoutZeros(a.Vec(k))
		b.Index = append(b.Index, index...)
		b.Value = append(b.Value, value...)
		b.Start[k+1] = len(b.Index)
	}
	return b
}

// withoutZeros is dropZeros for one row or column.
func withoutZeros(index []int32, value []float64) ([]int32, []float64) {
	if !slices.Contains(value, 0) {
		return index, value
	}

	var idx []int32
	var val []float64
	for k, v := range value {
		if v != 0 {
			idx = append(idx, index[k])
			val = append(val, v)
		}
	}
	return idx, val
}

// unit returns the unit of variable v: its value in the model is this many times the scaled one.
func (a *matrix) unit(v int32) float64 {
	if int(v) < a.n {
		return a.colScale[v]
	}
	return 1 / a.rowScale[int(v)-a.n]
}

// addColumn adds t times the column of variable v to x, whose pattern must be known.
func (a *matrix) addColumn(x *sparse.Vector, v int32, t float64) {
	if int(v) >= a.n {
		x.Add(v-int32(a.n), -t)
		return
	}

	index, value := a.cols.Vec(int(v))
	for p, i := range index {
		x.Add(i, t*value[p])
	}
}

// meanRow returns the mean number of entries of a row.
func (a *matrix) meanRow() float64 { return float64(a.rows.NNZ()) / float64(a.m) }

// appendRow adds a row, of unscaled coefficients, and returns its scale.
func (a *matrix) appendRow(index []int32, value []float64) (scale float64) {
	// The scale of the new row follows from its entries under the scales of the columns.
	scale = a.scaleFor(index, value, a.colScale)
	a.rows.AddVec(index, value)
	a.partition.appendRow(a)
	for k, j := range index {
		a.cols.Append(int(j), int32(a.m), value[k]*scale*a.colScale[j])
	}

	a.rowScale = append(a.rowScale, scale)
	a.fingerprint.appendRow(a, index, value, scale)
	a.m++
	a.shape++
	return scale
}

// appendColumn adds a column, of unscaled coefficients, and returns its scale.
func (a *matrix) appendColumn(index []int32, value []float64) (scale float64) {
	// The entries go to both copies: scaled by column, as given by row.
	scale = a.scaleFor(index, value, a.rowScale)
	scaled := make([]float64, len(value))
	for k, i := range index {
		scaled[k] = value[k] * scale * a.rowScale[i]
		a.rows.Append(int(i), int32(a.n), value[k])
		a.partition.appendEntry(a, i)
	}
	a.cols.AddVec(index, scaled)
	a.partition.appendColumn()

	a.colScale = append(a.colScale, scale)
	a.n++
	a.shape++
	a.renumbered()
	return scale
}

// deleteRows removes the rows with drop; to has the new numbers of the others.
func (a *matrix) deleteRows(drop []bool, to []int32) {
	a.cols.Renumber(to)
	a.rows.DeleteVecs(drop)
	a.partition.deleteRows(drop)

	a.rowScale = keep(a.rowScale, drop)
	a.m = len(a.rowScale)
	a.shape++
	a.renumbered()
}

// deleteColumns removes the columns with drop.
func (a *matrix) deleteColumns(drop []bool) {
	a.rows.Renumber(renumbering(drop))
	a.partition.deleteColumns(a, drop)
	a.cols.DeleteVecs(drop)

	a.colScale = keep(a.colScale, drop)
	a.n = len(a.colScale)
	a.shape++
	a.renumbered()
}

// renumbered counts a change of the numbers or units of variables.
func (a *matrix) renumbered() {
	a.numbering++
	a.fingerprint.invalidate()
}

// keep removes the elements with drop.
func keep[T any](v []T, drop []bool) []T {
	to := 0
	for k, x := range v {
		if !drop[k] {
			v[to] = x
			to++
		}
	}
	return v[:to]
}

// renumbering returns the numbers that are left after drop, -1 for those that go.
func renumbering(drop []bool) []int32 {
	to := make([]int32, len(drop))
	next := int32(0)

	// The numbers of those that stay are in the old order.
	for k, d := range drop {
		to[k] = -1
		if !d {
			to[k] = next
			next++
		}
	}
	return to
}
