package cholesky_test

import (
	"math"
	"math/rand/v2"
)

// matrix is a random symmetric matrix: its pattern, values, signs of pivots, and the dense matrix that it stands for.
type matrix struct {
	n              int
	colPtr, rowIdx []int32
	values         []float64
	signs          []int8
	dense          [][]float64
}

// randomMatrix returns a strictly diagonally dominant matrix with about degree entries below the diagonal of a column.
// With negative pivots, the blocks of each sign are dominant, which makes the matrix quasi-definite. If full is true,
// both triangles are given, and the upper one has wrong values.
func randomMatrix(r *rand.Rand, n int, degree float64, negative, full bool) *matrix {
	m := &matrix{n: n, colPtr: []int32{0}, signs: make([]int8, n), dense: make([][]float64, n)}
	for i := range n {
		m.dense[i] = make([]float64, n)
		m.signs[i] = 1
		if negative && r.IntN(2) == 0 {
			m.signs[i] = -1
		}
	}
	for j := range n {
		for i := j + 1; i < n; i++ {
			if r.Float64()*float64(n) >= 2*degree {
				continue
			}
			v := r.NormFloat64()
			m.dense[i][j] = v
			m.dense[j][i] = v
			if m.signs[i] == m.signs[j] {
				m.dense[i][i] += float64(m.signs[i]) * math.Abs(v)
				m.dense[j][j] += float64(m.signs[j]) * math.Abs(v)
			}
		}
	}
	for i := range n {
		m.dense[i][i] += float64(m.signs[i]) * (0.01 + r.Float64())
	}
	m.compress(r, full)
	return m
}

// compress fills the pattern and the values, the rows of each column in random order.
func (m *matrix) compress(r *rand.Rand, full bool) {
	for j := range m.n {
		for _, i := range r.Perm(m.n) {
			switch {
			case m.dense[i][j] == 0 || i < j && !full:
				continue
			case i < j:
				m.values = append(m.values, math.NaN())
			default:
				m.values = append(m.values, m.dense[i][j])
			}
			m.rowIdx = append(m.rowIdx, int32(i))
		}
		m.colPtr = append(m.colPtr, int32(len(m.rowIdx)))
	}
}

// residual returns the largest absolute component of b - A x, relative to |A| |x| + |b|.
func (m *matrix) residual(x, b []float64) float64 {
	worst := 0.0
	for i := range m.n {
		sum := -b[i]
		size := math.Abs(b[i])
		for j := range m.n {
			sum += m.dense[i][j] * x[j]
			size += math.Abs(m.dense[i][j] * x[j])
		}
		if !(math.Abs(sum) <= worst*size) {
			worst = math.Abs(sum) / size
		}
	}
	return worst
}

// vector returns n normal numbers.
func vector(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}
