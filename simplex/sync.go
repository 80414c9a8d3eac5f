package simplex

// sync brings the factors and the basic values up to date with the changes since the last Solve, with
// as little work as they allow.
func (s *Solver) sync() {
	s.bounds.lo, s.bounds.up = s.lo, s.up
	s.resizeWork()
	if !s.basis.ok || !s.primals.ok {
		s.syncAll()
		return
	}
	s.syncRows()
	if !s.factor.ok {
		s.refactor()
	}
	if !s.primals.ok {
		s.syncAll()
		return
	}
	s.syncTouched()
}

// syncAll places every nonbasic variable and factors the basis if that is needed; the basic values
// will be computed from scratch.
func (s *Solver) syncAll() {
	s.clearTouched()
	if s.basis.ok && s.factor.ok && s.factor.m < s.m {
		s.factor.ok = false
	}
	if !s.basis.ok || !s.factor.ok {
		s.refactor()
	}
	for v := range s.basis.status {
		if s.basis.where[v] < 0 {
			s.placeNonbasic(v)
		}
	}
	s.loadBasicBounds()
	s.primals.ok = false
}

func (s *Solver) clearTouched() {
	for _, v := range s.primals.touched {
		s.primals.isTouched[v] = false
	}
	s.primals.touched = s.primals.touched[:0]
}

// syncRows extends the factors by the rows added since they were made, and computes the values of
// their logicals.
func (s *Solver) syncRows() {
	s.resizeWork()
	for i := s.factor.m; i < s.m; i++ {
		index, value := s.rows.Vec(i)
		s.factor.rowIDs, s.factor.rowValues = s.factor.rowIDs[:0], s.factor.rowValues[:0]
		activity := 0.0
		for k, j := range index {
			a := value[k] * s.rowScale[i] * s.colScale[j]
			if p := s.basis.where[j]; p >= 0 {
				activity += a * s.primals.basic[p]
				s.factor.rowIDs = append(s.factor.rowIDs, p)
				s.factor.rowValues = append(s.factor.rowValues, a)
			} else {
				activity += a * s.primals.nonbasic[j]
			}
		}
		if s.factor.ok && !s.factor.addRow(s.factor.rowIDs, s.factor.rowValues) {
			s.factor.ok = false
		}
		s.factor.work += float64(len(index))
		v := s.n + i
		s.primals.basic[i], s.primals.nonbasic[v] = activity, activity
		s.primals.lo[i], s.primals.up[i] = s.lo[v], s.up[v]
		s.primals.infeasible.update(s, int32(i))
		if s.factor.m <= i {
			s.factor.m = i + 1 // counted, although the factors must be made anew
		}
	}
}

// syncTouched applies changed bounds: basic variables get new bounds, nonbasic ones move, and the basic
// values follow.
func (s *Solver) syncTouched() {
	if len(s.primals.touched) == 0 {
		return
	}
	if !s.factor.ok {
		s.refactor()
	}
	s.flip.Clear()
	moved := false
	for _, v := range s.primals.touched {
		s.primals.isTouched[v] = false
		if p := s.basis.where[v]; p >= 0 {
			s.primals.lo[p], s.primals.up[p] = s.lo[v], s.up[v]
			s.primals.infeasible.update(s, p)
			continue
		}
		old := s.primals.nonbasic[v]
		s.placeNonbasic(int(v))
		if dx := s.primals.nonbasic[v] - old; dx != 0 {
			s.addColumn(s.flip, v, dx)
			moved = true
		}
	}
	s.primals.touched = s.primals.touched[:0]
	if moved {
		s.subtractFlips()
	}
	s.flip.Clear()
}
