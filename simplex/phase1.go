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
	s.duals.objective = s.workingObjective()
	out := s.dual()
	s.keepRecession()
	s.leaveBox()
	return out
}

func (s *Solver) enterBox() {
	s.bounds.boxLo, s.bounds.boxUp = resize(s.bounds.boxLo, s.n+s.m), resize(s.bounds.boxUp, s.n+s.m)
	for v := range s.bounds.boxLo {
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
		s.bounds.boxLo[v], s.bounds.boxUp[v] = lo, up
	}
	s.bounds.lo, s.bounds.up, s.bounds.boxed = s.bounds.boxLo, s.bounds.boxUp, true
	for v := range s.basis.status {
		if s.basis.where[v] >= 0 {
			continue
		}
		st := AtLower
		if s.duals.d[v] < 0 && s.bounds.boxLo[v] < s.bounds.boxUp[v] {
			st = AtUpper
		}
		s.basis.status[v] = st
		s.primals.nonbasic[v] = valueAt(st, s.bounds.boxLo[v], s.bounds.boxUp[v])
	}
	s.loadBasicBounds()
	s.primals.ok = false
}

func (s *Solver) leaveBox() {
	s.bounds.lo, s.bounds.up, s.bounds.boxed = s.lo, s.up, false
	for v := range s.basis.status {
		if s.basis.where[v] >= 0 {
			continue
		}
		s.basis.status[v] = AtLower
		if s.duals.d[v] < 0 {
			s.basis.status[v] = AtUpper
		}
		s.placeNonbasic(v)
	}
	s.loadBasicBounds()
	s.primals.ok = false
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
			s.rays.recession = ray
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
	for v := range s.duals.d {
		if s.infeasibleDual(v, s.duals.tol) && (isInf(s.lo[v]) || isInf(s.up[v])) {
			count++
		}
	}
	return count
}
