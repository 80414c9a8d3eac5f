package simplex

import (
	"math"
	"slices"
)

// primal runs the primal simplex method from a primal feasible basis, for the model's own costs. It
// cleans up after perturbations and shifts have been removed, and proves unboundedness.
func (s *Solver) primal() outcome {
	s.devex.reset(s.n + s.m)
	s.ctl.startLoop(true)

	// The objective is updated step by step, and computed anew with every factorisation.
	objective := s.workingObjective()
	last := s.ctl.iterations + stuckFactor*s.patience() + primalMost*(s.n+s.m)
	for {
		if s.needRefactor() {
			s.rebuildPrimal()
			objective = s.workingObjective()
		}
		if s.limitReached() {
			return outLimit
		}

		// Rounding can make the objective of two bases fall without end where one cycles between them.
		random := s.stalled(-objective)
		stuck := random && s.ctl.iterations-s.ctl.stall.since > stuckFactor*s.patience()
		if stuck || s.ctl.iterations > last {
			return outTrouble
		}

		// Pricing: q is to enter, and moves so that the objective falls.
		q := s.chooseEntering(random)
		if q < 0 {
			return outOptimal
		}
		s.computeColumn(q)
		if !s.confirmEntering(q) {
			continue
		}
		dir := -math.Copysign(1, s.duals.d[q])

		// Ratio test: a basic variable stops q, or q goes to its other bound, or nothing stops it. The last needs proof
		// by values that no update has touched, and smaller entries of the column count then.
		r, step := s.primalRatio(q, dir, alphaTolPrimal)
		if math.IsInf(step, 1) && s.fresh() {
			r, step = s.lastRatio(q, dir)
		}
		switch {
		case math.IsInf(step, 1):
			if s.renew() {
				continue
			}
			s.rays.follow(q, dir)
			return outUnbounded
		case r < 0:
			objective += dir * step * s.duals.d[q]
			s.primalFlip(q, dir*step)
			continue
		}

		// q changes places with the variable at position r.
		if !s.primalPivotOK(r) {
			continue
		}
		objective += dir * step * s.duals.d[q]
		if out, done := s.primalStep(r, q, dir); done {
			return out
		}
	}
}

// rebuildPrimal rebuilds for the primal loop.
func (s *Solver) rebuildPrimal() {
	s.rebuild(func() {})
	s.log()
}

// chooseEntering returns the nonbasic variable with the most attractive reduced cost in the devex
// norm (Harris 1973), or -1. When the loop has stalled, the norm is random, which ends cycles.
func (s *Solver) chooseEntering(random bool) int32 {
	best := int32(-1)
	bestV := 0.0
	tol := s.duals.tol
	for v, d := range s.duals.d {
		if d <= tol && d >= -tol || !s.infeasibleDual(v, tol) {
			continue
		}

		m := d * d / s.devex.weight[v]
		if random {
			m = s.duals.random()
		}
		if m > bestV {
			best = int32(v)
			bestV = m
		}
	}
	s.factor.charge(len(s.duals.d))
	return best
}

// confirmEntering recomputes the reduced cost of q from its column. It returns false when the old one
// was wrong.
func (s *Solver) confirmEntering(q int32) bool {
	d, size := s.columnDual(q)

	// The exact reduced cost takes the place of the updated one.
	old := s.duals.d[q]
	s.duals.set(q, d)
	infeasible := s.infeasibleDual(int(q), s.duals.tol)
	if d*old > 0 && (infeasible || math.Abs(d-old) <= columnDualTol*(1+size)) {
		return true
	}

	// A reduced cost with the other sign is of use where the values are fresh, and leads to fresh ones otherwise.
	if s.renew() {
		return false
	}
	return infeasible
}

// primalRatio returns the position that blocks a move of q in direction dir, and the step; position -1
// with a finite step means that q reaches its other bound first. Entries of the column below least do not block. Two
// passes after Harris (1973).
func (s *basicSolution) primalRatio(q int32, dir, least float64) (int32, float64) {
	// The first pass finds the longest step by which no bound is violated by more than the tolerance.
	limit := math.Inf(1)
	for _, p := range s.aq.Index[:s.aq.N] {
		a := -dir * s.aq.Value[p]
		if size := math.Abs(a); size > least {
			limit = min(limit, (s.primals.room(p, a)+s.primals.tol)/size)
		}
	}

	// The second pass takes the largest pivot among those whose exact ratio is within that step.
	r := int32(-1)
	step := math.Inf(1)
	if !math.IsInf(limit, 1) {
		best := least
		for _, p := range s.aq.Index[:s.aq.N] {
			a := -dir * s.aq.Value[p]
			size := math.Abs(a)
			if size <= best {
				continue
			}
			if t := s.primals.room(p, a) / size; t <= limit {
				r = p
				step = t
				best = size
			}
		}
	}
	s.factor.charge(2 * (s.aq.N))

	if own := s.bounds.up[q] - s.bounds.lo[q]; own <= step {
		return -1, own
	}
	return r, step
}

// primalFlip moves q by dx to its other bound.
func (s *Solver) primalFlip(q int32, dx float64) {
	// The other bound is the one that q is not at.
	to := AtLower
	if s.basis.status[q] == AtLower {
		to = AtUpper
	}
	s.rest(q, to)
	s.primals.move(dx, s.aq)
	s.ctl.pivoted()
}

// primalPivotOK reports whether the pivot at position r is large enough; else the loop rebuilds.
func (s *Solver) primalPivotOK(r int32) bool {
	return math.Abs(s.aq.Value[r]) >= smallPivot || !s.renew()
}

// primalStep makes q, which moves in direction dir, basic at position r.
func (s *Solver) primalStep(r, q int32, dir float64) (outcome, bool) {
	// The pivotal row is needed for the reduced costs and the weights, and gives the pivot a second time.
	alpha := s.aq.Value[r]
	s.computeRow(r)
	s.beginTau(s.aq)
	s.price(s.row.rho)
	if !s.pivotRowAgrees(q, alpha) {
		s.dropTau()
		if s.renew() {
			return 0, false
		}
		return outTrouble, true
	}

	s.computeTau()
	bound, st := s.primals.end(r, dir*alpha < 0)
	s.devex.update(&s.row, q, s.basis.head[r], alpha)
	s.pivot(r, q, st, bound)
	s.ctl.pivoted()

	// Harris steps violate bounds within the tolerance only; more is rounding, which a new factorisation may end.
	if s.primals.infeasible.largest() <= lostFactor*s.primals.tol {
		return 0, false
	}
	if s.factor.updates > 0 {
		s.stale()
		s.rebuildPrimal()
	}
	return outLost, s.primals.infeasible.largest() > lostFactor*s.primals.tol
}

// pivotRowAgrees reports whether the pivot alpha by column is that by row.
func (s *basicSolution) pivotRowAgrees(q int32, alpha float64) bool {
	k := slices.Index(s.row.index, q)
	return k >= 0 && math.Abs(s.row.value[k]-alpha) <= alphaRelPrimal*(1+math.Abs(alpha))
}

// Constants of the primal loop. Entries of the column below alphaTolPrimal do not block. A reduced cost by the column
// may differ from the updated one by columnDualTol of its terms, a pivot by row from that by column by the fraction
// alphaRelPrimal. The loop gives up after stuckFactor times the patience without progress, and leaves a point that
// violates its bounds by more than lostFactor times the tolerance.
const (
	alphaTolPrimal = 1e-9
	columnDualTol  = 1e-9
	alphaRelPrimal = 1e-5
	stuckFactor    = 20
	lostFactor     = 100
)
