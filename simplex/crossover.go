package simplex

import (
	"context"
	"math"
	"slices"
)

// crossing is the state of a crossover.
type crossing struct {
	*Solver
	reduced  []float64 // reduced costs of the point by variable, of basic ones too
	interior []bool    // by variable: between its bounds in the point
	super    []int32   // nonbasic between their bounds
	pushes   [2]int    // primal and dual ones that were made
	repairs  int       // singular bases
}

// crossover turns an optimal point and its multipliers, which need not belong to a vertex, into a basis, the next Solve
// of which has little or nothing left to do (Megiddo 1991; Bixby and Saltzman 1994). The basis of p marks the variables
// that may be between bounds; as many of them become basic as are independent. Then each one left over is pushed to a
// bound, and after that the reduced cost of each basic variable to zero; what blocks a push changes places with it.
// Every push is at most one pivot, and none makes the point or the multipliers worse than they are. A limit, or trouble
// with the factors, leaves the rest of the pushes to the Solve.
func (s *Solver) crossover(ctx context.Context, p *Solution) Result {
	s.begin(ctx, s.opt.Limits)

	// The point and its multipliers stay optimal while the pushes make them basic.
	c := s.loadPair(p)
	s.duals.setObjective(s.sense * (p.Objective - s.offset))

	if c.pushPrimals() {
		c.pushDuals()
	}

	// The pushes have not updated the edge weights, nor the values to the last digit.
	s.weights.resetPositions()
	s.primals.invalidate()
	s.duals.invalidate()
	s.logCrossover(c)
	return s.used()
}

// atBound is the part of the primal tolerance within which a point counts as at a bound, so that a value there needs no
// push.
const atBound = 0.01

// crossPivot is the least pivot of the first factorisation of a crossover, scaled: its candidates may be many more
// than rows, and nearly dependent. Where the pivot of a push would be below crossAlpha the push goes the other way, if
// that has a larger pivot, and it is at least crossLeast: a basis with pivots of 1e-6 of a capacity expansion was
// singular when it was factored again, and the values of others moved by up to 1e6. After maxRepairs singular bases the
// Solve that follows has to do the rest.
const (
	crossPivot = 0.1
	crossAlpha = 1e-3
	crossLeast = 1e-5
	maxRepairs = 20
)

// loadPair takes p as the current point, scaled, and factors a basis of those of its basic variables that are
// independent.
func (s *Solver) loadPair(p *Solution) *crossing {
	s.resizeRows()
	value := slices.Concat(p.X, p.RowActivity)
	c := &crossing{
		Solver:   s,
		reduced:  slices.Concat(p.ReducedCost, p.RowDual),
		interior: make([]bool, s.n+s.m),
	}
	for v, st := range slices.Concat(p.Basis.Cols, p.Basis.Rows) {
		unit := s.unit(int32(v))
		value[v] /= unit
		c.reduced[v] *= s.sense * unit

		// A variable that may be between its bounds keeps its value until it is known whether it is basic. Its reduced cost
		// is zero but for the error of the point, and is kept as it is: with a zero in its place the reduced costs of others
		// would be wrong, by up to 1.7 in a capacity expansion, since all of them belong to the same multipliers.
		s.basis.set(int32(v), st)
		if st == Basic {
			s.primals.place(int32(v), value[v])
			c.interior[v] = true
		} else {
			s.placeNonbasic(int32(v))
		}
	}

	// Variables that depend on the others leave the basis; they are pushed unless a bound is near.
	// The factorisation decides which of the variables are independent.
	s.basis.invalidate()
	s.factor.setLeast(crossPivot)
	s.refactor()
	s.factor.setLeast(pivotTol)
	c.keepDropped(value)

	s.duals.restore(c.reduced)
	s.computePrimals()
	s.ctl.rebuilt()
	return c
}

// keepDropped makes the variables that the last factorisation has dropped nonbasic at their values, to be pushed, but
// for those that are at a bound.
func (s *crossing) keepDropped(value []float64) {
	for _, v := range s.factor.dropped {
		if math.Abs(s.restNear(v, value[v])-value[v]) > atBound*s.primals.tol {
			s.super = append(s.super, v)
			s.primals.place(v, value[v])
		}
	}
}

// refactorAgain factors the basis anew. Variables that turn out to depend on others, which rounding has hidden when
// they entered, are pushed once more.
func (s *crossing) refactorAgain() bool {
	value := make([]float64, s.n+s.m)
	for p, v := range s.basis.head {
		value[v] = s.primals.basic[p]
	}
	if s.refactor() > 0 {
		s.repairs++
		s.keepDropped(value)
		s.computePrimals()
	}
	s.ctl.rebuilt()
	return s.repairs <= maxRepairs
}

// restNear makes the nonbasic v rest at the bound nearest to x, free variables at zero, and returns that value.
func (s *basicSolution) restNear(v int32, x float64) float64 {
	// The distance to an infinite bound is infinite, so that a finite one is nearer.
	s.basis.set(v, AtLower)
	if math.Abs(s.up[v]-x) < math.Abs(s.lo[v]-x) {
		s.basis.set(v, AtUpper)
	}

	s.placeNonbasic(v)
	return s.primals.nonbasic[v]
}

// ready factors the basis anew where that is due, between two pushes. It returns false at a limit, and where a singular
// basis has moved the point.
func (s *crossing) ready() bool {
	// The values are computed again with new factors, so that rounding errors do not add up.
	if !s.factor.ok || s.factor.shouldRefactor() {
		if !s.refactorAgain() {
			return false
		}
	}

	return !s.limitReached()
}

// pushPrimals moves every variable between bounds to a bound or into the basis. Basic variables at a bound whose
// reduced cost is not zero stay where they are, so that the point stays optimal.
func (s *crossing) pushPrimals() bool {
	// A singular basis makes the list longer.
	for k := 0; k < len(s.super); k++ {
		if !s.ready() {
			return false
		}

		// The column is needed at the old value of q, from where the step begins.
		q := s.super[k]
		x := s.primals.nonbasic[q]
		near := s.restNear(q, x)
		s.primals.place(q, x)
		s.computeColumn(q)
		r, step := s.blocking(near - x)
		s.pushes[0]++

		// Where a small pivot blocks the way to the nearer bound, the other way may have a larger one.
		if r >= 0 && math.Abs(s.aq.Value[r]) < crossAlpha {
			far := s.otherEnd(q, near)
			other, otherStep := s.blocking(far - x)
			if other >= 0 && math.Abs(s.aq.Value[other]) > math.Abs(s.aq.Value[r]) || other < 0 && !isInf(far) {
				r = other
				step = otherStep
				near = far
			}
		}

		// What blocks q leaves the basis for it; without a block q goes all the way.
		if r >= 0 {
			s.pivotAt(r, q, step)
			continue
		}
		s.restNear(q, near)
		s.primals.move(step, s.aq)
		s.holdSmall()
	}
	return true
}

// otherEnd returns the bound of v opposite to the one with the value at, which is infinite where there is none.
func (s *crossing) otherEnd(v int32, at float64) float64 {
	lo, up := s.bounds.of(v)
	switch {
	case at == up:
		return lo
	case at == lo:
		return up
	}
	return math.Inf(1)
}

// isHeld reports whether v stays where it is while primal values are pushed.
func (s *crossing) isHeld(v int32) bool {
	return !s.interior[v] && math.Abs(s.reduced[v]) > s.duals.tol
}

// blocking returns the position that stops the entering variable, whose column is in aq, on its way over distance,
// and the step up to there; -1 and distance where none does. Entries up to crossLeast stop nothing, see holdSmall. Two
// passes after Harris (1973).
func (s *crossing) blocking(distance float64) (int32, float64) {
	// A basic variable at a bound whose reduced cost is not zero must not move at all.
	dir := math.Copysign(1, distance)
	room := func(p int32, a float64) float64 {
		switch {
		case s.isHeld(s.basis.head[p]):
			return 0
		case a > 0:
			return max(0, s.primals.up[p]-s.primals.basic[p])
		}
		return max(0, s.primals.basic[p]-s.primals.lo[p])
	}

	// The first pass finds the longest step by which no bound is violated by more than the tolerance.
	r := int32(-1)
	limit := math.Inf(1)
	for _, p := range s.aq.Index[:s.aq.N] {
		a := -dir * s.aq.Value[p]
		if math.Abs(a) <= crossLeast {
			continue
		}
		if ratio := (room(p, a) + s.primals.tol) / math.Abs(a); ratio < limit {
			limit = ratio
			r = p
		}
	}
	s.factor.charge(2 * (s.aq.N))
	if r < 0 || limit >= math.Abs(distance) {
		return -1, distance
	}

	// The second pass takes the largest pivot among those whose exact ratio is within that step. Where the tolerance is
	// below the rounding error of a large distance no other may be, and the one of the first pass stays.
	best := math.Abs(s.aq.Value[r])
	for _, p := range s.aq.Index[:s.aq.N] {
		a := -dir * s.aq.Value[p]
		if size := math.Abs(a); size > best && room(p, a) <= limit*size {
			r = p
			best = size
		}
	}
	return r, dir * room(r, -dir*s.aq.Value[r]) / best
}

// pushDuals takes the reduced cost of every basic variable to zero, or the variable out of the basis.
func (s *crossing) pushDuals() {
	// The list is fixed before the first push, since the basis changes.
	var list []int32
	for _, v := range s.basis.head {
		if math.Abs(s.reduced[v]) > s.duals.tol {
			list = append(list, v)
		}
	}

	for _, v := range list {
		if !s.ready() {
			return
		}

		// The pivotal row is the rate at which the reduced costs of the others change while that of v goes to zero.
		r := s.basis.where[v]
		sign := math.Copysign(1, s.reduced[v])
		s.computeRow(r)
		s.price(s.row.rho)
		s.ratio.collect(&s.basicSolution, sign, s.candidateTol())
		s.pushes[1]++
		k, step := s.ratio.firstBlock(s.duals.tol, math.Abs(s.reduced[v]))
		if k < 0 {
			s.duals.step(sign*step, &s.row, v, v)
			s.reduced[v] = 0
			continue
		}

		// The reduced cost of q is zero first, so q enters and v keeps the rest of its own as a nonbasic variable. Where that
		// of q had the wrong sign, by the error of the point, q keeps it, and the Solve that follows deals with it.
		q := s.ratio.idx[k]
		if s.ratio.a[k] < alphaTolFar {
			s.stale()
			continue
		}
		rest := s.reduced[v] - sign*step
		s.reduced[q] = s.duals.d[q] - sign*step*s.ratio.alpha[k]
		s.duals.step(sign*step, &s.row, q, v)
		s.swap(r, q, s.ratio.alpha[k])
		s.duals.set(v, rest)
		s.reduced[v] = rest
	}
}

// firstBlock returns the candidate that stops a dual step of the given length, and the length that is left; -1 and
// the whole length where none does. Of those within the tolerance the largest pivot wins.
func (r *ratioTest) firstBlock(tol, length float64) (int, float64) {
	// The step may take no reduced cost beyond zero by more than the tolerance.
	limit := math.Inf(1)
	for k, a := range r.a {
		limit = min(limit, (r.d[k]+tol)/a)
	}
	if limit >= length {
		return -1, length
	}

	// Of the candidates within the Harris step the largest pivot wins.
	best := -1
	for k, a := range r.a {
		if r.d[k] <= limit*a && (best < 0 || a > r.a[best]) {
			best = k
		}
	}
	if best < 0 {
		return -1, length
	}
	return best, max(0, r.d[best]/r.a[best])
}

// holdSmall takes basic variables back to the bound that the last step has taken them beyond by an entry of the column
// that is too small for a pivot. As where pivotAt lets a variable rest, the point then satisfies the rows for another
// right-hand side.
func (s *crossing) holdSmall() {
	x := &s.primals
	for _, p := range s.aq.Index[:s.aq.N] {
		if math.Abs(s.aq.Value[p]) > crossLeast {
			continue
		}
		if held := max(x.lo[p], min(x.up[p], x.basic[p])); held != x.basic[p] {
			x.basic[p] = held
			x.check(p)
		}
	}
	s.factor.charge(s.aq.N)
}

// pivotAt moves q by step and makes it basic at position r, whose variable then rests at its nearest bound. The
// distance that is left to that bound, usually within the tolerance, does not move q: such steps, each a multiple of
// the last one, could add up to any size. The point satisfies the rows for another right-hand side instead, until the
// Solve that follows computes the basic values for the given one.
func (s *crossing) pivotAt(r, q int32, step float64) {
	s.primals.step(step, s.aq)
	s.holdSmall()

	// The multipliers do not change. A new factorisation has cleared the reduced costs of basic variables, so that the one
	// that leaves gets its own again.
	s.factor.charge(s.aq.N)
	v := s.basis.head[r]
	s.enter(r, q, s.aq.Value[r], step)
	s.duals.set(v, s.reduced[v])
}

// swap makes q, which does not move, basic at position r, where the pivotal row has the entry alpha. The values of the
// other basic variables stay as they are, so that the column of q, which may be full, is not computed.
func (s *crossing) swap(r, q int32, alpha float64) {
	s.saveSpike(q)
	s.enter(r, q, alpha, 0)
}

// enter exchanges the variable at position r, which rests at its nearest bound from now on, for q after its step.
func (s *crossing) enter(r, q int32, alpha, step float64) {
	v := s.basis.head[r]
	bound := s.restNear(v, s.primals.basic[r])
	s.exchange(r, q, alpha, s.basis.status[v], bound, s.primals.nonbasic[q]+step)
	s.ctl.pivoted()
}
