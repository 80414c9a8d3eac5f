package simplex

// snapshot is a copy of a basic solution straight after the factorisation that a SetBasis led to. Strong
// branching returns to one basis again and again; as long as the model keeps its shape and costs and L is
// still the same, going back is a copy instead of a factorisation.
type snapshot struct {
	ok           bool
	wanted       bool // SetBasis has just led to a factorisation
	shape, costs int  // of the problem at that time
	builds       int  // of the factor

	head, where []int32
	x, d        []float64
	xb, weight  []float64
	factor      factorCopy
}

// factorCopy is what updates change of a factor.
type factorCopy struct {
	pivot      []float64
	order, pos []int32
	first      int
	u, ut      lists
	clock      clock
}

// takeSnapshot keeps the present state, if SetBasis asked for that and it is good for a return.
func (s *Solver) takeSnapshot() {
	z := &s.snapshot
	if !z.wanted {
		return
	}
	z.wanted = false
	if s.duals.modified || s.bounds.boxed || s.factor.updates > 0 || !s.factor.ok || !s.primals.ok || !s.duals.ok {
		return
	}
	z.ok, z.shape, z.costs, z.builds = true, s.shape, s.costs, s.factor.builds
	z.head, z.where = append(z.head[:0], s.basis.head...), append(z.where[:0], s.basis.where...)
	z.x, z.d = append(z.x[:0], s.primals.nonbasic...), append(z.d[:0], s.duals.d...)
	z.xb, z.weight = append(z.xb[:0], s.primals.basic...), append(z.weight[:0], s.weights.at...)
	z.factor.copyFrom(&s.factor)
	s.factor.charge(len(z.factor.u.index) + s.n + s.m)
}

// ensureSnapshot goes back to the snapshot if that is of the basis that SetBasis has set; else the next factorisation
// makes a new one.
func (s *Solver) ensureSnapshot() { s.snapshot.wanted = !s.restoreSnapshot() }

// restoreSnapshot goes back to the snapshot if its basic variables are those of the present statuses. It
// reports whether it did.
func (s *Solver) restoreSnapshot() bool {
	z := &s.snapshot
	if !z.ok || z.shape != s.shape || z.costs != s.costs || z.builds != s.factor.builds || !s.basis.matches(z.where) {
		return false
	}
	s.basis.restore(z.head, z.where)
	s.factor.chargeMoves(s.partition.follow(&s.matrix, s.basis.where))
	s.primals.restore(z.x, z.xb)
	s.duals.restore(z.d)
	s.weights.restore(z.weight)
	s.factor.restore(&z.factor)
	s.bounds.ofModel(&s.problem)
	s.primals.loadBounds(s.basis.head, &s.bounds)
	for v, p := range s.basis.where {
		if p >= 0 {
			continue
		}
		was := s.primals.nonbasic[v]
		s.placeNonbasic(int32(v))
		if s.primals.nonbasic[v] != was {
			s.primals.place(int32(v), was) // sync moves it, and the basic variables with it
			s.primals.touch(v)
		}
	}
	s.factor.charge(len(z.factor.u.index) + s.n + s.m)
	return true
}

// copyFrom copies what updates of f change.
func (z *factorCopy) copyFrom(f *factor) {
	z.pivot, z.first = append(z.pivot[:0], f.pivot...), f.first
	z.order, z.pos = append(z.order[:0], f.order...), append(z.pos[:0], f.pos...)
	z.u.copyFrom(&f.u)
	z.ut.copyFrom(&f.ut)
	z.clock = f.clock
}
