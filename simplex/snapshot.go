package simplex

// snapshot is a copy of a basic solution straight after the factorisation that a SetBasis led to. Strong
// branching returns to one basis again and again; as long as the model keeps its shape and costs and L is
// still the same, going back is a copy instead of a factorisation.
type snapshot struct {
	ok        bool
	requested bool // SetBasis has just led to a factorisation
	of        snapshotKey

	head, where []int32
	x, d        []float64
	xb, weight  []float64
	factor      updated
}

// snapshotKey counts the changes of what a snapshot rests on.
type snapshotKey struct {
	shape, costs int // of the problem
	builds       int // of the factor
}

// snapshotKey returns the key of a snapshot taken now.
func (s *Solver) snapshotKey() snapshotKey { return snapshotKey{s.shape, s.costs, s.factor.builds} }

// takeSnapshot keeps the present state, if SetBasis requested that and the state is one to return to.
func (s *Solver) takeSnapshot() {
	z := &s.snapshot
	if !z.requested {
		return
	}
	z.requested = false
	valid := s.factor.ok && s.primals.ok && s.duals.ok
	changed := s.duals.modified || s.bounds.boxed || s.factor.updates > 0
	if !valid || changed {
		return
	}

	// The storage of the last snapshot is reused.
	z.ok = true
	z.of = s.snapshotKey()
	copyTo(&z.head, s.basis.head)
	copyTo(&z.where, s.basis.where)
	copyTo(&z.x, s.primals.nonbasic)
	copyTo(&z.d, s.duals.d)
	copyTo(&z.xb, s.primals.basic)
	copyTo(&z.weight, s.weights.at)
	z.factor.copyFrom(&s.factor.updated)
	s.factor.charge(len(z.factor.u.index) + s.n + s.m)
}

// ensureSnapshot goes back to the snapshot if that is of the basis that SetBasis has set; else the next factorisation
// makes a new one.
func (s *Solver) ensureSnapshot() { s.snapshot.requested = !s.restoreSnapshot() }

// restoreSnapshot goes back to the snapshot if its basic variables are those of the present statuses. It
// reports whether it did.
func (s *Solver) restoreSnapshot() bool {
	z := &s.snapshot
	if !z.ok || z.of != s.snapshotKey() || !s.basis.matches(z.where) {
		return false
	}

	// All parts return to the state straight after the factorisation.
	s.basis.restore(z.head, z.where)
	s.factor.chargeMoves(s.partition.follow(&s.matrix, s.basis.where))
	s.primals.restore(z.x, z.xb)
	s.duals.restore(z.d)
	s.weights.restore(z.weight)
	s.factor.restore(&z.factor)
	s.bounds.ofModel(&s.problem)
	s.primals.loadBounds(s.basis.head, &s.bounds)

	// Bounds and statuses of nonbasic variables may be other ones now. Such a variable keeps its old value, to which
	// the basic values belong, and is marked; sync moves it, and the basic variables with it.
	for v, p := range s.basis.where {
		if p >= 0 {
			continue
		}
		was := s.primals.nonbasic[v]
		s.placeNonbasic(int32(v))
		if s.primals.nonbasic[v] != was {
			s.primals.place(int32(v), was)
			s.primals.touch(v)
		}
	}
	s.factor.charge(len(z.factor.u.index) + s.n + s.m)
	return true
}
