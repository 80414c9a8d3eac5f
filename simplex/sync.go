package simplex

// sync brings the factors and the basic values up to date with the changes since the last Solve, with
// as little work as they allow.
func (s *basicSolution) sync() {
	s.bounds.ofModel(&s.problem)
	s.resizeRows()
	if !s.basis.ok || !s.primals.ok {
		s.syncAll()
		return
	}

	// A singular basis is repaired by ensureFactor, which invalidates the values.
	s.syncRows()
	s.ensureFactor()
	if !s.primals.ok {
		s.syncAll()
		return
	}
	s.syncTouched()
}

// syncAll places every nonbasic variable and factors the basis if that is needed; the basic values
// will be computed from scratch.
func (s *basicSolution) syncAll() {
	// Without positions, or with rows that the factors lack, the basis is factored anew.
	s.primals.clearTouched()
	if !s.basis.ok || s.factor.m < s.m {
		s.factor.invalidate()
	}

	s.ensureFactor()
	s.placeAll()
}

// syncRows extends the factors by the rows added since they were made, and computes the values of
// their logicals.
func (s *basicSolution) syncRows() {
	s.resizeRows()
	for i := s.factor.m; i < s.m; i++ {
		index, value := s.rows.Vec(i)
		s.positions = s.positions[:0]
		s.entries = s.entries[:0]
		activity := 0.0
		for k, j := range index {
			a := value[k] * s.rowScale[i] * s.colScale[j]
			activity += a * s.current(int(j))
			if p := s.basis.where[j]; p >= 0 {
				s.positions = append(s.positions, p)
				s.entries = append(s.entries, a)
			}
		}

		// The factors get the row restricted to the basic columns.
		s.factor.extend(s.positions, s.entries)
		s.factor.charge(len(index))

		v := int32(s.n + i)
		s.primals.place(v, activity)
		s.primals.enter(int32(i), activity, s.lo[v], s.up[v])
	}
}

// syncTouched applies changed bounds: basic variables get new bounds, nonbasic ones move, and the basic
// values follow.
func (s *basicSolution) syncTouched() {
	if len(s.primals.touched) == 0 {
		return
	}

	// The moves of nonbasic variables are collected, and solved for at once.
	s.ensureFactor()

	s.flip.Clear()
	moved := false
	for _, v := range s.primals.touched {
		if p := s.basis.where[v]; p >= 0 {
			s.primals.setBounds(p, s.lo[v], s.up[v])
			continue
		}
		old := s.primals.nonbasic[v]
		s.placeNonbasic(v)
		if dx := s.primals.nonbasic[v] - old; dx != 0 {
			s.addColumn(s.flip, v, dx)
			moved = true
		}
	}
	s.primals.clearTouched()

	// One solve serves all moves together.
	if moved {
		s.subtractFlips()
	}
	s.flip.Clear()
}
