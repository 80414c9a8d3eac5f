package simplex

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/lp"
)

// ErrNumerical is wrapped by the error of a Solve whose answer failed its check after every recovery.
var ErrNumerical = errors.New("numerical failure")

// Result is how a Solve ended.
type Result struct {
	Status           lp.Status      // Optimal, Infeasible, Unbounded, or a limit
	Primal, Dual     lp.PointStatus // of X and of RowDual; RayPoint where Ray is the certificate
	Objective        float64        // model's sense, offset included; NaN without a primal feasible point
	Bound            float64        // proven: no point is better; an infinity where nothing is proven
	Iterations       int            // of this Solve
	Work             float64        // of this Solve, about one unit a nonzero touched; the same on every machine
	Span             float64        // what of Work was done one after the other; less than Work with several threads
	Refactorizations int            // of this Solve
}

// include adds what the solve of another form of the model has used.
func (r *Result) include(first *Result) {
	r.Iterations += first.Iterations
	r.Work += first.Work
	r.Span += first.Span
}

// set sets the statuses.
func (r *Result) set(status lp.Status, primal, dual lp.PointStatus) {
	r.Status = status
	r.Primal = primal
	r.Dual = dual
}

// Solve solves the model as it is now, from the current basis. Limits and cancellation are statuses. An error wraps
// ErrIndex after a bad change, ErrOptions for bad limits, or ErrNumerical when the answer fails its check after every
// recovery.
func (s *Solver) Solve(ctx context.Context, limits Limits) (Result, error) {
	// A change of the model that was refused is reported before anything else.
	if err := cmp.Or(s.changes.take(), limits.Validate()); err != nil {
		return Result{Objective: math.NaN(), Bound: math.Inf(-1)}, err
	}

	// Bounds that exclude one another need no pivot.
	s.begin(ctx, limits)
	defer s.ahead.stop()
	if s.crossedBounds() {
		s.rays.zero(s.m)
		s.result = Result{Status: lp.Infeasible, Objective: math.NaN(), Bound: s.sense * math.Inf(1), Dual: lp.RayPoint}
		s.logEnd()
		return s.result, nil
	}

	// Each attempt ends with an answer that has been checked, or with a reason why there is none.
	for attempt := range attempts {
		if attempt > 0 && s.opt.Log != nil {
			s.opt.Log.Warn("simplex recovers", "attempt", attempt, "after", s.ctl.why)
		}
		s.recover(attempt)
		s.sync()
		out := s.runTightening(attempt)
		if s.conclude(out) {
			s.finish()
			return s.result, nil
		}
	}

	s.finish()
	s.result.Status = lp.NotSolved
	return s.result, fmt.Errorf("simplex: %w: %s after %d iterations", ErrNumerical, s.ctl.why, s.ctl.iterations)
}

// attempts is the number of ways in which a Solve is tried; see recover.
const attempts = 5

// A violation just above the tolerance may be too small for a proof that rounding could not refute. The last attempt
// takes a point within wideTol times the tolerance, or within wideRounding of the largest basic value.
const (
	wideTol      = 10
	wideRounding = 1e-12
	wideMax      = 1e-3 // of that
)

// recover prepares attempt k: the first from the current state; then with a new factorisation of the same basis;
// then from the slack basis; without scaling; and at last with a wider tolerance, from where the last one ended.
func (s *Solver) recover(k int) {
	s.ctl.attempt(k)
	switch k {
	case 0:
		return
	case 1:
		if s.basis.ok {
			s.weights.store(s.basis.head)
		}
		s.invalidate()
	case 2:
		s.SlackBasis()
	case 3:
		s.unscale()
		s.SlackBasis()
	case 4:
		s.widen()
		s.invalidate()
	}

	s.factor.setThreshold(thresholdLast)
	s.duals.restart(s.cost)
}

// widen gives the last attempt its tolerance, in the units of the model, which the unscaled attempt before it has left.
func (s *Solver) widen() {
	// The tolerance grows with the size of the basic values, within limits.
	s.ctl.widen(max(wideTol*s.ctl.tolP, min(wideRounding*s.primals.largest(), wideMax)))
	s.primals.setTolerance(s.ctl.tolP)
}

// run alternates dual and primal simplex until both kinds of feasibility hold for the model itself.
func (s *Solver) run(attempt int) outcome {
	// The start: perturbed costs against degeneracy, then a basis that is dual feasible, by phase 1 where bounds alone
	// cannot make it so. A basis that another form of the model has led to is taken as it is.
	if cold := s.basis.isSlack() && !(s.start.advanced && attempt < 2); cold {
		if s.opt.Perturb && attempt%2 == 0 {
			s.duals.perturb(&s.problem, s.coldFactor(s.start.once))
		}
		s.ensureDuals()
		if s.mustShift() {
			if out := s.phaseOne(); out == outLimit {
				return out
			}
		}
	}

	for range maxRounds {
		s.ensureDuals()
		s.correctDuals()
		s.ensurePrimals()
		s.takeSnapshot()
		s.findObjective()
		if out := s.dual(); out != outOptimal {
			return out
		}
		if s.rays.recession != nil && s.primals.feasible() {
			return outUnbounded
		}

		// The optimum is one of shifted costs; with those of the model the primal method goes on from its feasible
		// point.
		s.restoreCosts()
		s.ensureDuals()
		if s.dualFeasible() {
			return outOptimal
		}
		out := s.primal()
		switch {
		case out == outLost:
		case out != outOptimal:
			return out
		case s.primals.feasible():
			return outOptimal
		}
	}
	return outTrouble
}

// conclude turns an outcome into a result; after false the next attempt must follow.
func (s *Solver) conclude(out outcome) bool {
	s.result = Result{Objective: math.NaN(), Bound: s.sense * math.Inf(-1)}
	r := &s.result

	// An answer counts only if the model as given confirms it; a Farkas ray has been checked when it was found.
	switch out {
	case outOptimal:
		if !s.verifyOptimal() {
			return false
		}
		r.set(lp.Optimal, lp.FeasiblePoint, lp.FeasiblePoint)
		r.Objective = s.objectiveValue()
		r.Bound = r.Objective
	case outInfeasible:
		r.set(lp.Infeasible, lp.InfeasiblePoint, lp.RayPoint)
		r.Bound = s.sense * math.Inf(1)
	case outUnbounded:
		if !s.storePrimalRay(rayTol) {
			return s.ctl.fail("primal ray rejected")
		}
		r.set(lp.Unbounded, lp.FeasiblePoint, lp.InfeasiblePoint)
		r.Objective = s.objectiveValue()
	case outLimit:
		s.concludeLimit()
	default:
		return s.ctl.fail("no acceptable pivot")
	}
	return true
}

// concludeLimit makes the result of an unfinished Solve.
func (s *Solver) concludeLimit() {
	r := &s.result

	// The dual bound of a feasible dual solution is proven.
	r.set(s.ctl.stop, lp.InfeasiblePoint, lp.InfeasiblePoint)
	if b, dual := s.limitBound(); !isInf(b) {
		r.Bound = s.sense*b + s.offset
		if dual {
			r.Dual = lp.FeasiblePoint
		}
	}

	// Another form of the model may have proven more.
	if !isInf(s.start.bound) && !math.IsNaN(s.start.bound) {
		r.Bound = s.sense * max(s.sense*r.Bound, s.sense*s.start.bound)
	}
	if s.primals.ok && s.primals.feasible() {
		r.Primal = lp.FeasiblePoint
		r.Objective = s.objectiveValue()
	}
}

// finish leaves the solver ready for changes: working costs and bounds are those of the model.
func (s *Solver) finish() {
	s.restoreCosts()
	used := s.used()
	s.result.Iterations = used.Iterations
	s.result.Work = used.Work
	s.result.Span = used.Span
	s.result.Refactorizations = used.Refactorizations
	s.logEnd()
}
