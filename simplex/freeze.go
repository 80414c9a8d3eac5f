package simplex

// snapshot is a copy of the solver's state straight after the factorisation that a SetBasis led to. Strong
// branching returns to one basis again and again; as long as the model keeps its shape and costs and L is
// still the same, going back is a copy instead of a factorisation.
type snapshot struct {
	ok           bool
	wanted       bool // SetBasis has just led to a factorisation
	shape, costs int  // of the solver at that time
	builds       int  // of the factor

	head, where []int32
	x, d        []float64
	xb, weight  []float64
	pivot       []float64
	order, pos  []int32
	first       int
	u, ut       lists
	buildPrice  clock
}

func (l *lists) copyFrom(src *lists) {
	l.start = append(l.start[:0], src.start...)
	l.len = append(l.len[:0], src.len...)
	l.room = append(l.room[:0], src.room...)
	l.index = append(l.index[:0], src.index...)
	l.value = append(l.value[:0], src.value...)
	l.twin = append(l.twin[:0], src.twin...)
	l.holds = src.holds
}

// freeze keeps the present state, if SetBasis asked for that and it is good for a return.
func (s *Solver) freeze() {
	z := &s.snapshot
	if !z.wanted {
		return
	}
	z.wanted = false
	if s.duals.modified || s.bounds.boxed || s.factor.updates > 0 || !s.factor.ok || !s.primals.ok || !s.duals.ok {
		return
	}
	z.ok, z.shape, z.costs, z.builds = true, s.shapeStamp, s.costStamp, s.factor.builds
	z.head, z.where = append(z.head[:0], s.basis.head...), append(z.where[:0], s.basis.where...)
	z.x, z.d = append(z.x[:0], s.primals.nonbasic...), append(z.d[:0], s.duals.d...)
	z.xb, z.weight = append(z.xb[:0], s.primals.basic...), append(z.weight[:0], s.weights.at...)
	z.pivot, z.first = append(z.pivot[:0], s.factor.pivot...), s.factor.first
	z.order, z.pos = append(z.order[:0], s.factor.order...), append(z.pos[:0], s.factor.pos...)
	z.u.copyFrom(&s.factor.u)
	z.ut.copyFrom(&s.factor.ut)
	z.buildPrice = s.factor.clock
	s.factor.work += float64(len(z.u.index) + s.n + s.m)
}

// thaw goes back to the frozen state if its basic variables are those of the present statuses. It
// reports whether it did.
func (s *Solver) thaw() bool {
	z := &s.snapshot
	if !z.ok || z.shape != s.shapeStamp || z.costs != s.costStamp || z.builds != s.factor.builds {
		return false
	}
	for v, st := range s.basis.status {
		if (st == Basic) != (z.where[v] >= 0) {
			return false
		}
	}
	copy(s.basis.head, z.head)
	copy(s.basis.where, z.where)
	s.part.follow(s)
	copy(s.primals.nonbasic, z.x)
	copy(s.duals.d, z.d)
	copy(s.primals.basic, z.xb)
	copy(s.weights.at, z.weight)
	s.factor.thaw(z)
	s.factor.ok, s.basis.ok, s.primals.ok, s.duals.ok = true, true, true, true
	s.bounds.lo, s.bounds.up = s.lo, s.up
	s.loadBasicBounds()
	for v := range s.basis.status {
		if s.basis.where[v] >= 0 {
			continue
		}
		was := s.primals.nonbasic[v]
		s.placeNonbasic(v)
		if s.primals.nonbasic[v] != was {
			s.primals.nonbasic[v] = was // sync moves it, and the basic variables with it
			s.touch(v)
		}
	}
	s.factor.work += float64(len(z.u.index) + s.n + s.m)
	return true
}

// thaw puts the frozen U back and forgets the updates; L has not changed.
func (f *factor) thaw(z *snapshot) {
	f.pivot = append(f.pivot[:0], z.pivot...)
	f.order, f.pos, f.first = append(f.order[:0], z.order...), append(f.pos[:0], z.pos...), z.first
	f.u.copyFrom(&z.u)
	f.ut.copyFrom(&z.ut)
	f.rPivot, f.rStart, f.rIndex, f.rValue = f.rPivot[:0], append(f.rStart[:0], 0), f.rIndex[:0], f.rValue[:0]
	f.updates = 0
	f.spike.id, f.row.id = -1, -1
	f.clock = z.buildPrice
	f.clock.begin, f.clock.solves, f.clock.last = f.work, 0, 0
}
