package simplex

import (
	"math"

	"github.com/proxybd/proxybd/lp"
)

// dualModel is the dual of a model, with a column for each row of that, and the way back for a basis. The columns of
// the whole model are counted from a bound, so that the row of one says, for a minimisation, A_j'y <= c_j at a lower
// bound, >= at an upper one and = for a free column. Otherwise:
//
//   - a row with two different finite bounds has two columns, a multiplier for each;
//   - a column with two different finite bounds has a column too, the multiplier of the second, in its row alone;
//   - a column with one coefficient bounds the multiplier of its row instead of having a row, where both have one side;
//   - a fixed column has nothing.
//
// The one is minimised where the other is maximised, with the same optimum, offsets included.
type dualModel struct {
	*lp.Model
	whole    *lp.Model
	row      []int32 // of a column of the whole model; -1 where it has none
	far      []int32 // the column for its upper bound; -1 where it has none
	lower    []int32 // of a row: the column for its lower bound; -1 where it has none
	upper    []int32 // ... for its upper bound; the same one where the row is an equation
	least    []int32 // by column: the column of the whole model that sets its lower bound; -1 for none
	greatest []int32 // ... its upper bound
}

// newDualModel returns the dual of m, or nil where m is invalid or a lower bound exceeds its upper one.
func newDualModel(m *lp.Model) *dualModel {
	a, err := m.Matrix()
	if err != nil {
		return nil
	}
	d := &dualModel{Model: &lp.Model{Maximize: !m.Maximize, Offset: m.Offset}, whole: m}
	for i := range m.Rows {
		if m.Rows[i].Lower > m.Rows[i].Upper {
			return nil
		}
		d.addMultipliers(&m.Rows[i])
	}
	d.Grow(m.NumEntries())
	for j := range m.Cols {
		if m.Cols[j].Lower > m.Cols[j].Upper {
			return nil
		}
		index, value := a.Vec(j)
		d.addColumn(&m.Cols[j], int32(j), index, value)
	}
	return d
}

// addMultipliers adds the columns for a row of the whole model.
func (d *dualModel) addMultipliers(r *lp.Row) {
	lower, upper := int32(-1), int32(-1)
	switch {
	case r.Lower == r.Upper:
		lower = d.addPrice(r.Lower, math.Inf(-1), lp.Inf)
		upper = lower
	default:
		if !isInf(r.Lower) {
			lower = d.addLowerPrice(r.Lower)
		}
		if !isInf(r.Upper) {
			upper = d.addUpperPrice(r.Upper)
		}
	}
	d.lower, d.upper = append(d.lower, lower), append(d.upper, upper)
}

// addLowerPrice adds the multiplier of a lower bound, addUpperPrice that of an upper one.
func (d *dualModel) addLowerPrice(bound float64) int32 {
	if d.whole.Maximize {
		return d.addPrice(bound, math.Inf(-1), 0)
	}
	return d.addPrice(bound, 0, lp.Inf)
}

func (d *dualModel) addUpperPrice(bound float64) int32 {
	if d.whole.Maximize {
		return d.addPrice(bound, 0, lp.Inf)
	}
	return d.addPrice(bound, math.Inf(-1), 0)
}

// addPrice adds a column and returns its number.
func (d *dualModel) addPrice(cost, lower, upper float64) int32 {
	d.least, d.greatest = append(d.least, -1), append(d.greatest, -1)
	return int32(d.AddCol(lp.Col{Cost: cost, Lower: lower, Upper: upper}))
}

// addColumn adds what column j of the whole model is in the dual.
func (d *dualModel) addColumn(c *lp.Col, j int32, index []int32, value []float64) {
	if from := origin(c); from != 0 {
		d.Offset += c.Cost * from
		for k, i := range index {
			d.each(i, func(y int32) { d.Cols[y].Cost -= value[k] * from })
		}
	}
	row, far := int32(-1), int32(-1)
	if c.Lower != c.Upper && !d.bound(c, j, index, value) {
		row = int32(d.AddRow(d.slope(c), nil, nil))
		for k, i := range index {
			d.each(i, func(y int32) { d.AddEntry(lp.Con(row), lp.Var(y), value[k]) })
		}
		if !isInf(c.Lower) && !isInf(c.Upper) {
			far = d.addUpperPrice(c.Upper - c.Lower)
			d.AddEntry(lp.Con(row), lp.Var(far), 1)
		}
	}
	d.row, d.far = append(d.row, row), append(d.far, far)
}

// each calls f for the columns of row i of the whole model.
func (d *dualModel) each(i int32, f func(y int32)) {
	lower, upper := d.lower[i], d.upper[i]
	if lower >= 0 {
		f(lower)
	}
	if upper >= 0 && upper != lower {
		f(upper)
	}
}

// origin returns what a column is counted from.
func origin(c *lp.Col) float64 {
	switch {
	case !isInf(c.Lower):
		return c.Lower
	case !isInf(c.Upper):
		return c.Upper
	}
	return 0
}

// slope returns the row which says that the reduced cost of c has the right sign.
func (d *dualModel) slope(c *lp.Col) lp.Row {
	r := lp.Row{Lower: c.Cost, Upper: c.Cost}
	switch {
	case isInf(c.Lower) && isInf(c.Upper):
	case isInf(c.Lower) == d.whole.Maximize:
		r.Lower = math.Inf(-1)
	default:
		r.Upper = lp.Inf
	}
	return r
}

// bound turns the slope of a column with one coefficient into a bound of the multiplier of its row, if that is one, and
// reports whether it did.
func (d *dualModel) bound(c *lp.Col, j int32, index []int32, value []float64) bool {
	if len(index) != 1 || value[0] == 0 || !isInf(c.Lower) && !isInf(c.Upper) {
		return false
	}
	y := max(d.lower[index[0]], d.upper[index[0]])
	if y < 0 || d.lower[index[0]] >= 0 && d.upper[index[0]] >= 0 && d.lower[index[0]] != d.upper[index[0]] {
		return false
	}
	r := d.slope(c)
	lo, up := r.Lower/value[0], r.Upper/value[0]
	if value[0] < 0 {
		lo, up = up, lo
	}
	if lo >= d.Cols[y].Upper || up <= d.Cols[y].Lower {
		return false // which of two bounds holds a multiplier that they leave no room, the basis would not say
	}
	if lo > d.Cols[y].Lower {
		d.Cols[y].Lower, d.least[y] = lo, j
	}
	if up < d.Cols[y].Upper {
		d.Cols[y].Upper, d.greatest[y] = up, j
	}
	return true
}

// basis returns the basis of the whole model that is complementary to basis b of the dual: what has a price that is
// basic is at its bound.
func (d *dualModel) basis(b *Basis) *Basis {
	w := &Basis{Cols: make([]VarStatus, len(d.row)), Rows: make([]VarStatus, len(d.lower))}
	for j := range w.Cols {
		w.Cols[j] = d.colStatus(j, b)
	}
	for i := range w.Rows {
		w.Rows[i] = d.rowStatus(i, b, w.Cols)
	}
	return w
}

func (d *dualModel) colStatus(j int, b *Basis) VarStatus {
	row, far := d.row[j], d.far[j]
	switch {
	case far >= 0 && b.Cols[far] == Basic:
		return AtUpper
	case row >= 0 && b.Rows[row] != Basic:
		return Basic
	case isInf(d.whole.Cols[j].Lower):
		return AtUpper // a free column rests at zero, whatever its status
	}
	return AtLower
}

// rowStatus makes the column basic that holds the multiplier at a bound.
func (d *dualModel) rowStatus(i int, b *Basis, cols []VarStatus) VarStatus {
	lower, upper := d.lower[i], d.upper[i]
	switch {
	case d.tight(lower, b, cols):
		return AtLower
	case d.tight(upper, b, cols):
		return AtUpper
	}
	return Basic
}

// tight reports whether the bound with price y, if there is one, holds with equality.
func (d *dualModel) tight(y int32, b *Basis, cols []VarStatus) bool {
	if y < 0 {
		return false
	}
	by := int32(-1)
	switch b.Cols[y] {
	case Basic:
		return true
	case AtLower:
		by = d.least[y]
	case AtUpper:
		by = d.greatest[y]
	}
	if by >= 0 {
		cols[by] = Basic
	}
	return by >= 0
}
