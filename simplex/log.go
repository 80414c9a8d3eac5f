package simplex

import (
	"math"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// logged is the part of the log of the function Solve that other Solves than this one determine.
type logged struct {
	started    time.Time     // of the clock of the log; zero for the start of each Solve
	next       time.Duration // before which nothing is due
	iterations int           // already made, in a reduced or folded model
	inner      bool          // this is a reduced or folded model: another Solve follows
}

// log writes a progress record, at most one in Options.LogEvery.
func (s *Solver) log() {
	if s.opt.Log == nil {
		return
	}
	now := s.logClock()
	if !s.ctl.logDue(now, s.opt.LogEvery) {
		return
	}

	// The objective is that of the loop that runs; the boxes of phase 1 have none in the model.
	phase := "dual"
	objective := s.sense*s.duals.objective + s.offset
	switch {
	case s.bounds.boxed:
		phase = "dual phase 1"
		objective = math.NaN()
	case s.ctl.inPrimal:
		phase = "primal"
		objective = s.sense*s.workingObjective() + s.offset
	}
	s.opt.Log.Info("simplex", "phase", phase, "iteration", s.logged.iterations+s.ctl.iterations, "objective", objective,
		"primal", s.primalInfeasibility(), "dual", s.dualInfeasibility(), "elapsed", now)
}

// logEnd writes the last record of a Solve.
func (s *Solver) logEnd() {
	if s.opt.Log == nil || s.logged.inner {
		return
	}

	// An infinite bound is not proven, and is written as unknown.
	r := &s.result
	objective := r.Objective
	if math.IsNaN(objective) && r.Status != lp.Infeasible {
		objective = r.Bound
	}
	if isInf(objective) {
		objective = math.NaN()
	}
	s.opt.Log.Info("simplex done", "status", r.Status.String(), "iteration", s.logged.iterations+s.ctl.iterations,
		"objective", objective, "primal", s.primalInfeasibility(), "dual", s.dualInfeasibility(), "elapsed", s.logClock(),
		"refactorizations", s.used().Refactorizations)
}

// logSize writes the size of a model that presolve or folding has made smaller.
func (o *Options) logSize(by string, m *lp.Model) {
	if o.Log != nil {
		o.Log.Info(by, "rows", len(m.Rows), "columns", len(m.Cols), "nonzeros", m.NumEntries())
	}
}

// logCrossover writes the number of pushes and pivots of a crossover.
func (s *Solver) logCrossover(c *crossing) {
	if s.opt.Log != nil {
		s.opt.Log.Info("crossover", "primal pushes", c.pushes[0], "dual pushes", c.pushes[1], "pivots", s.ctl.iterations)
	}
}

// logClock returns the time since the function Solve began, or else since this Solve.
func (s *Solver) logClock() time.Duration {
	if !s.logged.started.IsZero() {
		return time.Since(s.logged.started)
	}
	return time.Since(s.ctl.started)
}

// primalInfeasibility returns the sum of the violations of the working bounds, scaled; NaN where the
// basic values are not known.
func (s *basicSolution) primalInfeasibility() float64 {
	if !s.primals.ok {
		return math.NaN()
	}
	return s.primals.infeasible.sum()
}

// dualInfeasibility returns the sum of the reduced costs of the wrong sign, scaled, for the working costs;
// in phase 1 of those that no finite bound of the model makes right. It is NaN where they are not known.
func (s *basicSolution) dualInfeasibility() float64 {
	if !s.duals.ok {
		return math.NaN()
	}

	tol := s.duals.tol

	// In phase 1 only reduced costs count that no finite bound of the model makes right.
	sum := 0.0
	for v, d := range s.duals.d {
		wrong := s.infeasibleDual(v, tol)
		if s.bounds.boxed && s.basis.where[v] < 0 {
			tooHigh := d > tol && isInf(s.lo[v])
			wrong = tooHigh || d < -tol && isInf(s.up[v])
		}
		if wrong {
			sum += math.Abs(d)
		}
	}
	return sum
}
