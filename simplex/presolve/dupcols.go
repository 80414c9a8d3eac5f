package presolve

import "math"

// duplicateCols merges columns that are multiples of each other, or fixes one that the other dominates.
func (p *problem) duplicateCols() {
	if p.has(DuplicateCols) {
		p.ParallelCols(p.running, p.mergeCols)
	}
}

// mergeCols merges columns j and k, or fixes one of them, if k is a multiple of j.
func (p *problem) mergeCols(j, k int32) {
	p.Work += 2 * int(p.A.ColLen[j])
	s, ok := p.A.ColRatio(j, k)
	if !ok {
		return
	}

	// The difference of the costs, beyond the common ratio.
	diff := p.Cost[k] - s*p.Cost[j]
	size := max(math.Abs(p.Cost[k]), math.Abs(s*p.Cost[j]))

	switch {
	case math.Abs(diff) <= cancelTol*size:
		p.joinCols(j, k, s)
	case math.Abs(diff) > dualTol*(1+size):
		p.dominatedTwin(j, k, s, diff)
	}
}

// dominatedTwin uses d_k = diff + s d_j: where an infinite bound gives one of the two reduced costs a sign, the other
// one has a strict sign.
func (p *problem) dominatedTwin(j, k int32, s, diff float64) {
	nonpositive := func(c int32) bool { return math.IsInf(p.Lo[c], -1) } // the reduced cost of c
	nonnegative := func(c int32) bool { return math.IsInf(p.Up[c], 1) }

	// s d_j is at most 0 (low) or at least 0 (high): if it has the sign of diff, d_k has it strictly.
	low, high := nonpositive(j), nonnegative(j)
	if s < 0 {
		low, high = high, low
	}
	switch {
	case diff > 0 && high:
		p.fixStrict(k, AtLower)
	case diff < 0 && low:
		p.fixStrict(k, AtUpper)
	case diff > 0 && nonpositive(k):
		p.fixStrict(j, sideFor(AtUpper, s > 0))
	case diff < 0 && nonnegative(k):
		p.fixStrict(j, sideFor(AtLower, s > 0))
	}
}

// fixStrict fixes column j, whose reduced cost is not zero, at its bound st. If that is infinite there is no optimum.
func (p *problem) fixStrict(j int32, st Status) {
	b := boundAt(st, p.Lo[j], p.Up[j])

	if math.IsInf(b, 0) {
		p.fail(UnboundedOrInfeasible)
		return
	}
	p.fixAt(j, st)
}

// box is a pair of bounds.
type box struct{ lo, up float64 }

// free reports whether both bounds are infinite.
func (b box) free() bool { return math.IsInf(b.lo, -1) && math.IsInf(b.up, 1) }

// holds reports whether x is within the bounds up to slop.
func (b box) holds(x, slop float64) bool { return x >= b.lo-slop && x <= b.up+slop }

// duplicateCol is a column k = s times column j, with the same ratio of costs: x_j has become x_j + s x_k.
type duplicateCol struct {
	j, k   int32
	s      float64
	bj, bk box
}

// joinCols replaces columns j and k by their sum.
func (p *problem) joinCols(j, k int32, s float64) {
	// A negative ratio exchanges the bounds of the second column.
	r := &duplicateCol{j, k, s, box{p.Lo[j], p.Up[j]}, box{p.Lo[k], p.Up[k]}}
	sum := box{r.bj.lo + s*r.bk.lo, r.bj.up + s*r.bk.up}
	if s < 0 {
		sum = box{r.bj.lo + s*r.bk.up, r.bj.up + s*r.bk.lo}
	}

	// A free sum of bounded terms can be nonbasic at zero only if each term can.
	if sum.free() && !(restsAtZero(r.bj) && restsAtZero(r.bk)) {
		return
	}

	// Column j now stands for the sum.
	p.stack.push(r)
	p.Lo[j] = sum.lo
	p.Up[j] = sum.up
	p.DropCol(k)
	p.touchBounds(j)
}

// restsAtZero reports whether a nonbasic column with these bounds can be zero.
func restsAtZero(b box) bool { return b.free() || b.lo == 0 || b.up == 0 }

// undo places both columns at the bounds that made the bound of a nonbasic sum.
func (r *duplicateCol) undo(s *restore) {
	// The reduced costs have the ratio of the columns.
	s.d[r.k] = r.s * s.d[r.j]

	switch st := s.col[r.j]; st {
	case AtLower:
		s.x[r.j] = r.bj.lo
		r.rest(s, sideFor(AtLower, r.s > 0))
	case AtUpper:
		s.x[r.j] = r.bj.up
		r.rest(s, sideFor(AtUpper, r.s > 0))
	case AtZero:
		s.place(r.j, 0, zeroSide(r.bj))
		s.place(r.k, 0, zeroSide(r.bk))
	default:
		r.split(s)
	}
}

// rest places x_k at its bound st.
func (r *duplicateCol) rest(s *restore, st Status) {
	s.place(r.k, boundAt(st, r.bk.lo, r.bk.up), st)
}

// zeroSide returns the status of a nonbasic column with these bounds and the value zero.
func zeroSide(b box) Status {
	switch {
	case b.lo == 0:
		return AtLower
	case b.up == 0:
		return AtUpper
	}
	return AtZero
}

// split divides a basic sum: one of the two columns rests on a bound, the other is basic. There are always such values
// within tolerance, unless both columns are free.
func (r *duplicateCol) split(s *restore) {
	// The sum is split within a tolerance in proportion to its size.
	sum := s.x[r.j]
	slop := feasTol * (1 + math.Abs(sum))
	sides := [2]Status{AtLower, AtUpper}

	// x_k at a bound, if x_j is then within its bounds.
	for at, b := range [2]float64{r.bk.lo, r.bk.up} {
		x := sum - r.s*b
		if r.bj.holds(x, slop) && !math.IsInf(b, 0) {
			s.place(r.j, x, Basic)
			s.place(r.k, b, sides[at])
			return
		}
	}

	// Otherwise x_j at a bound.
	for at, b := range [2]float64{r.bj.lo, r.bj.up} {
		x := (sum - b) / r.s
		if r.bk.holds(x, slop) && !math.IsInf(b, 0) {
			s.place(r.k, x, Basic)
			s.place(r.j, b, sides[at])
			return
		}
	}

	s.place(r.k, 0, AtZero)
	s.col[r.j] = Basic
}
