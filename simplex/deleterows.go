package simplex

// DeleteRows removes the rows with the given numbers, in ascending order; later rows move down, in order.
// A deleted row whose logical is nonbasic leaves a basis with too many columns, one of which becomes
// nonbasic. Where all of the rows are slack and none has had a pivot since the last factorisation, as
// of cuts that never bind, the factors stay.
func (s *Solver) DeleteRows(rows []int) {
	drop := make([]bool, s.m)
	if !s.markDeleted("row", rows, drop) || len(rows) == 0 {
		return
	}
	s.shapeStamp++
	s.numberStamp++
	s.settleForDeletion()
	s.print.ok = false
	to := renumbering(drop)
	kept := s.keepFactors(rows, to)
	for i := range drop {
		if drop[i] && s.basis.status[s.n+i] != Basic {
			s.primals.ok, s.duals.ok = false, false
		}
	}
	s.cols.Renumber(to)
	s.rows.DeleteVecs(drop)
	s.part.nonbasic = keep(s.part.nonbasic, drop)
	s.compactVariables(s.n, drop)
	s.rowScale = keep(s.rowScale, drop)
	s.m -= len(rows)
	if kept {
		s.compactPositions(drop, to)
		return
	}
	s.forgetPositions()
}

// keepFactors takes the rows out of the factors, where that is possible; it reports whether it is.
func (s *Solver) keepFactors(rows []int, to []int32) bool {
	if !s.basis.ok || !s.primals.ok || !s.factor.ok || s.factor.m != s.m {
		return false
	}
	s.factor.markR()
	for _, i := range rows {
		if int(s.basis.head[i]) != s.n+i || !s.factor.canDrop(int32(i)) {
			return false
		}
	}
	s.factor.dropRows(rows, to)
	return true
}

// compactPositions removes the positions with drop, whose rows are gone, and renumbers the variables in the others.
func (s *Solver) compactPositions(drop []bool, to []int32) {
	n := int32(s.n)
	for p, v := range s.basis.head {
		if v >= n && !drop[p] {
			s.basis.head[p] = n + to[v-n]
		}
	}
	s.basis.head, s.primals.basic, s.weights.at = keep(s.basis.head, drop), keep(s.primals.basic, drop), keep(s.weights.at, drop)
	s.primals.lo, s.primals.up = keep(s.primals.lo, drop), keep(s.primals.up, drop)
	for p, v := range s.basis.head {
		s.basis.where[v] = int32(p)
	}
	s.resizeWork()
	s.primals.infeasible.rebuild(s)
}

// canDrop reports whether the row of pivot id can leave the factors without a change to the rest: its column is
// that of the logical and nothing has been eliminated from or with its row. It wants markR first.
func (f *factor) canDrop(id int32) bool {
	return f.pivot[id] == -1 && f.u.len[id] == 0 && f.l.len[id] == 0 && f.lt.len[id] == 0 && f.mark[id] != f.markStamp
}

// markR marks the ids whose entries a row eta changes or reads.
func (f *factor) markR() {
	f.nextStamp()
	for _, ids := range [...][]int32{f.rPivot, f.rIndex} {
		for _, id := range ids {
			f.mark[id] = f.markStamp
		}
	}
}

// dropRows removes the pivots of rows and renumbers the others.
func (f *factor) dropRows(rows []int, to []int32) {
	for _, i := range rows {
		f.removeRow(int32(i))
		f.order[f.pos[i]] = -1
	}
	for k, id := range f.order {
		if id >= 0 {
			f.order[k] = to[id]
		}
	}
	for i, id := range to {
		if id >= 0 {
			f.pos[id], f.pivot[id] = f.pos[i], f.pivot[i]
		}
	}
	f.m -= len(rows)
	f.pos, f.pivot = f.pos[:f.m], f.pivot[:f.m]
	for _, l := range [...]*lists{&f.l, &f.lt, &f.u, &f.ut} {
		l.renumber(to, f.m)
	}
	for _, ids := range [...][]int32{f.lOrder, f.ltIDs, f.rPivot, f.rIndex} {
		for k, id := range ids {
			ids[k] = to[id]
		}
	}
	f.spike.id, f.row.id = -1, -1
	f.work += float64(len(f.order) + len(f.u.index) + len(f.l.index))
}

// renumber gives vector and index k the number to[k]; m vectors remain, with no entry whose index has gone.
func (l *lists) renumber(to []int32, m int) {
	for k, id := range to {
		if id < 0 {
			continue
		}
		index := l.index[l.start[k] : l.start[k]+int(l.len[k])]
		for p, i := range index {
			index[p] = to[i]
		}
		l.start[id], l.len[id], l.room[id] = l.start[k], l.len[k], l.room[k]
	}
	l.start, l.len, l.room = l.start[:m], l.len[:m], l.room[:m]
}
