package cholesky

import "github.com/proxybd/proxybd/internal/f64"

// numeric is one factorisation.
type numeric struct {
	*Factor
	given []float64
	reg   Regularisation
}

// eliminate assembles front k and eliminates its pivots, by so many threads.
func (r *numeric) eliminate(own *worker, k int32, threads int) {
	f := &r.fronts[k]
	x := dense{
		run:     r,
		front:   f,
		size:    int(f.size),
		pivots:  int(f.pivots),
		below:   f.below(),
		threads: threads,
	}
	x.w = r.values[f.values : f.values+x.pivots*x.size]
	x.update = r.updateOf(own, k, r.schedule.slots.build[k])
	clear(x.w)
	clear(x.update)

	r.assemble(&x)
	for _, c := range r.children[k] {
		x.extendAdd(own, &r.fronts[c], r.updateOf(own, c, r.schedule.slots.final[c]))
	}
	x.eliminate(own)

	// The update matrices of the children are used up.
	if from, to := r.schedule.slots.build[k], r.schedule.slots.final[k]; from != to && r.schedule.keptAt[k] < 0 {
		copy(own.stack[to:], x.update)
	}
}

// updateOf returns the update matrix of front k: at the given place of the stack, or where it is kept.
func (r *numeric) updateOf(own *worker, k int32, at int64) []float64 {
	size := r.fronts[k].updateSize()
	if keep := r.schedule.keptAt[k]; keep >= 0 {
		return r.kept[keep : keep+size]
	}
	return own.stack[at : at+size]
}

// assemble adds the entries of A to the rows of the pivots.
func (r *numeric) assemble(x *dense) {
	a := &r.entries
	for i := range x.pivots {
		column := int(x.front.first) + i
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

// extendAdd adds the update matrix of a child.
func (x *dense) extendAdd(own *worker, child *front, update []float64) {
	n := child.below()
	at := x.run.parentAt[child.rows : child.rows+n]

	// From this row on, the rows of the child are neighbours in the parent.
	tail := n
	for tail > 0 && int(at[n-1]-at[tail-1]) == n-tail {
		tail--
	}
	// Different rows of the child go to different rows of the parent.
	work := float64(n) * float64(n)
	const rows = 64
	x.spread(own, (n+rows-1)/rows, work*extendAddFlops, func(_ *worker, tile int) {
		for i := tile * rows; i < min((tile+1)*rows, n); i++ {
			x.addRow(at, i, tail, update[i*n:(i+1)*n])
		}
	})
}

// extendAddFlops is the time of moving a number, in operations of a product.
const extendAddFlops = 8

// addRow adds row i of the update matrix of a child, whose rows have the places at in the front.
func (x *dense) addRow(at []int32, i, tail int, source []float64) {
	target := x.w
	first := int32(0)
	if r := int(at[i]); r < x.pivots {
		target = target[r*x.size : (r+1)*x.size]
	} else {
		target = x.update[(r-x.pivots)*x.below : (r-x.pivots+1)*x.below]
		first = int32(x.pivots)
	}

	// The tail of the row may be short, or the whole row.
	for j := i; j < tail; j++ {
		target[at[j]-first] += source[j]
	}
	if from := max(i, tail); from < len(at) {
		part := target[at[from]-first:][:len(at)-from]
		f64.Add(part, part, source[from:])
	}
}
