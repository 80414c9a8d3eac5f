package interior

import (
	"cmp"
	"errors"
	"math"
	"runtime"
	"slices"

	"github.com/proxybd/proxybd/internal/cholesky"
)

// kkt solves the linear systems of an iteration,
//
//	A'dy - D dx = r,   A dx = s,
//
// where D >= 0 is diagonal. The columns of A are in two sets: those of the set kept stay in the system, and the others
// are eliminated,
//
//	( A_e D_e^-1 A_e' + delta I      A_k        ) ( dy   )   ( s + A_e D_e^-1 r_e )
//	( A_k'                      -(D_k + rho I) ) ( dx_k ) = ( r_k                )
//
// Without kept columns these are the normal equations; with all columns kept, the augmented system (R. J. Vanderbei,
// Symmetric quasidefinite matrices, SIAM Journal on Optimization 5, 1995). Columns are kept whose elimination would
// fill the matrix, and free columns, which have no D of their own. The regularisation, which makes the matrix
// quasi-definite, is corrected by refinement.
type kkt struct {
	*form
	kept    []int32 // the columns that are kept
	place   []int32 // of each column among the kept ones, -1 for those that are eliminated
	pattern pattern
	signs   []int8
	factor  *cholesky.Factor

	d      []float64 // D with its regularisation
	values []float64 // of the matrix, in the order of the pattern
	work   []assembly

	right      []float64 // of the matrix
	quotient   []float64 // of a right-hand side and D, by column
	resX, resY []float64 // residuals
	refine     refinement
	growth     float64 // what the diagonal of the rows grows by, relative
}

// pattern is the lower triangle of a symmetric matrix, compressed by columns.
type pattern struct {
	start []int32
	index []int32
}

// assembly is what one worker needs to compute its part of the columns of the matrix.
type assembly struct {
	column []float64 // one entry a row of the matrix, zero between calls
	first  []int     // by column of A, the place of its first entry in the rows of this part or behind them
	next   []int
}

// ErrMemory is wrapped by the error of a model whose factor needs more memory than the options allow.
var ErrMemory = errors.New("memory limit")

// newKKT analyses the system with the set of kept columns that needs the fewest operations. Its analysis and its
// factorisations end with cholesky.ErrStopped once stop returns true.
func newKKT(f *form, opt Options, stop func() bool) (*kkt, error) {
	k := &kkt{form: f, growth: relativeShift}
	f.split = newWorkers(f, cmp.Or(opt.Threads, runtime.GOMAXPROCS(0)))
	symbolic, err := k.choose(opt, stop)
	if err != nil {
		return nil, err
	}

	// The memory of the factor is known before it is allocated.
	size := f.m + len(k.kept)
	k.factor = cholesky.NewFactor(symbolic)
	k.d = make([]float64, f.n)
	k.values = make([]float64, len(k.pattern.index))
	k.right = make([]float64, size)
	k.resX = make([]float64, f.n)
	k.resY = make([]float64, f.m)
	k.quotient = make([]float64, f.n)
	k.divide(size)

	// The pivots of rows are positive, and those of kept columns negative.
	if len(k.kept) > 0 {
		k.signs = slices.Repeat([]int8{1}, size)
		for p := f.m; p < size; p++ {
			k.signs[p] = -1
		}
	}
	return k, nil
}

// divide prepares the parts of the matrix, which has the given order, that workers compute.
func (k *kkt) divide(size int) {
	k.work = make([]assembly, k.split.count)
	for part := range k.work {
		w := &k.work[part]
		w.column = make([]float64, size)
		w.next = make([]int, k.n)
		w.first = slices.Clone(k.cols.Start[:k.n])
		if part > 0 {
			// The entries of a column are in the order of the rows.
			from := int32(k.split.byRows[part])
			for j := range w.first {
				index, _ := k.cols.Vec(j)
				before, _ := slices.BinarySearch(index, from)
				w.first[j] += before
			}
		}
	}
}

// factorize computes and factorises the matrix for D = d.
func (k *kkt) factorize(d []float64) error {
	copy(k.d, d)
	k.split.run(k.split.byRows, k.assemble)
	w := &k.work[0]
	for at, j := range k.kept {
		share := k.share(j)
		if k.free[j] {
			k.d[j] = freePivot * share
		}
		w.column[k.m+at] = -(k.d[j] + keptPivot*share)
		k.gather(w, k.m+at)
	}

	reg := cholesky.DefaultRegularisation()
	reg.Signs = k.signs
	reg.Relative = relativePivot
	_, err := k.factor.Factorize(k.values, reg)
	return err
}

// assemble computes the columns of the matrix that belong to a part of the rows of A.
func (k *kkt) assemble(part, from, to int) {
	w := &k.work[part]
	copy(w.next, w.first)

	// Row by row: the work vector holds one column of the lower triangle.
	for i := from; i < to; i++ {
		for p := k.rows.Start[i]; p < k.rows.Start[i+1]; p++ {
			j := k.rows.Index[p]
			if at := k.place[j]; at >= 0 {
				w.column[k.m+int(at)] = k.rows.Value[p]
				continue
			}
			t := k.rows.Value[p] / k.d[j]
			q := w.next[j]
			w.next[j]++
			for ; q < k.cols.Start[j+1]; q++ {
				w.column[k.cols.Index[q]] += t * k.cols.Value[q]
			}
		}
		w.column[i] += w.column[i] * k.growth

		// A row over kept columns alone has no entry on the diagonal so far.
		if w.column[i] == 0 {
			w.column[i] = emptyPivot
		}
		k.gather(w, i)
	}
}

// share returns the share of its regularisation that a kept column gets. After the elimination of its rows its pivot
// may be as small as the largest of a_ij^2 over the diagonal of row i, beside which the regularisation has to be small:
// refinement converges slowly otherwise.
func (k *kkt) share(j int32) float64 {
	largest := 0.0
	index, value := k.cols.Vec(int(j))
	for p, i := range index {
		largest = max(largest, value[p]*value[p]/k.values[k.pattern.start[i]])
	}
	return min(1, max(leastShare, largest))
}

// gather moves a work vector to column i of the matrix.
func (k *kkt) gather(w *assembly, i int) {
	for p := k.pattern.start[i]; p < k.pattern.start[i+1]; p++ {
		r := k.pattern.index[p]
		k.values[p] = w.column[r]
		w.column[r] = 0
	}
}

// dot returns x'y.
func dot(x, y []float64) float64 {
	sum := 0.0
	for k, v := range x {
		sum += v * y[k]
	}
	return sum
}

// residual computes what is missing, r - (A'dy - D dx) and s - A dx, and returns the largest entry.
func (k *kkt) residual(d, r, s, dx, dy []float64) float64 {
	for j := range k.resX {
		k.resX[j] = r[j] + d[j]*dx[j]
	}
	k.timesRows(-1, dy, k.resX)
	copy(k.resY, s)
	k.timesColumns(-1, dx, k.resY)
	return max(norm(k.resX), norm(k.resY))
}

// solveOnce finds dx and dy by the factors alone.
func (k *kkt) solveOnce(r, s, dx, dy []float64) {
	for j := range k.n {
		k.quotient[j] = r[j] / k.d[j]
	}
	for at, j := range k.kept {
		k.quotient[j] = 0
		k.right[k.m+at] = r[j]
	}
	copy(k.right, s)
	k.timesColumns(1, k.quotient, k.right)

	k.factor.Solve(k.right)
	copy(dy, k.right[:k.m])

	// dx_e = D_e^-1 (A_e'dy - r_e).
	k.split.run(k.split.byColumns, func(_, from, to int) {
		for j := from; j < to; j++ {
			if at := k.place[j]; at >= 0 {
				dx[j] = k.right[k.m+int(at)]
				continue
			}
			sum := -r[j]
			for p := k.cols.Start[j]; p < k.cols.Start[j+1]; p++ {
				sum += k.cols.Value[p] * dy[k.cols.Index[p]]
			}
			dx[j] = sum / k.d[j]
		}
	})
}

// norm returns the largest absolute value; NaN where there is one.
func norm(x []float64) float64 {
	largest := 0.0
	for _, v := range x {
		if v = math.Abs(v); v > largest || v != v {
			largest = v
		}
	}
	return largest
}

// add adds t x to y.
func add(t float64, x, y []float64) {
	for k, v := range x {
		y[k] += t * v
	}
}
