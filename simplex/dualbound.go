package simplex

import (
	"math"

	"github.com/proxybd/proxybd/lp"
)

// limitBound returns a lower bound on the minimised objective, without offset, for a Solve that stopped
// early, and whether the multipliers are dual feasible within the tolerance. The bound is that of the current
// multipliers with the costs of the model, not the perturbed ones. Where that needs a bound that is
// infinite, it tries the multipliers of the basis for the costs of the model, then bounds that the
// rows imply, and at last neglects what the dual tolerance allows, as at an optimum.
func (s *Solver) limitBound() (bound float64, dualFeasible bool) {
	if s.ctl.stop == lp.ObjectiveLimit {
		return s.dualBound(), true
	}
	if s.duals.ok {
		if bound = s.boundOver(s.lo, s.up, boundZero); !isInf(bound) {
			return bound, true
		}
	}
	if !s.factor.ok || !s.basis.ok {
		return math.Inf(-1), false
	}
	s.restoreCosts()
	if !s.duals.ok {
		s.computeDuals()
		if bound = s.boundOver(s.lo, s.up, boundZero); !isInf(bound) {
			return bound, true
		}
	}
	dualFeasible = !isInf(s.boundOver(s.lo, s.up, s.duals.tol))
	lo, up, work := s.impliedBounds()
	s.factor.charge(work)
	if bound = s.boundOver(lo, up, boundZero); isInf(bound) {
		bound = s.boundOver(lo, up, s.duals.tol)
	}
	return bound, dualFeasible
}

// boundOver returns the dual objective at the current multipliers for the costs of the model, over the
// given bounds of the variables: -Inf where one that a reduced cost above zero needs is infinite.
func (s *basicSolution) boundOver(lo, up []float64, zero float64) float64 {
	sum := 0.0
	for v, c := range s.cost {
		d := s.duals.d[v] + (c - s.duals.cost[v])
		b := lo[v]
		if d < 0 {
			b = up[v]
		}
		switch {
		case !isInf(b):
			sum += d * b
		case math.Abs(d) > zero:
			return math.Inf(-1)
		}
	}
	s.factor.charge(len(s.cost))
	return sum
}

// dualBound returns the dual objective of the model at the current multipliers, a lower bound on the
// minimised objective without offset: -Inf where a reduced cost with the wrong sign meets an infinite
// bound.
func (s *basicSolution) dualBound() float64 {
	tol := s.duals.tol
	sum := 0.0
	for v, c := range s.cost {
		d := c - s.duals.cost[v]
		if s.basis.where[v] < 0 {
			d += s.duals.d[v]
		}
		if d == 0 {
			continue
		}
		b := s.lo[v]
		if d < 0 {
			b = s.up[v]
		}
		if isInf(b) {
			if math.Abs(d) <= tol {
				continue
			}
			return math.Inf(-1)
		}
		sum += d * b
	}
	return sum
}

// boundZero is the size below which a reduced cost is taken for rounding where its bound is infinite.
const boundZero = 1e-11
