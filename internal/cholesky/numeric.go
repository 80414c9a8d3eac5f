package cholesky

import (
	"math"

	"github.com/proxybd/proxybd/internal/f64"
)

// numeric is one factorisation.
type numeric struct {
	*Factor
	given []float64
	reg   Regularisation
}

// eliminate assembles front k and eliminates its pivots, by the given number of threads.
func (r *numeric) eliminate(own *worker, k int32, threads int) {
	f := &r.fronts[k]
	x := &own.front
	*x = dense{
		run:     r,
		own:     own,
		first:   f.first,
		size:    int(f.size),
		pivots:  int(f.pivots),
		update:  r.updateOf(own, k),
		below:   f.below(),
		threads: threads,
	}
	x.w = r.values[f.values : f.values+x.pivots*x.size]

	// The rows of the pivots need the parts of the children; those of the update matrix are added afterwards, so that
	// the product can overwrite what was there.
	r.assemble(x)
	for _, c := range r.children[k] {
		x.extendAdd(&r.fronts[c], r.updateOf(own, c), true)
	}
	x.factor(0, x.pivots)
	if x.below > 0 {
		x.updateBelow()
		for _, c := range r.children[k] {
			x.extendAdd(&r.fronts[c], r.updateOf(own, c), false)
		}
	}
}

// updateOf returns the update matrix of front k: on the stack, or where it is kept.
func (r *numeric) updateOf(own *worker, k int32) []float64 {
	size := r.fronts[k].updateSize()
	if keep := r.schedule.keptAt[k]; keep >= 0 {
		return r.kept[keep : keep+size]
	}
	at := r.schedule.slot[k]
	if at < 0 {
		at += int64(len(own.stack))
	}
	return own.stack[at : at+size]
}

// assemble sets the rows of the pivots to the entries of A.
func (r *numeric) assemble(x *dense) {
	x.clearPivots()
	a := &r.entries
	for i := range x.pivots {
		column := int(x.first) + i
		row := x.w[i*x.size : (i+1)*x.size]
		for p := a.start[column]; p < a.start[column+1]; p++ {
			row[a.to[p]] = r.given[a.from[p]]
		}
		shift := r.reg.Shift
		if r.reg.Signs != nil {
			shift *= float64(r.reg.Signs[r.perm[column]])
		}
		row[i] += shift
		r.diagonal[column] = row[i]
	}
}

// clearPivots clears the upper triangle of the rows of the pivots. A little more of a row is cleared, since products
// may change what is near the diagonal below it.
func (x *dense) clearPivots() {
	const margin = 32
	if x.pivots <= 2*margin {
		clear(x.w)
		return
	}
	for i := range x.pivots {
		clear(x.w[i*x.size+max(0, i-margin) : (i+1)*x.size])
	}
}

// extendAdd adds the rows of the update matrix of a child that are rows of pivots, or the others.
func (x *dense) extendAdd(child *front, update []float64, pivots bool) {
	n := child.below()
	at := x.run.parentAt[child.rows : child.rows+n]
	from, to := 0, n
	if pivots {
		to = child.passed
	} else {
		from = child.passed
	}

	// Different rows of the child go to different rows of the parent.
	const rows = 64
	tiles := (to - from + rows - 1) / rows
	if x.parallel(tiles, extendAddFlops*float64(to-from)*float64(n)) {
		x.run.spread(tiles, func(_ *worker, tile int) {
			x.addRows(at, child.tail, update, from+tile*rows, min(from+(tile+1)*rows, to))
		})
		return
	}
	x.addRows(at, child.tail, update, from, to)
}

// extendAddFlops is the time of moving a number, in operations of a product.
const extendAddFlops = 8

// addRows adds the rows from to to-1 of the update matrix of a child, whose rows have the places at in the front. From
// row tail on, places are consecutive.
func (x *dense) addRows(at []int32, tail int, update []float64, from, to int) {
	n := len(at)
	for i := from; i < to; i++ {
		source := update[i*n : (i+1)*n]
		target, first := x.row(int(at[i]))
		for j := i; j < tail; j++ {
			target[at[j]-first] += source[j]
		}
		if j := max(i, tail); j < n {
			part := target[at[j]-first:][:n-j]
			f64.Add(part, part, source[j:])
		}
	}
}

// row returns row r of the front and the column that it begins with.
func (x *dense) row(r int) (row []float64, first int32) {
	if r < x.pivots {
		return x.w[r*x.size : (r+1)*x.size], 0
	}
	r -= x.pivots
	return x.update[r*x.below : (r+1)*x.below], int32(x.pivots)
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
