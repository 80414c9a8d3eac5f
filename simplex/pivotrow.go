package simplex

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// pivotRow is a row of the tableau on the nonbasic variables, packed, and the row of the inverse that it comes from.
type pivotRow struct {
	rho     *sparse.Vector
	index   []int32 // variables of the entries
	value   []float64
	sum     []float64 // by column, zero between calls
	pattern []int32   // of sum
}

// resizeColumns fits the work space to n columns.
func (r *pivotRow) resizeColumns(n int) {
	r.sum = zeroed(r.sum, n)
	r.pattern = resize(r.pattern, n)
}

// price computes the row y'[A, -I] on the nonbasic variables: by rows while y is sparse, by columns otherwise.
func (s *basicSolution) price(y *sparse.Vector) {
	s.factor.charge(s.row.price(&s.matrix, s.basis.where, y))
}

// price returns the number of entries that it has touched.
func (r *pivotRow) price(a *matrix, where []int32, y *sparse.Vector) (work int) {
	// Every entry may be written before it is counted, so the arrays are as long as there are variables.
	if nv := a.n + a.m; cap(r.index) < nv {
		r.index = make([]int32, nv+nv/4)
		r.value = make([]float64, nv+nv/4)
	}
	r.index = r.index[:cap(r.index)]
	r.value = r.value[:cap(r.value)]

	// The way with the fewest entries touched is taken, by the density of y.
	n := 0
	switch {
	case y.N < 0 || float64(y.N) > rowPriceDensity*float64(a.m):
		n, work = r.byColumns(a, where[:a.n], y.Value)
	case float64(y.N)*a.meanRow() > hyperPrice*float64(a.n):
		n, work = r.byRows(a, where, y)
	default:
		n, work = r.hyper(a, where, y)
	}
	n = r.logicals(int32(a.n), where[a.n:], y, n)
	r.index = r.index[:n]
	r.value = r.value[:n]
	return work
}

// byColumns multiplies the nonbasic columns by y.
func (r *pivotRow) byColumns(a *matrix, where []int32, y []float64) (n, work int) {
	start, length := a.cols.Start[:len(where)], a.cols.Len[:len(where)]
	idx, val := r.index, r.value
	for j, p := range where {
		if p >= 0 {
			continue
		}
		lo := start[j]
		hi := lo + int(length[j])
		index := a.cols.Index[lo:hi]
		value := a.cols.Value[lo:hi]
		value = value[:len(index)]
		sum := 0.0
		for k, i := range index {
			sum += value[k] * y[i]
		}

		idx[n] = int32(j)
		val[n] = sum
		n += nonzero(sum)
	}
	return n, a.cols.NNZ()
}

// byRows adds up the rows of y without keeping a pattern.
func (r *pivotRow) byRows(a *matrix, where []int32, y *sparse.Vector) (n, work int) {
	sum := r.sum
	touched := len(sum)
	for _, i := range y.Index[:y.N] {
		t := y.Value[i] * a.rowScale[i]
		index, value := a.partition.row(a, i)
		value = value[:len(index)]
		touched += len(index)
		for k, j := range index {
			sum[j] += t * value[k]
		}
	}

	// Half of the sums may be zero, at random: places are written first and counted then, without a branch.
	split := a.partition.on
	idx, val, scale := r.index, r.value, a.colScale[:len(sum)]
	where = where[:len(sum)]
	for j, v := range sum {
		v *= scale[j]
		idx[n] = int32(j)
		val[n] = v
		if kept := nonzero(v); split {
			n += kept
		} else {
			n += kept & negative(where[j])
		}
	}
	clear(sum)
	return n, touched
}

// nonzero returns 1 where v counts as an entry of the row, else 0. In this form the compiler needs no branch.
func nonzero(v float64) int {
	n := 0
	if math.Abs(v) > dropTol {
		n = 1
	}
	return n
}

// negative returns 1 for x < 0, else 0.
func negative(x int32) int { return int(uint32(x) >> 31) }

// hyper is byRows for a result that is sparse as well.
func (r *pivotRow) hyper(a *matrix, where []int32, y *sparse.Vector) (n, work int) {
	sum, pattern := r.sum, r.pattern
	touched := 0
	reached := 0
	for _, i := range y.Index[:y.N] {
		t := y.Value[i] * a.rowScale[i]
		index, value := a.partition.row(a, i)
		touched += len(index)
		for p, j := range index {
			old := sum[j]
			if old == 0 {
				pattern[reached] = j
				reached++
			}

			// A sum that cancels stays in the pattern by a number that is no entry.
			v := old + t*value[p]
			if v == 0 {
				v = 1e-100
			}
			sum[j] = v
		}
	}

	split := a.partition.on
	idx, val := r.index, r.value
	for _, j := range pattern[:reached] {
		v := sum[j] * a.colScale[j]
		sum[j] = 0
		if (split || where[j] < 0) && math.Abs(v) > dropTol {
			idx[n] = j
			val[n] = v
			n++
		}
	}
	return n, touched + reached
}

// logicals appends the entries of the logicals from place k on; where is that of the rows.
func (r *pivotRow) logicals(n int32, where []int32, y *sparse.Vector, k int) int {
	// The entry of a logical is the negative of that of y.
	if y.N < 0 {
		for i, v := range y.Value {
			k = r.logical(n, where, int32(i), v, k)
		}
		return k
	}

	for _, i := range y.Index[:y.N] {
		k = r.logical(n, where, i, y.Value[i], k)
	}
	return k
}

// logical puts the entry of the logical of row i at place k, if it is one, and returns the next place.
func (r *pivotRow) logical(n int32, where []int32, i int32, v float64, k int) int {
	if v == 0 || where[i] >= 0 {
		return k
	}
	r.index[k] = n + i
	r.value[k] = -v
	return k + 1
}
