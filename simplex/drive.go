package simplex

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// Result says how a Solve ended.
type Result struct {
	Status           lp.Status      // Optimal, Infeasible, Unbounded, or a limit
	Primal, Dual     lp.PointStatus // of X and of RowDual; RayPoint where Ray is the certificate
	Objective        float64        // model's sense, offset included; NaN without a primal feasible point
	Bound            float64        // proven: no point is better; an infinity where nothing is proven
	Iterations       int            // of this Solve
	Work             float64        // of this Solve, about one unit a nonzero touched; the same on every machine
	Refactorizations int            // of this Solve
}

// control is the state of one Solve.
type control struct {
	ctx        context.Context
	started    time.Time
	nextLog    time.Duration // on the clock of the log
	inPrimal   bool          // the primal loop runs
	deadline   time.Time
	hasClock   bool
	workLimit  float64
	objLimit   float64 // minimised, without offset; +Inf for none
	iterations int
	nextPoll   int
	workStart  float64
	nextObj    int // iteration at which the objective limit is looked at again
	stop       lp.Status
	fresh      bool
	last       bool    // no other attempt follows that could prove more
	tolP       float64 // primal tolerance that the answer must meet, in the units of the model
	stall      stall
	rayDir     float64
	rayVar     int32
	why        string // of a failed attempt
}

// Solve solves the model as it is now, from the current basis. Limits and cancellation are statuses.
// An error wraps ErrIndex after a bad change, or ErrNumerical when the answer fails its check after
// every recovery.
func (s *Solver) Solve(ctx context.Context) (Result, error) {
	if err := s.changes.err; err != nil {
		s.changes.err = nil
		return Result{Objective: math.NaN(), Bound: math.Inf(-1)}, err
	}
	s.begin(ctx)
	if s.crossedBounds() {
		s.rays.ray = resize(s.rays.ray, s.m)
		clear(s.rays.ray)
		s.rays.ok = true
		s.result = Result{Status: lp.Infeasible, Objective: math.NaN(), Bound: s.sense * math.Inf(1), Dual: lp.RayPoint}
		s.logEnd()
		return s.result, nil
	}
	for attempt := range attempts {
		if attempt > 0 && s.opt.Log != nil {
			s.opt.Log.Warn("simplex recovers", "attempt", attempt, "after", s.ctl.why)
		}
		s.recover(attempt)
		s.sync()
		out := s.runTightening(attempt)
		if s.settle(out, attempt) {
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
	wideMost     = 1e-3 // of that
)

const (
	tightenings = 3     // times that the scaled tolerances are made tighter
	tightest    = 1e-12 // what they are never made tighter than
)

const (
	polishTol  = 1e-11 // a reduced cost of the wrong sign below it is rounding
	polishGain = 1e-6  // relative change of the objective that is worth a polish
	polishMost = 30    // pivots of one

	polishLeast = 1e-13 // ... of a variable that has no bound to stop at, where it is more than
	polishNoise = 1e-12 // this share of the sum of its terms
	polishLooks = 4     // of these, so many are looked at
)

// begin sets up the control of a Solve.
func (s *Solver) begin(ctx context.Context) {
	s.ctl = control{ctx: ctx, workLimit: s.opt.MaxWork, workStart: s.factor.work, objLimit: math.Inf(1)}
	if s.opt.TimeLimit < math.MaxInt64 || s.opt.Log != nil {
		s.ctl.started = time.Now()
		s.ctl.nextLog = s.logged.next
	}
	if s.opt.TimeLimit < math.MaxInt64 {
		s.ctl.deadline, s.ctl.hasClock = s.ctl.started.Add(s.opt.TimeLimit), true
	}
	if !isInf(s.opt.ObjectiveLimit) {
		s.ctl.objLimit = s.sense * (s.opt.ObjectiveLimit - s.offset)
	}
	s.factor.refactors = 0
	s.factor.threshold = thresholdFirst
	s.primals.tol, s.duals.tol = s.opt.Tolerances.Primal, s.opt.Tolerances.Dual
	s.ctl.tolP = s.primals.tol
	s.outOK = outputs{}
	s.rays.recession = nil
	s.duals.rng = s.opt.Seed
}

func (s *Solver) crossedBounds() bool {
	for v, lo := range s.lo {
		if lo > s.up[v] {
			return true
		}
	}
	return false
}

// recover prepares attempt k: the first as asked for; then with a new factorisation of the same basis;
// then from the slack basis; without scaling; and at last with a wider tolerance, from where the last one ended.
func (s *Solver) recover(k int) {
	s.ctl.last = k >= 3
	switch k {
	case 0:
		return
	case 1:
		s.flushWeights()
		s.invalidateBasis()
	case 2:
		s.SlackBasis()
	case 3:
		s.unscale()
		s.SlackBasis()
	case 4:
		s.widen()
		s.invalidateBasis()
	}
	s.factor.threshold = thresholdLast
	copy(s.duals.cost, s.cost)
	s.duals.modified, s.duals.perturbed = false, false
	s.duals.ok = false
}

// widen gives the last attempt its tolerance, in the units of the model, which the unscaled attempt before it has left.
func (s *Solver) widen() {
	largest := 0.0
	for _, x := range s.primals.basic {
		if x = math.Abs(x); x > largest {
			largest = x
		}
	}
	s.ctl.tolP = max(wideTol*s.ctl.tolP, min(wideRounding*largest, wideMost))
	s.primals.tol = s.ctl.tolP
}

// run alternates dual and primal simplex until both kinds of feasibility hold for the model itself.
func (s *Solver) run(attempt int) outcome {
	cold := s.isCold() && !(s.start.advanced && attempt < 2)
	for round := range maxRounds {
		if round == 0 && cold && s.opt.Perturb && attempt%2 == 0 {
			s.perturbCosts(s.coldFactor())
		}
		if !s.duals.ok {
			s.computeDual()
		}
		if round == 0 && cold && s.mustShift() > 0 {
			if out := s.phaseOne(); out == outLimit {
				return out
			}
		}
		s.correctDual()
		if !s.primals.ok {
			s.computePrimal()
		}
		s.freeze()
		s.duals.objective = s.workingObjective()
		if out := s.dual(); out != outOptimal {
			return out
		}
		if s.rays.recession != nil && len(s.primals.infeasible.list) == 0 {
			return outUnbounded
		}
		s.restoreCosts()
		if !s.duals.ok {
			s.computeDual()
		}
		if s.countDualInfeasible() == 0 {
			return outOptimal
		}
		out := s.primal()
		switch {
		case out == outLost:
		case out != outOptimal:
			return out
		case len(s.primals.infeasible.list) == 0:
			return outOptimal
		}
	}
	return outTrouble
}

// runExact is run, and then basic values from scratch where steps were so long that the updates have lost digits that
// count: a basic solution satisfies its rows to rounding, not only to the tolerance.
func (s *Solver) runExact(attempt int) outcome {
	out := s.run(attempt)
	if out == outOptimal && s.primals.farthest > farStep && s.factor.ok {
		if s.computePrimal(); len(s.primals.infeasible.list) > 0 {
			return s.run(attempt)
		}
	}
	return out
}

// farStep is the longest scaled step after which the basic values need not be computed again.
const farStep = 1e2

// runTightening is run with scaled tolerances that end as tight as those of the model ask for; where rounding does
// not let them be so tight in the last attempts, it goes back to the usual ones.
func (s *Solver) runTightening(attempt int) outcome {
	out := s.runExact(attempt)
	for k := 0; k < tightenings && out == outOptimal && s.tighten(); k++ {
		out = s.runExact(attempt)
		if out == outTrouble && s.ctl.last {
			s.primals.tol, s.duals.tol = s.ctl.tolP, s.opt.Tolerances.Dual
			s.primals.infeasible.rebuild(s)
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
// the optimum stands: on degenerate models nothing may be left but rounding.
func (s *Solver) polish(attempt int, tol float64) outcome {
	usual, most := s.duals.tol, s.opt.MaxIterations
	s.duals.tol, s.opt.MaxIterations = tol, min(most, s.ctl.iterations+polishMost)
	out := s.runExact(attempt)
	s.duals.tol, s.opt.MaxIterations = usual, most
	if out == outOptimal || out == outUnbounded || out == outLimit && s.ctl.stop != lp.IterationLimit {
		return out
	}
	return s.runExact(attempt)
}

// polishTolerance returns the dual tolerance at which reduced costs that have the wrong sign within the usual one hide
// more than rounding of the objective: those of variables with a long way to go. Where the way is infinite, smaller
// ones count too, if they are no rounding of their terms: the model may be unbounded. It returns +Inf where there is
// nothing to gain.
func (s *Solver) polishTolerance() float64 {
	gain, tol, looked := 0.0, math.Inf(1), 0
	for v, d := range s.duals.d {
		if math.Abs(d) <= polishLeast || !s.infeasibleDual(v, polishLeast) {
			continue
		}
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
	if isInf(tol) && gain > polishGain*max(1, math.Abs(s.objectiveValue())) {
		tol = polishTol
	}
	return tol
}

// isExactDual reports whether the reduced cost of the nonbasic variable q is more than the rounding error of its terms.
func (s *Solver) isExactDual(q int32) bool {
	s.computeColumn(q)
	return s.exactDual(q)*s.duals.d[q] > 0
}

// unit returns the unit of variable v: its value in the model is so many times the scaled one.
func (s *Solver) unit(v int32) float64 {
	if int(v) < s.n {
		return s.colScale[v]
	}
	return 1 / s.rowScale[int(v)-s.n]
}

// tighten measures how far the current answer violates the tolerances in the units of the model. If it
// does, the scaled tolerances are made tighter in proportion, and the solve must go on.
func (s *Solver) tighten() bool {
	worstP, worstD := 0.0, 0.0
	for p, x := range s.primals.basic {
		if over := max(s.primals.lo[p]-x, x-s.primals.up[p]); over > 0 {
			worstP = max(worstP, over*s.unit(s.basis.head[p]))
		}
	}
	for v := range s.duals.d {
		if s.infeasibleDual(v, 0) {
			worstD = max(worstD, math.Abs(s.duals.d[v])/s.unit(int32(v)))
		}
	}
	again := false
	if limit := s.ctl.tolP; worstP > limit && s.primals.tol > tightest {
		s.primals.tol = max(tightest, 0.5*s.primals.tol*limit/worstP)
		again = true
	}
	if limit := s.opt.Tolerances.Dual; worstD > limit && s.duals.tol > tightest {
		s.duals.tol = max(tightest, 0.5*s.duals.tol*limit/worstD)
		again = true
	}
	if again {
		s.primals.infeasible.rebuild(s)
	}
	return again
}

// isCold reports whether most of the rows have their logical basic, as they do at the start.
func (s *Solver) isCold() bool {
	basic := 0
	for j := range s.n {
		if s.basis.where[j] >= 0 {
			basic++
		}
	}
	return basic == 0
}

// limitReached reports whether this Solve must stop, and why in ctl.stop.
func (s *Solver) limitReached() bool {
	c := &s.ctl
	switch {
	case c.iterations >= s.opt.MaxIterations:
		c.stop = lp.IterationLimit
		return true
	case s.factor.work-c.workStart > c.workLimit:
		c.stop = lp.WorkLimit
		return true
	case s.duals.objective > c.objLimit && c.iterations >= c.nextObj && s.objectiveLimit():
		c.stop = lp.ObjectiveLimit
		return true
	}
	if c.iterations < c.nextPoll {
		return false
	}
	c.nextPoll = c.iterations + pollEvery
	if s.opt.Log != nil {
		s.log()
	}
	switch {
	case c.ctx.Err() != nil:
		c.stop = lp.Interrupted
		return true
	case c.hasClock && !time.Now().Before(c.deadline):
		c.stop = lp.TimeLimit
		return true
	}
	return false
}

// objectiveLimit checks with the costs of the model that the bound has passed the limit.
func (s *Solver) objectiveLimit() bool {
	if s.bounds.boxed || s.dualBound() <= s.ctl.objLimit {
		s.ctl.nextObj = s.ctl.iterations + 20
		return false
	}
	return true
}

// settle turns an outcome into a result; false asks for the next attempt.
func (s *Solver) settle(out outcome, attempt int) bool {
	s.result = Result{Objective: math.NaN(), Bound: s.sense * math.Inf(-1)}
	r := &s.result
	switch out {
	case outOptimal:
		if !s.verifyOptimal() {
			return false
		}
		r.Status, r.Primal, r.Dual = lp.Optimal, lp.FeasiblePoint, lp.FeasiblePoint
		r.Objective = s.objectiveValue()
		r.Bound = r.Objective
	case outInfeasible:
		r.Status, r.Primal, r.Dual = lp.Infeasible, lp.InfeasiblePoint, lp.RayPoint
		r.Bound = s.sense * math.Inf(1)
	case outUnbounded:
		if !s.storePrimalRay(rayTol) {
			s.ctl.why = "primal ray rejected"
			return false
		}
		r.Status, r.Primal, r.Dual = lp.Unbounded, lp.FeasiblePoint, lp.InfeasiblePoint
		r.Objective = s.objectiveValue()
	case outLimit:
		s.settleLimit()
	default:
		s.ctl.why = "no acceptable pivot"
		return false
	}
	return true
}

// settleLimit reports what an unfinished Solve knows.
func (s *Solver) settleLimit() {
	r := &s.result
	r.Status, r.Primal, r.Dual = s.ctl.stop, lp.InfeasiblePoint, lp.InfeasiblePoint
	if b, dual := s.limitBound(); !isInf(b) {
		r.Bound = s.sense*b + s.offset
		if dual {
			r.Dual = lp.FeasiblePoint
		}
	}
	if !isInf(s.start.bound) && !math.IsNaN(s.start.bound) {
		r.Bound = s.sense * max(s.sense*r.Bound, s.sense*s.start.bound)
	}
	if s.primals.ok && len(s.primals.infeasible.list) == 0 {
		r.Primal = lp.FeasiblePoint
		r.Objective = s.objectiveValue()
	}
}

// finish leaves the solver ready for changes: working costs and bounds are those of the model.
func (s *Solver) finish() {
	s.restoreCosts()
	r := &s.result
	r.Iterations = s.ctl.iterations
	r.Work = s.factor.work - s.ctl.workStart
	r.Refactorizations = s.factor.refactors
	s.logEnd()
}
