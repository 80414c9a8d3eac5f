package presolve

import "math"

// duplicateCols merges columns that are multiples of each other, or fixes one where the other dominates
// it.
func (p *problem) duplicateCols() {
	if p.has(DuplicateCols) {
		p.ParallelCols(p.running, p.mergeCols)
	}
}

// mergeCols deals with columns j and k if k is a multiple of j.
func (p *problem) mergeCols(j, k int32) {
	p.Work += 2 * int(p.A.ColLen[j])
	s, ok := p.A.ColRatio(j, k)
	if !ok {
		return
	}
	diff := p.Cost[k] - s*p.Cost[j]
	size := max(math.Abs(p.Cost[k]), math.Abs(s*p.Cost[j]))
	switch {
	case math.Abs(diff) <= cancelTol*size:
		p.joinCols(j, k, s)
	case math.Abs(diff) > dualTol*(1+size):
		p.dominatedTwin(j, k, s, diff)
	}
}

// dominatedTwin uses d_k = diff + s d_j: an infinite bound gives one of the two reduced costs a sign,
// and that the other a strict one.
func (p *problem) dominatedTwin(j, k int32, s, diff float64) {
	atLo := func(c int32) bool { return math.IsInf(p.Lo[c], -1) } // its reduced cost is at most 0
	atUp := func(c int32) bool { return math.IsInf(p.Up[c], 1) }  // ... at least 0
	switch {
	case diff > 0 && (s > 0 && atUp(j) || s < 0 && atLo(j)):
		p.fixStrict(k, AtLower)
	case diff < 0 && (s > 0 && atLo(j) || s < 0 && atUp(j)):
		p.fixStrict(k, AtUpper)
	case diff > 0 && atLo(k):
		p.fixStrict(j, sideFor(AtUpper, s > 0))
	case diff < 0 && atUp(k):
		p.fixStrict(j, sideFor(AtLower, s > 0))
	}
}

// fixStrict fixes column j, whose reduced cost is not zero, at bound st.
func (p *problem) fixStrict(j int32, st Status) {
	b := p.Lo[j]
	if st == AtUpper {
		b = p.Up[j]
	}
	if math.IsInf(b, 0) {
		p.fail(UnboundedOrInfeasible)
		return
	}
	p.fixAt(j, st)
}

// box is a pair of bounds.
type box struct{ lo, up float64 }

func (b box) free() bool { return math.IsInf(b.lo, -1) && math.IsInf(b.up, 1) }

// duplicateCol is a column k = s times column j, with the same ratio of costs: x_j became x_j + s x_k.
type duplicateCol struct {
	j, k   int32
	s      float64
	bj, bk box
}

func (p *problem) joinCols(j, k int32, s float64) {
	r := &duplicateCol{j, k, s, box{p.Lo[j], p.Up[j]}, box{p.Lo[k], p.Up[k]}}
	lo, up := r.bj.lo+s*r.bk.lo, r.bj.up+s*r.bk.up
	if s < 0 {
		lo, up = r.bj.lo+s*r.bk.up, r.bj.up+s*r.bk.lo
	}
	// A free sum of bounded terms can be nonbasic at zero only if each term can.
	if (box{lo, up}).free() && !(restsAtZero(r.bj) && restsAtZero(r.bk)) {
		return
	}
	p.stack.push(r)
	p.Lo[j], p.Up[j] = lo, up
	p.DropCol(k)
	p.touchBounds(j)
}

func restsAtZero(b box) bool { return b.free() || b.lo == 0 || b.up == 0 }

func (r *duplicateCol) undo(s *restore) {
	s.d[r.k] = r.s * s.d[r.j]
	switch st := s.col[r.j]; st {
	case AtLower:
		s.x[r.j] = r.bj.lo
		r.rest(s, sideFor(AtLower, r.s > 0))
	case AtUpper:
		s.x[r.j] = r.bj.up
		r.rest(s, sideFor(AtUpper, r.s > 0))
	case AtZero:
		s.x[r.j], s.col[r.j] = 0, zeroSide(r.bj)
		s.x[r.k], s.col[r.k] = 0, zeroSide(r.bk)
	default:
		r.split(s)
	}
}

// rest puts x_k at side st.
func (r *duplicateCol) rest(s *restore, st Status) {
	s.col[r.k], s.x[r.k] = st, r.bk.lo
	if st == AtUpper {
		s.x[r.k] = r.bk.up
	}
}

func zeroSide(b box) Status {
	switch {
	case b.lo == 0:
		return AtLower
	case b.up == 0:
		return AtUpper
	}
	return AtZero
}

// split shares out a basic sum: one of the two columns rests on a bound, the other is basic.
func (r *duplicateCol) split(s *restore) {
	sum := s.x[r.j]
	slop := feasTol * (1 + math.Abs(sum))
	sides := [2]Status{AtLower, AtUpper}
	for at, b := range [2]float64{r.bk.lo, r.bk.up} {
		if x := sum - r.s*b; x >= r.bj.lo-slop && x <= r.bj.up+slop && !math.IsInf(b, 0) {
			s.x[r.j], s.col[r.j], s.x[r.k], s.col[r.k] = x, Basic, b, sides[at]
			return
		}
	}
	for at, b := range [2]float64{r.bj.lo, r.bj.up} {
		if x := (sum - b) / r.s; x >= r.bk.lo-slop && x <= r.bk.up+slop && !math.IsInf(b, 0) {
			s.x[r.k], s.col[r.k], s.x[r.j], s.col[r.j] = x, Basic, b, sides[at]
			return
		}
	}
	s.x[r.k], s.col[r.k], s.col[r.j] = 0, AtZero, Basic
}
