package bnb

import "math"

// aggregation is a weighted sum of LP rows: with the logical s_i of row i (A x - s = 0) it reads
//
//	sum_j coef_j x_j - sum_i weight_i s_i = 0,   lower_i <= s_i <= upper_i.
type aggregation struct {
	coef   []float64 // dense over columns, zero outside cols
	in     []bool    // column is listed
	cols   []int32
	rows   []int32
	weight []float64
}

func newAggregation(n int) *aggregation {
	return &aggregation{coef: make([]float64, n), in: make([]bool, n)}
}

func (a *aggregation) clear() {
	for _, j := range a.cols {
		a.coef[j], a.in[j] = 0, false
	}
	a.cols, a.rows, a.weight = a.cols[:0], a.rows[:0], a.weight[:0]
}

// add adds weight times a row of the LP.
func (a *aggregation) add(r *relaxation, row int32, weight float64) {
	index, value, _, _ := r.row(int(row))
	for k, j := range index {
		if !a.in[j] {
			a.in[j] = true
			a.cols = append(a.cols, j)
		}
		a.coef[j] += weight * value[k]
	}
	a.rows, a.weight = append(a.rows, row), append(a.weight, weight)
}

// uses reports whether a row is part of the sum.
func (a *aggregation) uses(row int32) bool {
	for _, i := range a.rows {
		if i == row {
			return true
		}
	}
	return false
}

// variableBounds are bounds x_j <= constant + slope*x_k of continuous columns by an integer one, read
// from rows with two entries.
type variableBounds struct {
	upper, lower []variableBound // by column; col -1 for none
}

type variableBound struct {
	col             int32
	constant, slope float64
}

func (b *variableBound) at(x []float64) float64 { return b.constant + b.slope*x[b.col] }

func newVariableBounds(p *problem) *variableBounds {
	v := &variableBounds{upper: make([]variableBound, p.n), lower: make([]variableBound, p.n)}
	for j := range p.n {
		v.upper[j].col, v.lower[j].col = -1, -1
	}
	for i := range p.rows {
		index, value := p.byRow.Vec(i)
		if len(index) != 2 {
			continue
		}
		for k := range 2 {
			x, y, a, b := index[k], index[1-k], value[k], value[1-k]
			if p.integer[x] || !p.integer[y] || math.Abs(a) < 1e-6 || b == 0 {
				continue
			}
			v.read(x, y, a, b, p.rowLower[i], p.rowUpper[i])
		}
	}
	return v
}

// read takes lower <= a x + b y <= upper; the first bound found for a column is kept.
func (v *variableBounds) read(x, y int32, a, b, lower, upper float64) {
	if a < 0 {
		a, b, lower, upper = -a, -b, -upper, -lower
	}
	if !math.IsInf(upper, 0) && v.upper[x].col < 0 {
		v.upper[x] = variableBound{y, upper / a, -b / a}
	}
	if !math.IsInf(lower, 0) && v.lower[x].col < 0 {
		v.lower[x] = variableBound{y, lower / a, -b / a}
	}
}
