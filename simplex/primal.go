package simplex

import "math"

// primal runs the primal simplex method from a primal feasible basis, for the model's own costs. It
// cleans up after perturbations and shifts have been removed, and proves unboundedness.
func (s *Solver) primal() outcome {
	s.devex = resize(s.devex, s.n+s.m)
	for v := range s.devex {
		s.devex[v] = 1
	}
	s.ctl.stall.primal, s.ctl.stall.pSince = math.Inf(1), s.ctl.iterations
	s.ctl.inPrimal = true
	objective := s.workingObjective()
	for {
		if s.needRefactor() {
			s.rebuildPrimal()
			objective = s.workingObjective()
		}
		if s.limitReached() {
			return outLimit
		}
		random := s.primalStalled(objective)
		if random && s.ctl.iterations-s.ctl.stall.pSince > 20*s.patience() {
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
		if s.d[q] > 0 {
			dir = -1
		}
		r, step := s.primalRatio(q, dir, alphaTolFar/100)
		if math.IsInf(step, 1) && s.fresh() {
			r, step = s.primalRatio(q, dir, alphaTolLast)
		}
		switch {
		case math.IsInf(step, 1):
			if !s.fresh() {
				s.stale()
				continue
			}
			s.ctl.rayDir, s.ctl.rayVar = dir, q
			return outUnbounded
		case r < 0:
			objective += dir * step * s.d[q]
			s.primalFlip(q, dir*step)
			continue
		}
		if !s.primalPivotOK(r) {
			continue
		}
		objective += dir * step * s.d[q]
		if out, done := s.primalStep(r, q, dir, step); done {
			return out
		}
	}
}

// rebuildPrimal factors the basis anew and recomputes everything from it.
func (s *Solver) rebuildPrimal() {
	if !s.factorOK || s.f.updates > 0 {
		s.refactor()
	}
	s.computeDual()
	s.computePrimal()
	s.ctl.fresh = true
	s.clearTaboo()
	s.log()
}

// chooseEntering returns the nonbasic variable with the most attractive reduced cost in the devex
// norm (Harris 1973), or -1. When the loop has stalled, the norm is random, which ends cycles.
func (s *Solver) chooseEntering(random bool) int32 {
	best, bestV := int32(-1), 0.0
	tol := s.tolD
	for v, d := range s.d {
		if d <= tol && d >= -tol || !s.infeasibleDual(v, tol) {
			continue
		}
		m := d * d / s.devex[v]
		if random {
			m = s.random()
		}
		if m > bestV {
			best, bestV = int32(v), m
		}
	}
	s.f.work += float64(len(s.d))
	return best
}

// confirmEntering recomputes the reduced cost of q from its column. It returns false when the old one
// was wrong.
func (s *Solver) confirmEntering(q int32) bool {
	d, size := s.wc[q], math.Abs(s.wc[q])
	for _, p := range s.aq.Index[:s.aq.N] {
		t := s.wc[s.head[p]] * s.aq.Value[p]
		d -= t
		size += math.Abs(t)
	}
	old := s.d[q]
	s.d[q] = d
	if math.Abs(d-old) <= 1e-9*(1+size) && d*old > 0 || s.infeasibleDual(int(q), s.tolD) && d*old > 0 {
		return true
	}
	if !s.fresh() {
		s.stale()
	} else if math.Abs(d) > s.tolD {
		return s.infeasibleDual(int(q), s.tolD)
	}
	return false
}

// primalRatio returns the position that blocks a move of q in direction dir, and the step; position -1
// with a finite step means that q reaches its other bound first. Entries of the column below least do not block. Two
// passes after Harris (1973).
func (s *Solver) primalRatio(q int32, dir, least float64) (int32, float64) {
	tol := s.tolP
	limit := math.Inf(1)
	for _, p := range s.aq.Index[:s.aq.N] {
		a := -dir * s.aq.Value[p]
		switch {
		case a > least:
			limit = min(limit, (s.bup[p]-s.xb[p]+tol)/a)
		case a < -least:
			limit = min(limit, (s.blo[p]-s.xb[p]-tol)/a)
		}
	}
	r, step, best := int32(-1), math.Inf(1), 0.0
	if !math.IsInf(limit, 1) {
		for _, p := range s.aq.Index[:s.aq.N] {
			a := -dir * s.aq.Value[p]
			var t float64
			switch {
			case a > least:
				t = (s.bup[p] - s.xb[p]) / a
			case a < -least:
				t = (s.blo[p] - s.xb[p]) / a
			default:
				continue
			}
			if t <= limit && math.Abs(a) > best {
				r, step, best = p, t, math.Abs(a)
			}
		}
	}
	s.f.work += 2 * float64(s.aq.N)
	if own := s.wup[q] - s.wlo[q]; own <= step {
		return -1, own
	}
	return r, step
}

// primalFlip moves q by dx to its other bound.
func (s *Solver) primalFlip(q int32, dx float64) {
	if s.status[q] == AtLower {
		s.status[q], s.x[q] = AtUpper, s.wup[q]
	} else {
		s.status[q], s.x[q] = AtLower, s.wlo[q]
	}
	for _, p := range s.aq.Index[:s.aq.N] {
		s.xb[p] -= dx * s.aq.Value[p]
		s.inf.update(s, p)
	}
	s.ctl.iterations++
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
	s.rho.Clear()
	s.rho.Add(r, 1)
	s.f.btran(s.rho, &s.history.btran, r)
	s.measureWeight(r)
	s.price(s.rho)
	if !s.pivotRowAgrees(q, alpha) {
		if !s.fresh() {
			s.stale()
			return 0, false
		}
		return outTrouble, true
	}
	s.computeTau()
	bound, st := s.blo[r], AtLower
	if dir*alpha < 0 {
		bound, st = s.bup[r], AtUpper
	}
	thetaP := (s.xb[r] - bound) / alpha
	thetaD := s.d[q] / alpha
	s.updateDevex(r, q, alpha)
	s.updateDuals(thetaD, q, s.head[r])
	s.updatePrimals(r, thetaP)
	s.updateWeights(r, alpha)
	s.changeBasis(r, q, st, bound, s.x[q]+thetaP)
	s.finishUpdate(r, alpha)
	if len(s.inf.list) > 0 && s.maxInfeasibility() > 100*s.tolP {
		if s.f.updates > 0 {
			s.stale()
			s.rebuildPrimal()
		}
		if s.maxInfeasibility() > 100*s.tolP {
			return outLost, true
		}
	}
	return 0, false
}

func (s *Solver) pivotRowAgrees(q int32, alpha float64) bool {
	for k, j := range s.aIdx {
		if j == q {
			return math.Abs(s.aVal[k]-alpha) <= 1e-5*(1+math.Abs(alpha))
		}
	}
	return false
}

// updateDevex updates the reference weights of the nonbasic variables.
func (s *Solver) updateDevex(r, q int32, alpha float64) {
	wq := s.devex[q]
	largest := 0.0
	for k, j := range s.aIdx {
		ratio := s.aVal[k] / alpha
		w := max(s.devex[j], ratio*ratio*wq)
		s.devex[j] = w
		largest = max(largest, w)
	}
	s.devex[s.head[r]] = max(wq/(alpha*alpha), 1)
	if largest > 1e8 {
		for v := range s.devex {
			s.devex[v] = 1
		}
	}
}

// maxInfeasibility returns the largest violation of a basic variable.
func (s *Solver) maxInfeasibility() float64 {
	worst := 0.0
	for _, p := range s.inf.list {
		worst = max(worst, s.inf.value[p])
	}
	return math.Sqrt(worst)
}
