package simplex

// infeasList holds the positions whose basic variable violates its bounds, with the squares of the
// violations, so that the choice of a row looks at those only.
type infeasList struct {
	value []float64 // squared violation by position, 0 where feasible
	at    []int32   // place in list, -1 where absent
	list  []int32
	tol   float64
}

// rebuild finds all infeasibilities anew.
func (l *infeasList) rebuild(s *Solver) {
	l.tol = s.primals.tol
	l.value = resize(l.value, s.m)
	l.at = resize(l.at, s.m)
	l.list = l.list[:0]
	for p := range l.at {
		l.at[p] = -1
		l.value[p] = 0
	}
	for p := range s.m {
		l.update(s, int32(p))
	}
}

// update looks at position p again.
func (l *infeasList) update(s *Solver, p int32) {
	x := s.primals.basic[p]
	v := 0.0
	if over := x - s.primals.up[p]; over > l.tol {
		v = over * over
	} else if under := s.primals.lo[p] - x; under > l.tol {
		v = under * under
	}
	old := l.value[p]
	l.value[p] = v
	if (v > 0) == (old > 0) {
		return
	}
	if v > 0 {
		l.at[p] = int32(len(l.list))
		l.list = append(l.list, p)
		return
	}
	at, last := l.at[p], len(l.list)-1
	q := l.list[last]
	l.list[at] = q
	l.at[q] = at
	l.list = l.list[:last]
	l.at[p] = -1
}

// chooseRow returns the position with the largest violation in the norm of the edge weights, or -1.
func (s *Solver) chooseRow() int32 {
	best, bestV, bestW := int32(-1), 0.0, 1.0
	for _, p := range s.primals.infeasible.list {
		v, w := s.primals.infeasible.value[p], s.weights.at[p]
		if v*bestW > bestV*w && !(s.taboo.count > 0 && s.taboo.row[p]) {
			best, bestV, bestW = p, v, w
		}
	}
	s.factor.work += float64(len(s.primals.infeasible.list))
	return best
}
