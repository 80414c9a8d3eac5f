// Package lpmat takes the rows of a model from gonum matrices and gives them back. It is a package of its own so that
// the solvers do not depend on gonum.
//
// AddRows reads a matrix of any kind through mat.Matrix and stores what is not zero; Matrix returns a dense copy with
// len(m.Rows) x len(m.Cols) numbers, which is for small models. The rows 1 <= 2x + y and x - y <= 4 are
//
//	a := mat.NewDense(2, 2, []float64{2, 1, 1, -1})
//	lpmat.AddRows(m, []float64{1, math.Inf(-1)}, a, []lp.Var{x, y}, []float64{math.Inf(1), 4})
package lpmat

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/proxybd/proxybd/lp"
)

// AddRows adds the rows lower <= a x <= upper, where column k of a belongs to vars[k]. A nil side has no bounds. It
// returns the handles of the rows; lengths that do not fit are an error that wraps lp.ErrModel, and then nothing is
// added. Zeros are left out.
func AddRows(m *lp.Model, lower []float64, a mat.Matrix, vars []lp.Var, upper []float64) ([]lp.Con, error) {
	rows, cols := a.Dims()

	// The shapes are checked before anything is added.
	fits := func(side []float64) bool { return side == nil || len(side) == rows }
	if cols != len(vars) || !fits(lower) || !fits(upper) {
		return nil, fmt.Errorf("lpmat: %w: a matrix of %d x %d for %d columns, %d lower and %d upper sides", lp.ErrModel,
			rows, cols, len(vars), len(lower), len(upper))
	}

	added := make([]lp.Con, rows)
	var index []int32
	var value []float64
	for i := range added {
		r := lp.Row{Lower: -lp.Inf, Upper: lp.Inf}
		if lower != nil {
			r.Lower = lower[i]
		}
		if upper != nil {
			r.Upper = upper[i]
		}

		// The model copies the vectors, so that one pair serves all rows.
		index = index[:0]
		value = value[:0]
		for k, v := range vars {
			if c := a.At(i, k); c != 0 {
				index = append(index, int32(v))
				value = append(value, c)
			}
		}
		added[i] = m.AddRow(r, index, value)
	}
	return added, nil
}

// Matrix returns the coefficients of a model, a row of the matrix for each row; nil for a model without rows or
// columns, which gonum has no matrix for.
func Matrix(m *lp.Model) (*mat.Dense, error) {
	list, err := m.Triplets()
	if err != nil || len(m.Rows) == 0 || len(m.Cols) == 0 {
		return nil, err
	}

	// Zeros are what the matrix has where there is no coefficient.
	a := mat.NewDense(len(m.Rows), len(m.Cols), nil)
	for _, t := range list {
		a.Set(int(t.Row), int(t.Col), t.Value)
	}
	return a, nil
}
