package simplex

// sync brings the factors and the basic values up to date with the changes since the last Solve, with
// as little work as they allow.
func (s *Solver) sync() {
	s.wlo, s.wup = s.lo, s.up
	s.resizeWork()
	if !s.headOK || !s.primalOK {
		s.syncAll()
		return
	}
	s.syncRows()
	if !s.factorOK {
		s.refactor()
	}
	if !s.primalOK {
		s.syncAll()
		return
	}
	s.syncTouched()
}

// syncAll places every nonbasic variable and factors the basis if that is needed; the basic values
// will be computed from scratch.
func (s *Solver) syncAll() {
	s.clearTouched()
	if s.headOK && s.factorOK && s.f.m < s.m {
		s.factorOK = false
	}
	if !s.headOK || !s.factorOK {
		s.refactor()
	}
	for v := range s.status {
		if s.where[v] < 0 {
			s.placeNonbasic(v)
		}
	}
	s.loadBasicBounds()
	s.primalOK = false
}

func (s *Solver) clearTouched() {
	for _, v := range s.touched {
		s.isTouch[v] = false
	}
	s.touched = s.touched[:0]
}

// syncRows extends the factors by the rows added since they were made, and computes the values of
// their logicals.
func (s *Solver) syncRows() {
	s.resizeWork()
	for i := s.f.m; i < s.m; i++ {
		index, value := s.rows.Vec(i)
		s.rowIDs, s.rowVals = s.rowIDs[:0], s.rowVals[:0]
		activity := 0.0
		for k, j := range index {
			a := value[k] * s.rowScale[i] * s.colScale[j]
			if p := s.where[j]; p >= 0 {
				activity += a * s.xb[p]
				s.rowIDs = append(s.rowIDs, p)
				s.rowVals = append(s.rowVals, a)
			} else {
				activity += a * s.x[j]
			}
		}
		if s.factorOK && !s.f.addRow(s.rowIDs, s.rowVals) {
			s.factorOK = false
		}
		s.f.work += float64(len(index))
		v := s.n + i
		s.xb[i], s.x[v] = activity, activity
		s.blo[i], s.bup[i] = s.lo[v], s.up[v]
		s.inf.update(s, int32(i))
		if s.f.m <= i {
			s.f.m = i + 1 // counted, although the factors must be made anew
		}
	}
}

// syncTouched applies changed bounds: basic variables get new bounds, nonbasic ones move, and the basic
// values follow.
func (s *Solver) syncTouched() {
	if len(s.touched) == 0 {
		return
	}
	if !s.factorOK {
		s.refactor()
	}
	s.flip.Clear()
	moved := false
	for _, v := range s.touched {
		s.isTouch[v] = false
		if p := s.where[v]; p >= 0 {
			s.blo[p], s.bup[p] = s.lo[v], s.up[v]
			s.inf.update(s, p)
			continue
		}
		old := s.x[v]
		s.placeNonbasic(int(v))
		if dx := s.x[v] - old; dx != 0 {
			s.addColumn(s.flip, v, dx)
			moved = true
		}
	}
	s.touched = s.touched[:0]
	if moved {
		s.subtractFlips()
	}
	s.flip.Clear()
}
