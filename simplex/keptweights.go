package simplex

// keptBases is the number of bases whose edge weights are kept.
const keptBases = 8

// keptWeights are the edge weights of the bases that GetBasis handed out last: whoever sets one of them again, as
// a tree does that comes back to an open node, gets its weights back.
type keptWeights struct {
	slot [keptBases]basisWeights
	next int
}

// basisWeights are the edge weights of one basis.
type basisWeights struct {
	stamp  int       // numberStamp of the solver at that time
	weight []float64 // by variable, 0 where nonbasic; rows added since are missing at the end
}

// remember stores the weights of the present basis in place of the oldest, or of the same basis.
func (g *keptWeights) remember(s *Solver) {
	if !s.basis.ok {
		return
	}
	w := g.find(s)
	if w == nil {
		w = &g.slot[g.next]
		g.next = (g.next + 1) % keptBases
	}
	w.stamp = s.numberStamp
	w.weight = resize(w.weight, s.n+s.m)
	clear(w.weight)
	for p, v := range s.basis.head {
		w.weight[v] = s.weights.at[p]
	}
}

// recall stores the weights by variable if the basic variables of the present statuses are those of a basis that
// has been kept. Otherwise all weights become 1: those that the variables had in other bases mislead more than no
// weights.
func (g *keptWeights) recall(s *Solver) {
	for v := range s.weights.of {
		s.weights.of[v] = 1
	}
	w := g.find(s)
	if w == nil {
		return
	}
	for v, x := range w.weight {
		if x > 0 {
			s.weights.of[v] = x
		}
	}
}

// find returns the weights of the basis with the present statuses, nil if they are not kept.
func (g *keptWeights) find(s *Solver) *basisWeights {
	for k := range g.slot {
		if w := &g.slot[k]; w.stamp == s.numberStamp && len(w.weight) > 0 && w.fits(s.basis.status) {
			return w
		}
	}
	return nil
}

// fits reports whether the basic variables are those of the statuses; rows added since must be basic.
func (w *basisWeights) fits(status []VarStatus) bool {
	if len(w.weight) > len(status) {
		return false
	}
	for v, x := range w.weight {
		if (status[v] == Basic) != (x > 0) {
			return false
		}
	}
	for _, st := range status[len(w.weight):] {
		if st != Basic {
			return false
		}
	}
	return true
}
