package simplex

import (
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// control is the state of one Solve: its limits, and how far it is.
type control struct {
	ctx           context.Context
	started       time.Time
	deadline      time.Time
	hasClock      bool
	limits        Limits
	maxObjective  float64       // minimised, without offset; +Inf for none
	firstWork     float64       // of the factor when the Solve began
	firstSaved    float64       // work of other threads before it
	firstBuilds   int           // factorisations before it
	iterations    int           // so far
	nextPoll      int           // iteration at which the clock and the context are looked at again
	nextObjective int           // ... and the limit of the objective
	nextLog       time.Duration // on the clock of the log
	stop          lp.Status     // the limit that has been reached
	inPrimal      bool          // the primal loop runs
	fresh         bool          // all values have been computed from scratch
	last          bool          // no other attempt follows that could prove more
	tolP          float64       // primal tolerance that the answer must meet, in the units of the model
	stall         stall
	why           string // of a failed attempt
}

// startLoop begins the dual or the primal loop, with the count of iterations without progress at zero.
func (c *control) startLoop(primal bool) {
	c.stall.started = false
	c.inPrimal = primal
}

// rebuilt marks all values as computed from scratch.
func (c *control) rebuilt() { c.fresh = true }

// pivoted counts an iteration.
func (c *control) pivoted() { c.iterations++ }

// logDue reports whether a record is due at time now, and if so when the next one is.
func (c *control) logDue(now, every time.Duration) bool {
	if now < c.nextLog {
		return false
	}
	c.nextLog = now + every
	return true
}

// attempt begins attempt k; no other follows that could prove more than the last ones.
func (c *control) attempt(k int) { c.last = k >= 3 }

// widen makes the primal tolerance larger that the answer must meet.
func (c *control) widen(tol float64) { c.tolP = tol }

// allow sets the number of iterations after which the Solve stops.
func (c *control) allow(iterations int) { c.limits.Iterations = iterations }

// fail keeps the reason why an attempt has failed, and returns false.
func (c *control) fail(why string) bool {
	c.why = why
	return false
}

// reached keeps the limit that stops the Solve, and returns true.
func (c *control) reached(limit lp.Status) bool {
	c.stop = limit
	return true
}

// begin sets up the control of a Solve.
func (s *Solver) begin(ctx context.Context, limits Limits) {
	s.ctl = control{
		ctx:          ctx,
		limits:       limits,
		maxObjective: math.Inf(1),
		firstWork:    s.factor.work,
		firstSaved:   s.ahead.saved,
		firstBuilds:  s.factor.builds,
		tolP:         s.opt.Tolerances.Primal,
	}

	// The clock is read only where something depends on it.
	hasClock := limits.Time < math.MaxInt64
	if hasClock || s.opt.Log != nil {
		s.ctl.started = time.Now()
		s.ctl.nextLog = s.logged.next
	}
	if hasClock {
		s.ctl.deadline = s.ctl.started.Add(limits.Time)
		s.ctl.hasClock = true
	}

	// The limit is one on the minimised objective, without offset.
	if !isInf(limits.Objective) {
		s.ctl.maxObjective = s.sense * (limits.Objective - s.offset)
	}

	// Recoveries of the last Solve may have left other tolerances.
	s.factor.setThreshold(thresholdFirst)
	s.factor.setLeast(pivotTol)
	s.factor.setInverse(!s.opt.noInverse)
	s.setTolerances(s.opt.Tolerances)
	s.vectors.invalidate()
	s.rays.reset()
	s.duals.seed(s.opt.Seed)
}

// limitReached reports whether this Solve must stop, and why in ctl.stop.
func (s *Solver) limitReached() bool {
	c := &s.ctl

	// The work of this Solve is what the factor has counted since it began.
	work := s.factor.work - c.firstWork
	if s.opt.Watch != nil {
		s.opt.Watch(work)
	}

	// These are the same on every machine.
	switch {
	case c.iterations >= c.limits.Iterations:
		return c.reached(lp.IterationLimit)
	case work > c.limits.Work:
		return c.reached(lp.WorkLimit)
	case s.duals.objective > c.maxObjective && c.iterations >= c.nextObjective && s.objectiveReached():
		return c.reached(lp.ObjectiveLimit)
	case c.iterations < c.nextPoll:
		return false
	}

	// The clock and the context are not, and cost more to look at.
	c.nextPoll = c.iterations + pollEvery
	s.log()
	switch {
	case c.ctx.Err() != nil:
		return c.reached(lp.Interrupted)
	case c.hasClock && !time.Now().Before(c.deadline):
		return c.reached(lp.TimeLimit)
	}
	return false
}

// objectiveReached checks with the costs of the model that the bound has passed the limit.
func (s *Solver) objectiveReached() bool {
	// The boxes of phase 1 have an objective of their own, which bounds nothing in the model.
	if s.bounds.boxed || s.dualBound() <= s.ctl.maxObjective {
		s.ctl.nextObjective = s.ctl.iterations + objectiveEvery
		return false
	}
	return true
}

// used returns what the Solve has used so far.
func (s *Solver) used() Result {
	c := &s.ctl
	work := s.factor.work - c.firstWork
	return Result{Iterations: c.iterations, Work: work, Span: work - (s.ahead.saved - c.firstSaved),
		Refactorizations: s.factor.builds - c.firstBuilds}
}
