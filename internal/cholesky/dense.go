package cholesky

import "github.com/proxybd/proxybd/internal/f64"

// Tiles of the dense kernels. They decide the order of sums, and so do not depend on the number of threads.
const (
	maxBase    = 8    // pivots that are eliminated one by one
	baseCols   = 512  // columns of the rows of maxBase pivots, which stay in the first cache
	tileRows   = 384  // most rows of a product; a tile has twice as many columns
	largeFront = 1536 // rows of a front from which tiles are so large; others have half of it, for more tiles in parallel
	tileDeep   = 512  // pivots of a product: the block length of f64.Gemm
	minGemm    = 2048 // operations of a product below which products of a row and a matrix are faster
)

// dense is a front whose pivots are eliminated: the rows of its pivots, and the upper triangle of its update matrix.
type dense struct {
	run     *numeric
	own     *worker
	first   int32     // column of the first pivot
	w       []float64 // pivots rows of length size
	size    int
	pivots  int
	update  []float64 // below rows of length below
	below   int
	threads int
}

// worker is the memory of a goroutine.
type worker struct {
	stack  []float64 // update matrices
	scaled []float64 // a tile of L, by columns
	base   []float64 // L of the pivots that are eliminated one by one, by rows
	x      []float64 // a solution, zero outside of the rows of a subtree
	y      []float64 // rows of a front
	front  dense
	tally  tally
}

// workerNumbers are the numbers of the tiles of a worker.
const workerNumbers = tileRows*tileDeep + maxBase*maxBase

func newWorker(stack, order, longest int) worker {
	return worker{
		stack:  f64.Aligned(stack),
		scaled: f64.Aligned(tileRows * tileDeep),
		base:   f64.Aligned(maxBase * maxBase),
		x:      make([]float64, order),
		y:      make([]float64, longest),
		tally:  newTally(),
	}
}

// factor eliminates the pivots lo to hi-1, to which the pivots before were applied: the first half of them, which is
// applied to the second half, then this one.
func (x *dense) factor(lo, hi int) {
	if hi-lo <= maxBase {
		x.factorBase(lo, hi)
		return
	}
	blocks := (hi - lo + maxBase - 1) / maxBase
	mid := lo + blocks/2*maxBase
	x.factor(lo, mid)
	x.apply(product{lo: lo, mid: mid, begin: mid, end: hi, target: x.w[mid*x.size:], step: x.size, beta: 1})
	x.factor(mid, hi)
}

// updateBelow sets the update matrix to the product of all pivots.
func (x *dense) updateBelow() {
	x.apply(product{mid: x.pivots, begin: x.pivots, end: x.size, target: x.update, step: x.below, first: x.pivots})
}

// factorBase eliminates few pivots: first within their square, then in the other columns.
func (x *dense) factorBase(lo, hi int) {
	// The square of the pivots, by rank-one updates.
	base := x.own.base
	for p := lo; p < hi; p++ {
		row := x.w[p*x.size : p*x.size+hi]
		d := x.run.pivot(x.own, x.first+int32(p), row[p])
		row[p] = d
		for i := p + 1; i < hi; i++ {
			l := row[i] / d
			base[(i-lo)*maxBase+p-lo] = l
			target := x.w[i*x.size : i*x.size+hi]
			for j := i; j < hi; j++ {
				target[j] -= l * row[j]
			}
		}
	}
	if hi-lo == 1 || hi == x.size {
		return
	}

	// The other columns, with the multipliers of the square.
	tiles := (x.size - hi + baseCols - 1) / baseCols
	if x.parallel(tiles, float64(hi-lo)*float64(hi-lo)*float64(x.size-hi)) {
		x.run.spread(tiles, func(_ *worker, tile int) { x.reduceRows(base, lo, hi, tile) })
		return
	}
	for tile := range tiles {
		x.reduceRows(base, lo, hi, tile)
	}
}

// reduceRows reduces each of the rows lo to hi-1 by those before it, in a tile of the columns from hi on.
func (x *dense) reduceRows(base []float64, lo, hi, tile int) {
	from := hi + tile*baseCols
	n := min(baseCols, x.size-from)
	for i := lo + 1; i < hi; i++ {
		l := base[(i-lo)*maxBase:][:i-lo]
		at := i*x.size + from
		f64.Gemm(false, false, 1, n, i-lo, -1, l, i-lo, x.w[lo*x.size+from:], x.size, 1, x.w[at:], x.size)
	}
}

// product is a sum of outer products of pivots, subtracted from rows of the front.
type product struct {
	lo, mid    int       // the pivots lo to mid-1
	begin, end int       // the rows begin to end-1, in the columns from begin on
	target     []float64 // where row begin begins
	step       int       // distance of the rows
	first      int       // column of the front that the rows of the target begin with
	beta       float64   // 0 if the target is overwritten, else 1
}

// tile returns the rows of a tile.
func (x *dense) tile() int {
	if x.size < largeFront {
		return tileRows / 2
	}
	return tileRows
}

// apply computes a product, tile by tile.
func (x *dense) apply(p product) {
	rows := x.tile()
	cols := 2 * rows
	rowTiles := (p.end - p.begin + rows - 1) / rows
	colTiles := (x.size - p.begin + cols - 1) / cols
	work := 2 * float64(p.mid-p.lo) * float64(p.end-p.begin) * float64(x.size-p.begin)
	if x.parallel(rowTiles*colTiles, work) {
		shared := p // p itself stays off the heap when one thread does all tiles
		x.run.spread(rowTiles*colTiles, func(w *worker, tile int) {
			x.applyTile(w, &shared, tile/colTiles, tile%colTiles)
		})
		return
	}
	for tile := range rowTiles * colTiles {
		x.applyTile(x.own, &p, tile/colTiles, tile%colTiles)
	}
}

// applyTile computes the part of a product in a tile. As the columns of tiles are a multiple of the rows, the
// diagonal of the front begins at the corner of a tile, or does not meet it.
func (x *dense) applyTile(w *worker, p *product, rowTile, colTile int) {
	step := x.tile()
	i := p.begin + rowTile*step
	rows := min(step, p.end-i)
	j := max(i, p.begin+colTile*2*step)
	cols := min(p.begin+(colTile+1)*2*step, x.size) - j
	if cols <= 0 {
		return
	}

	// The first block of pivots may overwrite the target, the others are added to it.
	target := p.target[(i-p.begin)*p.step+j-p.first:]
	beta := p.beta
	for from := p.lo; from < p.mid; from += tileDeep {
		deep := min(tileDeep, p.mid-from)
		if i == j && rows*cols*deep < minGemm {
			x.applyRows(w, from, deep, i, rows, cols, target, p.step, beta)
			beta = 1
			continue
		}

		// The left factor is a copy of L, the right one is D L' itself.
		x.scale(w, from, deep, i, rows)
		b := x.w[from*x.size+j:]
		if i == j {
			f64.GemmUpper(true, false, rows, cols, deep, -1, w.scaled, rows, b, x.size, beta, target, p.step)
		} else {
			f64.Gemm(true, false, rows, cols, deep, -1, w.scaled, rows, b, x.size, beta, target, p.step)
		}
		beta = 1
	}
}

// scale copies a tile of L: the pivots from from on, rows of the front from i on.
func (x *dense) scale(w *worker, from, deep, i, rows int) {
	for p := range deep {
		row := x.w[(from+p)*x.size:]
		out := w.scaled[p*rows : (p+1)*rows]
		copy(out, row[i:i+rows])
		f64.Scal(1/row[from+p], out)
	}
}

// applyRows is the product of a small tile on the diagonal, row by row.
func (x *dense) applyRows(w *worker, from, deep, i, rows, cols int, target []float64, step int, beta float64) {
	for k := range min(rows, cols) {
		for p := range deep {
			row := x.w[(from+p)*x.size:]
			w.scaled[p] = row[i+k] / row[from+p]
		}
		b := x.w[from*x.size+i+k:]
		f64.Gemm(false, false, 1, cols-k, deep, -1, w.scaled, deep, b, x.size, beta, target[k*step+k:], step)
	}
}

// minParallelStep are the operations of a step below which one thread is faster than several.
const minParallelStep = 1e6

// parallel reports whether a step of this number of tiles and operations pays for several threads.
func (x *dense) parallel(tiles int, work float64) bool {
	return x.threads > 1 && tiles > 1 && work >= minParallelStep
}
