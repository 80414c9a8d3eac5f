package simplex

import "github.com/proxybd/proxybd/lp"

// deleteRows takes the rows out of the factors, where that is possible without a change to the rest; to has the new
// numbers of the others. It reports whether it was.
func (f *factor) deleteRows(rows []lp.Con, to []int32) bool {
	if f.inverse.valid {
		f.dropRowsInverse(rows, to)
		return true
	}

	// A row that R refers to cannot leave without a change of R.
	f.markR()
	for _, i := range rows {
		if !f.canDrop(int32(i)) {
			return false
		}
	}

	f.dropRows(rows, to)
	return true
}

// canDrop reports whether the row of pivot id can leave the factors without a change to the rest: its column is
// that of the logical and nothing has been eliminated from or with its row. The ids of R must be marked.
func (f *factor) canDrop(id int32) bool {
	isLogical := f.pivot[id] == -1 && f.u.len[id] == 0
	inL := f.l.len[id] > 0 || f.lt.len[id] > 0
	return isLogical && !inL && f.space.mark[id] != f.space.stamp
}

// markR marks the ids whose entries a row eta changes or reads.
func (f *factor) markR() {
	f.space.nextStamp()
	for _, ids := range [...][]int32{f.rPivot, f.rIndex} {
		for _, id := range ids {
			f.space.mark[id] = f.space.stamp
		}
	}
}

// dropRows removes the pivots of rows and renumbers the others.
func (f *factor) dropRows(rows []lp.Con, to []int32) {
	for _, i := range rows {
		f.removeRow(int32(i))
		f.order[f.pos[i]] = -1
	}

	// Numbers only become smaller, in order, so that nothing is overwritten before it is read.
	for k, id := range f.order {
		if id >= 0 {
			f.order[k] = to[id]
		}
	}
	for i, id := range to {
		if id >= 0 {
			f.pos[id] = f.pos[i]
			f.pivot[id] = f.pivot[i]
		}
	}
	f.m -= len(rows)
	f.pos = f.pos[:f.m]
	f.pivot = f.pivot[:f.m]

	// The other vectors, and the ids in the lists, get their new numbers.
	for _, l := range [...]*lists{&f.l, &f.lt, &f.u, &f.ut} {
		l.renumber(to, f.m)
	}
	for _, ids := range [...][]int32{f.lOrder, f.ltIDs, f.rPivot, f.rIndex} {
		for k, id := range ids {
			ids[k] = to[id]
		}
	}
	f.clearSaved()
	f.charge(len(f.order) + len(f.u.index) + len(f.l.index))
}
