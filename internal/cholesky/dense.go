package cholesky

import (
	"math"

	"github.com/proxybd/proxybd/internal/f64"
)

// Tiles of the dense kernels. They decide the order of sums, and so do not depend on the number of threads.
const (
	maxBase  = 16  // pivots that are eliminated one by one
	tileRows = 192 // of a product: large enough for packing to take little of the time
	tileCols = 768
	tileDeep = 512  // pivots of a product: the block length of f64.Gemm
	baseCols = 512  // columns of the rows of maxBase pivots, which stay in the first cache
	minGemm  = 4096 // operations of a product below which products of a row and a matrix are faster
)

// workerNumbers are the numbers of a worker beside its stack.
const workerNumbers = tileRows*tileDeep + maxBase*maxBase

// worker is the memory of a goroutine.
type worker struct {
	stack  []float64
	scaled []float64 // a tile of L, by columns
	base   []float64 // L of the pivots that are eliminated one by one, by rows
	tally  tally
}

func newWorker(stack int) worker {
	return worker{
		stack:  f64.Aligned(stack),
		scaled: f64.Aligned(tileRows * tileDeep),
		base:   f64.Aligned(maxBase * maxBase),
		tally:  newTally(),
	}
}

// dense is a front whose entries are assembled: the rows of its pivots, and the upper triangle of its update matrix.
type dense struct {
	run     *numeric
	front   *front
	w       []float64 // pivots rows of length size
	size    int
	pivots  int
	update  []float64 // below rows of length below
	below   int
	threads int
}

// eliminate eliminates all pivots.
func (x *dense) eliminate(own *worker) {
	x.factor(own, 0, x.pivots)
	x.updateBelow(own)
}

// factor eliminates the pivots lo to hi-1, to which the pivots before were applied: the first half of them, which is
// applied to the second half, then this one.
func (x *dense) factor(own *worker, lo, hi int) {
	if hi-lo <= maxBase {
		x.factorBase(own, lo, hi)
		return
	}
	blocks := (hi - lo + maxBase - 1) / maxBase
	mid := lo + blocks/2*maxBase
	x.factor(own, lo, mid)
	x.apply(own, lo, mid, x.w[mid*x.size:], x.size, mid, hi)
	x.factor(own, mid, hi)
}

// updateBelow applies all pivots to the update matrix.
func (x *dense) updateBelow(own *worker) {
	if x.below > 0 {
		// Column 0 of the front would be that many places before the first column of the update matrix.
		x.apply(own, 0, x.pivots, x.update, x.below, x.pivots, x.size)
	}
}

// factorBase eliminates few pivots: first within their square, then in the other columns.
func (x *dense) factorBase(own *worker, lo, hi int) {
	for p := lo; p < hi; p++ {
		row := x.w[p*x.size : p*x.size+hi]
		d := x.run.pivot(own, x.front.first+int32(p), row[p])
		row[p] = d
		for i := p + 1; i < hi; i++ {
			l := row[i] / d
			own.base[(i-lo)*maxBase+p-lo] = l
			target := x.w[i*x.size : i*x.size+hi]
			for j := i; j < hi; j++ {
				target[j] -= l * row[j]
			}
		}
	}
	if hi-lo == 1 || hi == x.size {
		return
	}

	// Each row is reduced by those before it.
	columns := (x.size - hi + baseCols - 1) / baseCols
	x.spread(own, columns, float64(hi-lo)*float64(hi-lo)*float64(x.size-hi), func(_ *worker, tile int) {
		from := hi + tile*baseCols
		n := min(baseCols, x.size-from)
		for i := lo + 1; i < hi; i++ {
			l := own.base[(i-lo)*maxBase : (i-lo)*maxBase+i-lo]
			at := i*x.size + from
			f64.Gemm(false, false, 1, n, i-lo, -1, l, i-lo, x.w[lo*x.size+from:], x.size, 1, x.w[at:], x.size)
		}
	})
}

// apply subtracts the outer products of the pivots lo to mid-1 from the rows begin to end-1 of the front, in the
// columns from begin on. The row begin is at target, whose rows have the distance step; the element of column j of
// the front is at j less the first column that target has, which is 0 for rows of pivots and the number of pivots for
// others.
func (x *dense) apply(own *worker, lo, mid int, target []float64, step, begin, end int) {
	first := x.size - step
	rowTiles := (end - begin + tileRows - 1) / tileRows
	colTiles := (x.size - begin + tileCols - 1) / tileCols
	work := 2 * float64(mid-lo) * float64(end-begin) * float64(x.size-begin)
	x.spread(own, rowTiles*colTiles, work, func(w *worker, tile int) {
		i := begin + tile/colTiles*tileRows
		j := begin + tile%colTiles*tileCols
		rows := min(tileRows, end-i)
		colEnd := min(j+tileCols, x.size)
		j = max(i, j)
		if j < colEnd {
			x.applyTile(w, lo, mid, i, rows, j, colEnd-j, target[(i-begin)*step+j-first:], step)
		}
	})
}

// applyTile is apply for a tile of the target: rows from i, columns from j.
func (x *dense) applyTile(w *worker, lo, mid, i, rows, j, cols int, target []float64, step int) {
	for from := lo; from < mid; from += tileDeep {
		deep := min(tileDeep, mid-from)
		if 2*rows*cols*deep < minGemm {
			x.applyRows(w, from, deep, i, rows, j, cols, target, step)
			continue
		}
		for p := range deep {
			row := x.w[(from+p)*x.size:]
			scale := 1 / row[from+p]
			for k, v := range row[i : i+rows] {
				w.scaled[p*rows+k] = v * scale
			}
		}
		f64.Gemm(true, false, rows, cols, deep, -1, w.scaled, rows, x.w[from*x.size+j:], x.size, 1, target, step)
	}
}

// applyRows is applyTile row by row, in the upper triangle alone.
func (x *dense) applyRows(w *worker, from, deep, i, rows, j, cols int, target []float64, step int) {
	for k := range rows {
		for p := range deep {
			row := x.w[(from+p)*x.size:]
			w.scaled[p] = row[i+k] / row[from+p]
		}
		skip := max(0, i+k-j)
		if skip >= cols {
			return
		}
		at := from*x.size + j + skip
		f64.Gemm(false, false, 1, cols-skip, deep, -1, w.scaled, deep, x.w[at:], x.size, 1, target[k*step+skip:], step)
	}
}

// minSpreadFlops are the operations of a step below which one thread is faster than several.
const minSpreadFlops = 1e6

// spread calls do for each tile below n, by several workers if it pays.
func (x *dense) spread(own *worker, n int, work float64, do func(w *worker, tile int)) {
	if x.threads > 1 && n > 1 && work >= minSpreadFlops {
		x.run.spread(n, do)
		return
	}
	for tile := range n {
		do(own, tile)
	}
}

// leastPivot is the least absolute value of a pivot, such that its inverse is finite.
const leastPivot = 1e-290

// pivot returns the pivot of a column whose value is d, replaced if it is tiny.
func (r *numeric) pivot(w *worker, column int32, d float64) float64 {
	sign := 1.0
	if r.reg.Signs != nil {
		sign = float64(r.reg.Signs[r.perm[column]])
	}
	if math.IsNaN(d) || math.IsInf(d, 0) {
		w.tally.bad = min(w.tally.bad, column)
		return sign
	}

	limit := max(leastPivot, r.reg.Absolute, r.reg.Relative*math.Abs(r.diagonal[column]))
	r.tiny[column] = sign*d <= limit
	if r.tiny[column] {
		w.tally.Tiny++
		if sign*d < -limit {
			w.tally.WrongSign++
		}
		return sign * r.reg.Replacement
	}
	w.tally.MinPivot = min(w.tally.MinPivot, math.Abs(d))
	w.tally.MaxPivot = max(w.tally.MaxPivot, math.Abs(d))
	return d
}
