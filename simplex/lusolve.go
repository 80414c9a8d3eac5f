package simplex

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// ftran solves B x = x in place. history is the running density of such results. With save the partial
// result R L^-1 x is kept for update.
func (f *factor) ftran(x *sparse.Vector, history *float64, save bool) {
	before := f.work
	f.ftranUncounted(x, history, save)
	f.clock.solves += f.work - before
}

// ftranUncounted is ftran that the clock does not count.
func (f *factor) ftranUncounted(x *sparse.Vector, history *float64, save bool) {
	if f.inverse.valid {
		f.ftranInverse(x, save)
	} else {
		// The history decides whether the pattern of the result is worth a search.
		hyper := *history < hyperResult
		f.ftranLower(x, hyper, save)
		f.ftranU(x, hyper)
	}
	f.note(x, history)
}

// ftranLower is the part R L^-1 of ftran, whose result update needs with save.
func (f *factor) ftranLower(x *sparse.Vector, hyper, save bool) {
	f.ftranL(x, hyper)
	f.ftranR(x)
	if save {
		f.spike.save(x)
		f.spike.id = 0
	}
}

// saveSpike keeps R L^-1 x for update, and leaves that in x. Where nothing but an update follows, this is all of ftran
// that is needed: the solve with U, which may fill x, is left out. With the inverse it is ftran.
func (f *factor) saveSpike(x *sparse.Vector) {
	before := f.work
	if f.inverse.valid {
		f.ftranInverse(x, true)
	} else {
		f.ftranLower(x, true, true)
	}
	f.clock.solves += f.work - before
}

// btran solves B'x = x in place. With save >= 0 the right-hand side is e_save, and the partial result
// U^-T e_save is kept for update.
func (f *factor) btran(x *sparse.Vector, history *float64, save int32) {
	before := f.work
	if f.inverse.valid {
		f.btranInverse(x, save)
	} else {
		f.btranFactors(x, *history < hyperResult, save)
	}
	f.note(x, history)
	f.clock.solves += f.work - before
}

// btranFactors is btran by L, R and U.
func (f *factor) btranFactors(x *sparse.Vector, hyper bool, save int32) {
	f.btranU(x, hyper)
	if save >= 0 {
		f.row.save(x)
		f.row.id = save
	}
	f.btranR(x)
	f.btranL(x, hyper)
}

// note updates the running density, for which the pattern of the result is needed.
func (f *factor) note(x *sparse.Vector, history *float64) {
	if f.m == 0 {
		return
	}

	n := x.N

	// A result without a pattern counts as dense.
	if n < 0 {
		n = f.m
	}
	*history += densityRate * (float64(n)/float64(f.m) - *history)
}

// isHyper reports whether the pattern of x is worth a search for the entries that it reaches.
func (f *factor) isHyper(x *sparse.Vector, hyper bool) bool {
	return hyper && x.N >= 0 && float64(x.N) <= hyperInput*float64(f.m)
}

// ftranL applies L^-1.
func (f *factor) ftranL(x *sparse.Vector, hyper bool) { f.solveEtas(x, &f.l, f.lOrder, hyper) }

// btranL applies L^-T and finds the pattern of the result.
func (f *factor) btranL(x *sparse.Vector, hyper bool) {
	f.solveEtas(x, &f.lt, f.ltIDs, hyper)
	x.Pack(dropTol)
}

// solveEtas applies x[i] -= v x[id] for the entries (i, v) of the vectors ids of l, in order.
func (f *factor) solveEtas(x *sparse.Vector, l *lists, ids []int32, hyper bool) {
	if len(ids) == 0 {
		return
	}
	if f.isHyper(x, hyper) {
		f.solveHyper(x, l)
		return
	}

	// The pattern of x is not kept: it may fill.
	val := x.Value
	touched := len(ids)
	for _, id := range ids {
		t := val[id]
		if t == 0 {
			continue
		}
		index, value := l.vec(id)
		value = value[:len(index)]
		touched += len(index)
		for p, i := range index {
			val[i] -= value[p] * t
		}
	}
	f.charge(touched)
	x.N = -1
}

// solveHyper is solveEtas for a sparse x, over the vectors that a depth-first search reaches
// (Gilbert and Peierls 1988).
func (f *factor) solveHyper(x *sparse.Vector, l *lists) {
	topo := f.reach(x, l)
	val := x.Value
	n := 0
	for _, id := range topo {
		t := val[id]
		if math.Abs(t) < f.drop {
			val[id] = 0
			continue
		}
		x.Index[n] = id
		n++

		index, value := l.vec(id)
		for p, i := range index {
			val[i] -= value[p] * t
		}
	}
	x.N = n
}

// reach returns the positions that the pattern of x reaches over the vectors of l, in an order in
// which each comes before those that it changes: a depth-first search that fills topo from the end, each id after all
// that it reaches (Gilbert and Peierls 1988).
func (f *factor) reach(x *sparse.Vector, l *lists) []int32 {
	w := &f.space
	w.nextStamp()
	stamp, mark, stack, at := w.stamp, w.mark, w.stack, w.stackPos
	top := f.m
	touched := 0
	for _, root := range x.Index[:x.N] {
		if mark[root] == stamp {
			continue
		}
		mark[root] = stamp
		stack[0] = root
		at[0] = 0
		depth := 0
		for depth >= 0 {
			// The search goes on at the first entry of the vector that it has not reached yet.
			id := stack[depth]
			s := l.start[id]
			n := l.len[id]
			index := l.index[s : s+int(n)]
			p := at[depth]
			for p < n && mark[index[p]] == stamp {
				p++
			}
			if p < n {
				child := index[p]
				mark[child] = stamp
				at[depth] = p + 1
				depth++
				stack[depth] = child
				at[depth] = 0
				continue
			}

			touched += int(n)
			depth--
			top--
			w.topo[top] = id
		}
	}
	f.charge(2 * (touched + f.m - top))
	return w.topo[top:f.m]
}

// rowEta returns the entries of row eta t.
func (f *factor) rowEta(t int) (index []int32, value []float64) {
	s := f.rStart[t]
	e := f.rStart[t+1]
	return f.rIndex[s:e], f.rValue[s:e]
}

// ftranR applies the row etas.
func (f *factor) ftranR(x *sparse.Vector) {
	val := x.Value
	for t, p := range f.rPivot {
		index, value := f.rowEta(t)
		sum := 0.0
		for k, i := range index {
			sum += value[k] * val[i]
		}

		if sum == 0 {
			continue
		}
		if x.N >= 0 {
			x.Add(p, sum)
		} else {
			val[p] += sum
		}
	}
	f.charge(len(f.rIndex) + len(f.rPivot))
}

// btranR applies the transposes of the row etas, from the last to the first.
func (f *factor) btranR(x *sparse.Vector) {
	val := x.Value
	touched := len(f.rPivot)
	for t := len(f.rPivot) - 1; t >= 0; t-- {
		v := val[f.rPivot[t]]
		if v == 0 {
			continue
		}
		index, value := f.rowEta(t)
		touched += len(index)

		if x.N < 0 {
			for k, i := range index {
				val[i] += value[k] * v
			}
			continue
		}
		for k, i := range index {
			x.Add(i, value[k]*v)
		}
	}
	f.charge(touched)
}

// ftranU applies U^-1, from the last pivot to the first.
func (f *factor) ftranU(x *sparse.Vector, hyper bool) {
	f.solveU(x, &f.u, hyper, len(f.order)-1, -1)
}

// btranU applies U^-T, from the first pivot to the last.
func (f *factor) btranU(x *sparse.Vector, hyper bool) { f.solveU(x, &f.ut, hyper, f.first, 1) }

// solveUHyper is solveU for a sparse x, over the pivots that a depth-first search reaches.
func (f *factor) solveUHyper(x *sparse.Vector, u *lists) {
	val := x.Value
	n := 0
	touched := 0
	for _, id := range f.reach(x, u) {
		// All that changes this entry comes before it, so a small one is rounding for good.
		t := val[id]
		if math.Abs(t) < f.drop {
			val[id] = 0
			continue
		}
		t /= f.pivot[id]
		val[id] = t
		x.Index[n] = id
		n++

		index, value := u.vec(id)
		touched += len(index)
		for p, i := range index {
			val[i] -= value[p] * t
		}
	}
	f.charge(touched)
	x.N = n
}

// solveU divides by the pivots in the triangular order, from place k on in steps of step, and subtracts the multiple of
// the vector of u for each. It finds the pattern of the result.
func (f *factor) solveU(x *sparse.Vector, u *lists, hyper bool, k, step int) {
	if f.isHyper(x, hyper) {
		f.solveUHyper(x, u)
		return
	}

	val, pivot, order := x.Value, f.pivot, f.order
	start, length := u.start, u.len[:len(u.start)]
	drop := f.drop
	n := 0
	touched := len(order) - f.first
	for range len(order) - f.first {
		id := order[k]
		k += step
		if id < 0 {
			continue
		}
		t := val[id]
		if t == 0 {
			continue
		}
		if t < drop && t > -drop {
			val[id] = 0
			continue
		}
		t /= pivot[id]
		val[id] = t
		x.Index[n] = id
		n++

		// The multiple of the vector is subtracted from the entries that pivots to come belong to. Most vectors are empty,
		// and the memory of those is not looked at.
		count := int(length[id])
		if count == 0 {
			continue
		}
		from := start[id]
		index := u.index[from : from+count]
		value := u.value[from : from+count][:len(index)]
		touched += count
		for p, i := range index {
			val[i] -= value[p] * t
		}
	}
	f.charge(touched)
	x.N = n
}
