package simplex

import "math"

// phaseOne looks for a dual feasible basis: it solves, by the dual simplex method itself, the problem whose variables
// are boxed by the side on which they are unbounded, [0, 1], [-1, 0] or a wide box for free ones, and fixed at zero
// where both bounds are finite (Koberstein 2005, 4.4.3). Its optimum is zero where a dual feasible basis exists; where
// it is less, it is a direction in which a feasible model is unbounded. Whatever infeasibility is left at the end is
// left to cost shifts.
func (s *Solver) phaseOne() outcome {
	s.enterBox()

	// The costs and the reduced costs are those of the model; only the bounds are boxes.
	s.computePrimals()
	s.findObjective()
	out := s.dual()

	s.keepRecession()
	s.leaveBox()
	return out
}

// enterBox puts every nonbasic variable at the bound of its box where the sign of its reduced cost is right.
func (s *basicSolution) enterBox() {
	s.bounds.ofPhaseOne(&s.problem)
	for v, p := range s.basis.where {
		if p >= 0 {
			continue
		}

		st := AtLower
		if s.duals.d[v] < 0 && s.bounds.lo[v] < s.bounds.up[v] {
			st = AtUpper
		}
		s.rest(int32(v), st)
	}

	s.primals.loadBounds(s.basis.head, &s.bounds)
	s.primals.invalidate()
}

// leaveBox goes back to the bounds of the model.
func (s *basicSolution) leaveBox() {
	s.bounds.ofModel(&s.problem)

	// A boxed variable goes to the bound where the sign of its reduced cost is right; placeAll corrects the others.
	for v, p := range s.basis.where {
		if p >= 0 {
			continue
		}
		s.basis.set(int32(v), AtLower)
		if s.duals.d[v] < 0 {
			s.basis.set(int32(v), AtUpper)
		}
	}
	s.placeAll()
}

// keepRecession keeps the point of phase 1 if it is a ray of the model by tight tolerances, along which the objective
// falls by more than the perturbation of the costs may account for.
func (s *Solver) keepRecession() {
	ray := s.unscaledValues()
	if !scaleRay(ray, cleanRayDrop) || !s.isPrimalRay(ray, recessionTol) {
		return
	}

	fall := 0.0
	size := 0.0
	for j, v := range ray {
		t := s.cost[j] / s.colScale[j] * v
		fall -= t
		size += math.Abs(t)
	}
	if fall > recessionFall*size {
		s.rays.keepRecession(ray)
	}
}

const (
	recessionTol  = 1e-12 // what a ray of phase 1 may violate the recession cone by, relative to its largest entry
	recessionFall = 1e-6  // the least that the objective falls along it, relative to the sum of the terms
)
