package simplex

// frozen is a copy of the solver's state straight after the factorisation that a SetBasis led to. Strong
// branching returns to one basis again and again; as long as the model keeps its shape and costs and L is
// still the same, going back is a copy instead of a factorisation.
type frozen struct {
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
	z := &s.frozen
	if !z.wanted {
		return
	}
	z.wanted = false
	if s.modified || s.inBox || s.f.updates > 0 || !s.factorOK || !s.primalOK || !s.dualOK {
		return
	}
	z.ok, z.shape, z.costs, z.builds = true, s.shapeStamp, s.costStamp, s.f.builds
	z.head, z.where = append(z.head[:0], s.head...), append(z.where[:0], s.where...)
	z.x, z.d = append(z.x[:0], s.x...), append(z.d[:0], s.d...)
	z.xb, z.weight = append(z.xb[:0], s.xb...), append(z.weight[:0], s.weight...)
	z.pivot, z.first = append(z.pivot[:0], s.f.pivot...), s.f.first
	z.order, z.pos = append(z.order[:0], s.f.order...), append(z.pos[:0], s.f.pos...)
	z.u.copyFrom(&s.f.u)
	z.ut.copyFrom(&s.f.ut)
	z.buildPrice = s.f.clock
	s.f.work += float64(len(z.u.index) + s.n + s.m)
}

// thaw goes back to the frozen state if its basic variables are those of the present statuses. It
// reports whether it did.
func (s *Solver) thaw() bool {
	z := &s.frozen
	if !z.ok || z.shape != s.shapeStamp || z.costs != s.costStamp || z.builds != s.f.builds {
		return false
	}
	for v, st := range s.status {
		if (st == Basic) != (z.where[v] >= 0) {
			return false
		}
	}
	copy(s.head, z.head)
	copy(s.where, z.where)
	s.part.follow(s)
	copy(s.x, z.x)
	copy(s.d, z.d)
	copy(s.xb, z.xb)
	copy(s.weight, z.weight)
	s.f.thaw(z)
	s.factorOK, s.headOK, s.primalOK, s.dualOK = true, true, true, true
	s.wlo, s.wup = s.lo, s.up
	s.loadBasicBounds()
	for v := range s.status {
		if s.where[v] >= 0 {
			continue
		}
		was := s.x[v]
		s.placeNonbasic(v)
		if s.x[v] != was {
			s.x[v] = was // sync moves it, and the basic variables with it
			s.touch(v)
		}
	}
	s.f.work += float64(len(z.u.index) + s.n + s.m)
	return true
}

// thaw puts the frozen U back and forgets the updates; L has not changed.
func (f *factor) thaw(z *frozen) {
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
