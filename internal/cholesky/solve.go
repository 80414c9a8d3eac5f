package cholesky

import (
	"fmt"

	"github.com/proxybd/proxybd/internal/f64"
)

// Solve replaces the right-hand side x, of length n, by the solution of A x = b. It panics if the length is another
// one.
func (f *Factor) Solve(x []float64) {
	if len(x) != f.n {
		panic(fmt.Sprintf("cholesky: right-hand side of length %d for order %d", len(x), f.n))
	}
	for k, i := range f.perm {
		f.x[k] = x[i]
	}

	// L D is the transpose of W, so that L D y = b gives the y of L' x = y.
	for k := range f.fronts {
		f.forward(&f.fronts[k])
	}
	for k := len(f.fronts) - 1; k >= 0; k-- {
		f.backward(&f.fronts[k])
	}
	for k, i := range f.perm {
		x[i] = f.x[k]
	}
}

// SolveMany is Solve for each right-hand side.
func (f *Factor) SolveMany(xs [][]float64) {
	for _, x := range xs {
		f.Solve(x)
	}
}

// forward solves the rows of the pivots of a front in L D y = b, and subtracts their part from the rows below.
func (f *Factor) forward(front *front) {
	size := int(front.size)
	pivots := int(front.pivots)
	w := f.values[front.values : front.values+size*pivots]
	y := f.x[front.first : front.first+front.pivots]
	for p := range y {
		row := w[p*size : p*size+pivots]
		y[p] /= row[p]
		for i := p + 1; i < pivots; i++ {
			y[i] -= row[i] * y[p]
		}
	}

	// The rows below, gathered; one pivot needs no product.
	rows := f.frontRows(front)
	if len(rows) == 0 {
		return
	}
	if pivots == 1 {
		for i, v := range w[1:] {
			f.x[rows[i]] -= v * y[0]
		}
		return
	}
	sum := f.y[:len(rows)]
	f64.Gemm(false, false, 1, len(rows), pivots, 1, y, pivots, w[pivots:], size, 0, sum, len(rows))
	for i, v := range sum {
		f.x[rows[i]] -= v
	}
}

// backward solves the rows of the pivots of a front in L' x = y, when the rows below are solved.
func (f *Factor) backward(front *front) {
	size := int(front.size)
	pivots := int(front.pivots)
	w := f.values[front.values : front.values+size*pivots]
	x := f.x[front.first : front.first+front.pivots]
	rows := f.frontRows(front)
	below := f.y[:len(rows)]
	for i, row := range rows {
		below[i] = f.x[row]
	}

	for p := pivots - 1; p >= 0; p-- {
		row := w[p*size : (p+1)*size]
		sum := dot(row[p+1:pivots], x[p+1:]) + dot(row[pivots:], below)
		x[p] -= sum / row[p]
	}
}

// dot is f64.Dot, without the call for short vectors.
func dot(x, y []float64) float64 {
	if len(x) >= 12 {
		return f64.Dot(x, y)
	}
	sum := 0.0
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}
