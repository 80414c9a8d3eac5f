package simplex

import "math"

// primal runs the primal simplex method from a primal feasible basis, for the model's own costs. It
// cleans up after perturbations and shifts have been removed, and proves unboundedness.
func (s *Solver) primal() outcome {
	s.devex.reset(s.n + s.m)
	s.ctl.startPrimal()
	objective := s.workingObjective()
	last := s.ctl.iterations + 20*s.patience() + primalMost*(s.n+s.m)
	for {
		if s.needRefactor() {
			s.rebuildPrimal()
			objective = s.workingObjective()
		}
		if s.limitReached() {
			return outLimit
		}

		// Rounding can make the objective of two bases fall for ever where one cycles between them.
		random := s.primalStalled(objective)
		stuck := random && s.ctl.iterations-s.ctl.stall.pSince > 20*s.patience()
		if stuck || s.ctl.iterations > last {
			return outTrouble
		}
		q := s.chooseEntering(random)
		if q < 0 {
			return outOptimal
		}
		s.computeColumn(q)
		if !s.confirmEntering(q) {
			continue
		}
		dir := 1.0
		if s.duals.d[q] > 0 {
			dir = -1
		}
		r, step := s.primalRatio(q, dir, alphaTolFar/100)
		if math.IsInf(step, 1) && s.fresh() {
			r, step = s.lastRatio(q, dir)
		}
		switch {
		case math.IsInf(step, 1):
			if !s.fresh() {
				s.stale()
				continue
			}
			s.rays.follow(q, dir)
			return outUnbounded
		case r < 0:
			objective += dir * step * s.duals.d[q]
			s.primalFlip(q, dir*step)
			continue
		}
		if !s.primalPivotOK(r) {
			continue
		}
		objective += dir * step * s.duals.d[q]
		if out, done := s.primalStep(r, q, dir, step); done {
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
	best, bestV := int32(-1), 0.0
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
			best, bestV = int32(v), m
		}
	}
	s.factor.charge(len(s.duals.d))
	return best
}

// confirmEntering recomputes the reduced cost of q from its column. It returns false when the old one
// was wrong.
func (s *Solver) confirmEntering(q int32) bool {
	d, size := s.columnDual(q)
	old := s.duals.d[q]
	s.duals.set(q, d)
	if math.Abs(d-old) <= 1e-9*(1+size) && d*old > 0 || s.infeasibleDual(int(q), s.duals.tol) && d*old > 0 {
		return true
	}
	if !s.fresh() {
		s.stale()
	} else if math.Abs(d) > s.duals.tol {
		return s.infeasibleDual(int(q), s.duals.tol)
	}
	return false
}

// primalRatio returns the position that blocks a move of q in direction dir, and the step; position -1
// with a finite step means that q reaches its other bound first. Entries of the column below least do not block. Two
// passes after Harris (1973).
func (s *basicSolution) primalRatio(q int32, dir, least float64) (int32, float64) {
	tol := s.primals.tol
	limit := math.Inf(1)
	for _, p := range s.aq.Index[:s.aq.N] {
		a := -dir * s.aq.Value[p]
		switch {
		case a > least:
			limit = min(limit, (s.primals.up[p]-s.primals.basic[p]+tol)/a)
		case a < -least:
			limit = min(limit, (s.primals.lo[p]-s.primals.basic[p]-tol)/a)
		}
	}
	r, step, best := int32(-1), math.Inf(1), 0.0
	if !math.IsInf(limit, 1) {
		for _, p := range s.aq.Index[:s.aq.N] {
			a := -dir * s.aq.Value[p]
			var t float64
			switch {
			case a > least:
				t = (s.primals.up[p] - s.primals.basic[p]) / a
			case a < -least:
				t = (s.primals.lo[p] - s.primals.basic[p]) / a
			default:
				continue
			}
			if t <= limit && math.Abs(a) > best {
				r, step, best = p, t, math.Abs(a)
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
	if s.basis.status[q] == AtLower {
		s.rest(q, AtUpper)
	} else {
		s.rest(q, AtLower)
	}
	s.primals.move(dx, s.aq)
	s.ctl.pivoted()
}

func (s *Solver) primalPivotOK(r int32) bool {
	if math.Abs(s.aq.Value[r]) >= smallPivot || s.fresh() {
		return true
	}
	s.stale()
	return false
}

// primalStep makes q basic at position r after a step of the given length.
func (s *Solver) primalStep(r, q int32, dir, step float64) (outcome, bool) {
	alpha := s.aq.Value[r]
	s.computeRow(r)
	s.price(s.row.rho)
	if !s.pivotRowAgrees(q, alpha) {
		if !s.fresh() {
			s.stale()
			return 0, false
		}
		return outTrouble, true
	}
	s.computeTau()
	bound, st := s.primals.lo[r], AtLower
	if dir*alpha < 0 {
		bound, st = s.primals.up[r], AtUpper
	}
	s.devex.update(&s.row, q, s.basis.head[r], alpha)
	s.pivot(r, q, st, bound)
	s.ctl.pivoted()
	if s.primals.infeasible.largest() > 100*s.primals.tol {
		if s.factor.updates > 0 {
			s.stale()
			s.rebuildPrimal()
		}
		if s.primals.infeasible.largest() > 100*s.primals.tol {
			return outLost, true
		}
	}
	return 0, false
}

func (s *basicSolution) pivotRowAgrees(q int32, alpha float64) bool {
	entry, ok := s.row.entry(q)
	return ok && math.Abs(entry-alpha) <= 1e-5*(1+math.Abs(alpha))
}
