package simplex

// taboo marks positions that the dual loop leaves alone until the next pivot.
type taboo struct {
	row   []bool
	count int
}

// resize makes room for m positions and clears them.
func (t *taboo) resize(m int) {
	t.row = resize(t.row, m)
	clear(t.row)
	t.count = 0
}

func (t *taboo) clear() {
	if t.count > 0 {
		clear(t.row)
		t.count = 0
	}
}

func (t *taboo) set(p int32) {
	if !t.row[p] {
		t.row[p] = true
		t.count++
	}
}

// chooseRow returns the position with the largest violation in the norm of the edge weights, or -1.
func (s *basicSolution) chooseRow() int32 {
	best, bestV, bestW := int32(-1), 0.0, 1.0
	list, value, weight := s.primals.infeasible.list, s.primals.infeasible.value, s.weights.at
	for _, p := range list {
		v, w := value[p], weight[p]
		if v*bestW > bestV*w && !(s.taboo.count > 0 && s.taboo.row[p]) {
			best, bestV, bestW = p, v, w
		}
	}
	s.factor.charge(len(list))
	return best
}
