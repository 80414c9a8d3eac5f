package fold

import (
	"cmp"
	"slices"

	"github.com/proxybd/proxybd/internal/sparse"
	"github.com/proxybd/proxybd/lp"
)

// Folded is a model of classes, and what takes its answers back to the model that it was made from.
type Folded struct {
	Model            *lp.Model
	Col, Row         []int32 // class of each column and row: its column and row in Model
	colSize, rowSize []float64
}

// Run folds m. It returns nil where that would leave more than share of the rows and columns, or where the classes
// take too long to find; that is found out after a few passes over the matrix. Names and integrality are left behind.
// qap12 folds from 3192 x 8856 to 976 x 2424, and is solved in 1.2 s of processor time where the whole model takes 51.
func Run(m *lp.Model, share float64) (*Folded, error) {
	byCol, err := m.Matrix()
	if err != nil {
		return nil, err
	}
	cols, rows, byRow, ok := partition(m, byCol, int(share*float64(len(m.Cols)+len(m.Rows))))
	if !ok || !equitable(byRow, rows, cols) || !equitable(byCol, cols, rows) {
		return nil, nil
	}
	f := &Folded{Col: cols.of, Row: rows.of, colSize: sizes(cols), rowSize: sizes(rows)}
	f.build(m, byRow, firsts(cols), firsts(rows))
	return f, nil
}

func sizes(c *colours) []float64 {
	size := make([]float64, c.n)
	for _, id := range c.of {
		size[id]++
	}
	return size
}

// firsts returns the first member of each class.
func firsts(c *colours) []int32 {
	first := make([]int32, 0, c.n)
	for k, id := range c.of {
		if int(id) == len(first) {
			first = append(first, int32(k))
		}
	}
	return first
}

func (f *Folded) build(m *lp.Model, byRow *sparse.Matrix, firstCol, firstRow []int32) {
	f.Model = &lp.Model{Name: m.Name, Maximize: m.Maximize, Offset: m.Offset}
	for id, j := range firstCol {
		c := m.Cols[j]
		f.Model.AddCol(lp.Col{Cost: c.Cost * f.colSize[id], Lower: c.Lower, Upper: c.Upper})
	}
	sum, seen := make([]float64, len(firstCol)), make([]bool, len(firstCol))
	most := 0
	for _, i := range firstRow {
		js, _ := byRow.Vec(int(i))
		most += len(js)
	}
	f.Model.Grow(most)
	var index []int32
	var value []float64
	for _, i := range firstRow {
		index, value = index[:0], value[:0]
		js, vs := byRow.Vec(int(i))
		for p, j := range js {
			id := f.Col[j]
			if !seen[id] {
				seen[id] = true
				index = append(index, id)
			}
			sum[id] += vs[p]
		}
		for _, id := range index {
			value = append(value, sum[id])
			sum[id], seen[id] = 0, false
		}
		f.Model.AddRow(lp.Row{Lower: m.Rows[i].Lower, Upper: m.Rows[i].Upper}, index, value)
	}
}

// entry is a coefficient in a class.
type entry struct {
	class int32
	value float64
}

// equitable compares what the members of each class have in the classes of the other side: the hashes said that it is
// the same, and this proves it.
func equitable(a *sparse.Matrix, c, other *colours) bool {
	first := firsts(c)
	var want, have []entry
	for k, id := range c.of {
		if first[id] == int32(k) {
			continue
		}
		want = entries(want[:0], a, first[id], other)
		have = entries(have[:0], a, int32(k), other)
		if slices.Equal(want, have) { // like members often have their entries in like order
			continue
		}
		slices.SortFunc(want, compareEntries)
		slices.SortFunc(have, compareEntries)
		if !slices.Equal(want, have) {
			return false
		}
	}
	return true
}

// entries appends what member k has in the classes of the other side.
func entries(list []entry, a *sparse.Matrix, k int32, other *colours) []entry {
	index, value := a.Vec(int(k))
	for p, i := range index {
		if value[p] != 0 {
			list = append(list, entry{other.of[i], value[p]})
		}
	}
	return list
}

func compareEntries(a, b entry) int {
	return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.value, b.value))
}

// Cols takes values of the classes of columns (a point, a primal ray) to the columns.
func (f *Folded) Cols(x []float64) []float64 { return spread(f.Col, x, nil) }

// Rows takes row activities to the rows.
func (f *Folded) Rows(activity []float64) []float64 { return spread(f.Row, activity, nil) }

// RowDuals takes multipliers (those of an optimum, a Farkas ray) to the rows.
func (f *Folded) RowDuals(y []float64) []float64 { return spread(f.Row, y, f.rowSize) }

// ReducedCosts takes reduced costs to the columns.
func (f *Folded) ReducedCosts(d []float64) []float64 { return spread(f.Col, d, f.colSize) }

// spread gives every member the value of its class, divided by the size of the class unless size is nil.
func spread(of []int32, value, size []float64) []float64 {
	out := make([]float64, len(of))
	for k, id := range of {
		out[k] = value[id]
		if size != nil {
			out[k] /= size[id]
		}
	}
	return out
}
