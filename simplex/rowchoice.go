package simplex

// tabu marks positions that the dual loop leaves alone until the next pivot.
type tabu struct {
	row   []bool
	count int
}

// resize makes room for m positions and clears them.
func (t *tabu) resize(m int) {
	t.row = zeroed(t.row, m)
	t.count = 0
}

// clear takes all positions out.
func (t *tabu) clear() {
	if t.count > 0 {
		clear(t.row)
		t.count = 0
	}
}

// set adds position p.
func (t *tabu) set(p int32) {
	if !t.row[p] {
		t.row[p] = true
		t.count++
	}
}

// chooseRow returns the position with the largest violation in the norm of the edge weights, or -1.
func (s *basicSolution) chooseRow() int32 {
	s.factor.charge(len(s.primals.infeasible.list))
	return s.primals.infeasible.choose(s.weights.at, &s.tabu)
}
