package simplex

import (
	"math"

	"github.com/proxybd/proxybd/lp"
)

const (
	tightenings = 3     // times that the scaled tolerances are made tighter
	tightest    = 1e-12 // scaled tolerances are never tighter; values of 1 are known to little more
)

// polishTol to polishLooks gate the search for a better optimum after one within the dual tolerance.
const (
	polishTol    = 1e-11 // a reduced cost of the wrong sign below it is rounding, scaled
	polishGain   = 1e-6  // relative change of the objective that is worth a polish
	polishPivots = 30    // most pivots of one

	// Of variables without a bound to stop at, smaller reduced costs count: those above polishMin that are more than
	// the share polishNoise of the sum of their terms. At most polishLooks of them are tried.
	polishMin   = 1e-13
	polishNoise = 1e-12
	polishLooks = 4
)

// runExact is run, and then basic values from scratch where steps were so long, or entries are so far apart, that the
// updates have lost digits that count: a basic solution satisfies its rows to rounding, not only to the tolerance.
// Where that rounding matters to the objective, through large duals, they are corrected in doubled precision.
func (s *Solver) runExact(attempt int) outcome {
	out := s.run(attempt)
	if out != outOptimal || !s.factor.ok {
		return out
	}
	matters := s.roundingMatters()
	if !matters && !s.wide && s.primals.farthest <= farStep {
		return out
	}

	// The values are computed from scratch, without the updates of the pivots.
	s.computePrimals()
	if matters && !s.usesDoubled() {
		s.refinePrimals()
		s.primals.findInfeasible()
	}
	if !s.primals.feasible() {
		return s.run(attempt)
	}
	return out
}

// farStep is the longest scaled step after which the basic values need not be computed again. A step of 1e10 has left
// an error of 8e-6.
const farStep = 1e2

// runTightening is run with scaled tolerances that end as tight as those of the model require; where rounding does
// not let them be so tight in the last attempts, it goes back to the usual ones.
func (s *Solver) runTightening(attempt int) outcome {
	out := s.runExact(attempt)

	// Each tightening solves on from the last optimum.
	for k := 0; k < tightenings && out == outOptimal && s.tighten(); k++ {
		out = s.runExact(attempt)
		if out == outTrouble && s.ctl.last {
			s.setTolerances(Tolerances{Primal: s.ctl.tolP, Dual: s.opt.Tolerances.Dual})
			s.primals.findInfeasible()
			return s.runExact(attempt)
		}
	}

	if out == outOptimal {
		if tol := s.polishTolerance(); tol < s.duals.tol {
			out = s.polish(attempt, tol)
		}
	}
	if out == outOptimal && s.faintRay() {
		return outUnbounded
	}
	return out
}

// polish goes on from an optimum with a dual tolerance next to nothing, for a few pivots. Where that leads nowhere,
// the first optimum counts: on degenerate models nothing may be left but rounding.
func (s *Solver) polish(attempt int, tol float64) outcome {
	// The dual tolerance and the number of pivots are limited for the polish alone.
	usual := s.duals.tol
	limit := s.ctl.limits.Iterations
	s.duals.setTolerance(tol)
	s.ctl.allow(min(limit, s.ctl.iterations+polishPivots))
	out := s.runExact(attempt)

	s.duals.setTolerance(usual)
	s.ctl.allow(limit)
	stopped := out == outLimit && s.ctl.stop != lp.IterationLimit
	if stopped || out == outOptimal || out == outUnbounded {
		return out
	}
	return s.runExact(attempt)
}

// polishTolerance returns the dual tolerance at which reduced costs that have the wrong sign within the usual one hide
// more than rounding of the objective: those of variables with a long way to go. Where the way is infinite, smaller
// ones count too, if they are no rounding of their terms: the model may be unbounded. It returns +Inf where there is
// nothing to gain.
func (s *Solver) polishTolerance() float64 {
	gain := 0.0
	tol := math.Inf(1)
	looked := 0
	for v, d := range s.duals.d {
		if math.Abs(d) <= polishMin || !s.infeasibleDual(v, polishMin) {
			continue
		}

		// What the objective may still gain by v, if nothing else stops it.
		switch way := s.up[v] - s.lo[v]; {
		case math.Abs(d) > polishTol:
			gain += math.Abs(d) * way
		case isInf(way) && looked < polishLooks && s.factor.ok:
			looked++
			if s.isExactDual(int32(v)) {
				tol = min(tol, math.Abs(d)/2)
			}
		}
	}

	// Without a way to go on, the gain of all variables together decides. The objective is added up only where it matters.
	if isInf(tol) && gain > polishGain && gain > polishGain*math.Abs(s.objectiveValue()) {
		tol = polishTol
	}
	return tol
}

// isExactDual reports whether the reduced cost of the nonbasic variable q is more than the rounding error of its terms.
func (s *basicSolution) isExactDual(q int32) bool {
	s.computeColumn(q)
	return s.exactDual(q)*s.duals.d[q] > 0
}

// tighten measures how far the current answer violates the tolerances in the units of the model. If it
// does, the scaled tolerances are made tighter in proportion, and the solve must go on.
func (s *Solver) tighten() bool {
	// The violations are measured in the units of the model.
	worstP := 0.0
	for p, x := range s.primals.basic {
		if over := max(s.primals.lo[p]-x, x-s.primals.up[p]); over > 0 {
			worstP = max(worstP, over*s.unit(s.basis.head[p]))
		}
	}

	worstD := 0.0
	for v := range s.duals.d {
		if s.infeasibleDual(v, 0) {
			worstD = max(worstD, math.Abs(s.duals.d[v])/s.unit(int32(v)))
		}
	}

	// Half of what is in proportion leaves room for other variables to become the worst.
	old := Tolerances{Primal: s.primals.tol, Dual: s.duals.tol}
	tol := old
	if limit := s.ctl.tolP; worstP > limit && tol.Primal > tightest {
		tol.Primal = max(tightest, 0.5*tol.Primal*limit/worstP)
	}
	if limit := s.opt.Tolerances.Dual; worstD > limit && tol.Dual > tightest {
		tol.Dual = max(tightest, 0.5*tol.Dual*limit/worstD)
	}

	if tol == old {
		return false
	}
	s.setTolerances(tol)
	s.primals.findInfeasible()
	return true
}
