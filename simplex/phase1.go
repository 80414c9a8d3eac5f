package simplex

import "math"

// phaseOne looks for a dual feasible basis: it solves, by the dual simplex method itself, the problem
// whose variables are boxed by the side on which they are unbounded, [0, 1], [-1, 0] or a wide box for
// free ones, and fixed at zero where both bounds are finite (Koberstein 2005, 4.4.3). Its optimum is zero
// where a dual feasible basis exists; where it is less, it is a direction in which a feasible model is unbounded. Whatever
// infeasibility is left at the end is left to cost shifts.
func (s *Solver) phaseOne() outcome {
	s.enterBox()
	s.computePrimal()
	s.dualObj = s.workingObjective()
	out := s.dual()
	s.keepRecession()
	s.leaveBox()
	return out
}

func (s *Solver) enterBox() {
	s.boxLo, s.boxUp = resize(s.boxLo, s.n+s.m), resize(s.boxUp, s.n+s.m)
	for v := range s.boxLo {
		noLo, noUp := isInf(s.lo[v]), isInf(s.up[v])
		lo, up := 0.0, 0.0
		switch {
		case noLo && noUp:
			lo, up = -boxSize, boxSize
		case noUp:
			up = 1
		case noLo:
			lo = -1
		}
		s.boxLo[v], s.boxUp[v] = lo, up
	}
	s.wlo, s.wup, s.inBox = s.boxLo, s.boxUp, true
	for v := range s.status {
		if s.where[v] >= 0 {
			continue
		}
		st := AtLower
		if s.d[v] < 0 && s.boxLo[v] < s.boxUp[v] {
			st = AtUpper
		}
		s.status[v] = st
		s.x[v] = valueAt(st, s.boxLo[v], s.boxUp[v])
	}
	s.loadBasicBounds()
	s.primalOK = false
}

func (s *Solver) leaveBox() {
	s.wlo, s.wup, s.inBox = s.lo, s.up, false
	for v := range s.status {
		if s.where[v] >= 0 {
			continue
		}
		s.status[v] = AtLower
		if s.d[v] < 0 {
			s.status[v] = AtUpper
		}
		s.placeNonbasic(v)
	}
	s.loadBasicBounds()
	s.primalOK = false
}

// keepRecession keeps the point of phase 1 if it is a ray of the model by tight tolerances, along which the objective
// falls by more than the perturbation of the costs may account for.
func (s *Solver) keepRecession() {
	ray := make([]float64, s.n)
	for j := range ray {
		ray[j] = s.value(j) * s.colScale[j]
	}
	if scaleRay(ray, cleanRayDrop) && s.isPrimalRay(ray, recessionTol) {
		fall, size := 0.0, 0.0
		for j, v := range ray {
			t := s.cost[j] / s.colScale[j] * v
			fall -= t
			size += math.Abs(t)
		}
		if fall > recessionFall*size {
			s.recession = ray
		}
	}
}

const (
	recessionTol  = 1e-12 // what a ray of phase 1 may violate the recession cone by, relative to its largest entry
	recessionFall = 1e-6  // the least that the objective falls along it, relative to the sum of the terms
)

// mustShift returns the number of nonbasic variables that are dual infeasible and have no other bound to go to.
func (s *Solver) mustShift() int {
	count := 0
	for v := range s.d {
		if s.infeasibleDual(v, s.tolD) && (isInf(s.lo[v]) || isInf(s.up[v])) {
			count++
		}
	}
	return count
}
