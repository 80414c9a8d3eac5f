package simplex

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/lp"
)

// dualModel is the dual of a model, with a column for each row of that, and the way back for a basis. The columns of
// the whole model are counted from a bound, so that the row of one is, for a minimisation, A_j'y <= c_j at a lower
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

	// The sense of the dual is the opposite one, and its optimum is the same.
	d := &dualModel{Model: &lp.Model{Maximize: !m.Maximize, Offset: m.Offset}, whole: m}
	for i := range m.Rows {
		if m.Rows[i].Lower > m.Rows[i].Upper {
			return nil
		}
		d.addMultipliers(&m.Rows[i])
	}

	// The multipliers are there, so that each column can be entered in one go.
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
	var lower, upper int32 = -1, -1

	// The multiplier of an equation is free, and both of its sides have it.
	if r.Lower == r.Upper {
		lower = d.addPrice(r.Lower, math.Inf(-1), lp.Inf)
		upper = lower
	} else {
		if !isInf(r.Lower) {
			lower = d.addSidePrice(r.Lower, !d.whole.Maximize)
		}
		if !isInf(r.Upper) {
			upper = d.addSidePrice(r.Upper, d.whole.Maximize)
		}
	}

	d.lower = append(d.lower, lower)
	d.upper = append(d.upper, upper)
}

// addSidePrice adds the multiplier of a bound, which is nonnegative or else nonpositive.
func (d *dualModel) addSidePrice(bound float64, nonnegative bool) int32 {
	// The sign of a multiplier follows from the side and the sense.
	if nonnegative {
		return d.addPrice(bound, 0, lp.Inf)
	}
	return d.addPrice(bound, math.Inf(-1), 0)
}

// addPrice adds a column and returns its number.
func (d *dualModel) addPrice(cost, lower, upper float64) int32 {
	d.least = append(d.least, -1)
	d.greatest = append(d.greatest, -1)
	return int32(d.AddCol(lp.Col{Cost: cost, Lower: lower, Upper: upper}))
}

// addColumn adds what column j of the whole model is in the dual.
func (d *dualModel) addColumn(c *lp.Col, j int32, index []int32, value []float64) {
	// The column is counted from its origin: what it adds there moves to the offset and to the sides of its rows.
	if from := origin(c); from != 0 {
		d.Offset += c.Cost * from
		for k, i := range index {
			d.each(i, func(y int32) { d.Cols[y].Cost -= value[k] * from })
		}
	}

	// Its row, and the multiplier of its second bound, which is in that row alone.
	var row, far int32 = -1, -1
	if c.Lower != c.Upper && !d.bound(c, j, index, value) {
		row = int32(d.AddRow(d.slope(c), nil, nil))
		for k, i := range index {
			d.each(i, func(y int32) { d.AddEntry(lp.Con(row), lp.Var(y), value[k]) })
		}
		if !isInf(c.Lower) && !isInf(c.Upper) {
			far = d.addSidePrice(c.Upper-c.Lower, d.whole.Maximize)
			d.AddEntry(lp.Con(row), lp.Var(far), 1)
		}
	}
	d.row = append(d.row, row)
	d.far = append(d.far, far)
}

// each calls f for the columns of row i of the whole model.
func (d *dualModel) each(i int32, f func(y int32)) {
	// An equation has a single multiplier, which is called once.
	lower := d.lower[i]
	if lower >= 0 {
		f(lower)
	}
	if upper := d.upper[i]; upper >= 0 && upper != lower {
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

// slope returns the row by which the reduced cost of c has the right sign: <= c_j at a lower bound of a
// minimisation, >= at an upper one, = for a free column.
func (d *dualModel) slope(c *lp.Col) lp.Row {
	// The row starts as an equation; one of its sides goes where the column has a bound.
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
	// Only the multiplier of a row with one side can take the bound of the column.
	if isBoxed := !isInf(c.Lower) && !isInf(c.Upper); isBoxed || len(index) != 1 || value[0] == 0 {
		return false
	}

	// A row with two different finite sides has two multipliers, and a bound would hold for their difference.
	lower, upper := d.lower[index[0]], d.upper[index[0]]
	y := max(lower, upper)
	if y < 0 || min(lower, upper) >= 0 && lower != upper {
		return false
	}

	r := d.slope(c)
	lo, up := activity.Divide(r.Lower, r.Upper, value[0])

	// Where two bounds leave a multiplier no room, the basis would not determine at which of them it is.
	price := &d.Cols[y]
	if lo >= price.Upper || up <= price.Lower {
		return false
	}

	// The column takes the place of the bound that it tightens.
	if lo > price.Lower {
		price.Lower = lo
		d.least[y] = j
	}
	if up < price.Upper {
		price.Upper = up
		d.greatest[y] = j
	}
	return true
}

// basis returns the basis of the whole model that is complementary to basis b of the dual: where a price is basic, the
// bound that it belongs to is active.
func (d *dualModel) basis(b *Basis) *Basis {
	w := &Basis{Cols: make([]VarStatus, len(d.row)), Rows: make([]VarStatus, len(d.lower))}

	// The columns come first: a row may make a column basic.
	for j := range w.Cols {
		w.Cols[j] = d.colStatus(j, b)
	}
	for i := range w.Rows {
		w.Rows[i] = d.rowStatus(i, b, w.Cols)
	}
	return w
}

// colStatus returns the status of column j, which is basic where its row of the dual is active.
func (d *dualModel) colStatus(j int, b *Basis) VarStatus {
	switch row, far := d.row[j], d.far[j]; {
	case far >= 0 && b.Cols[far] == Basic:
		return AtUpper
	case row >= 0 && b.Rows[row] != Basic:
		return Basic
	case isInf(d.whole.Cols[j].Lower):
		return AtUpper // a free column rests at zero, whatever its status
	}
	return AtLower
}

// rowStatus returns the status of row i, from that of its multipliers. Where a column sets the bound at which a
// multiplier rests, that column becomes basic.
func (d *dualModel) rowStatus(i int, b *Basis, cols []VarStatus) VarStatus {
	switch {
	case d.tight(d.lower[i], b, cols):
		return AtLower
	case d.tight(d.upper[i], b, cols):
		return AtUpper
	}
	return Basic
}

// tight reports whether the bound with price y, if there is one, holds with equality. Where the price rests at a bound
// that a column of the whole model sets, that column becomes basic.
func (d *dualModel) tight(y int32, b *Basis, cols []VarStatus) bool {
	if y < 0 {
		return false
	}

	// The column of the whole model that sets the bound where the price is, if one does.
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
