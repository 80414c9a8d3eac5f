package simplex

import "math"

// stall watches the dual objective for cycling and stalling: a degenerate basis may be exchanged without end
// and without progress.
type stall struct {
	best    float64 // dual objective when it last improved
	since   int     // iteration at which it did
	shakes  int     // times that the costs were perturbed for it
	primal  float64 // the same for the primal loop
	pSince  int
	started bool
}

// patience returns the number of iterations without progress that are tolerated.
func (s *Solver) patience() int { return stallBase + s.m/stallRows*(1+s.ctl.stall.shakes) }

// stalled reports whether the dual loop has made no progress for too long.
func (s *Solver) stalled() bool {
	w := &s.ctl.stall
	if !w.started || s.duals.objective > w.best+stallTol*(1+math.Abs(w.best)) {
		w.best = s.duals.objective
		w.since = s.ctl.iterations
		w.started = true
		return false
	}
	return s.ctl.iterations-w.since > s.patience()
}

// shakeGrowth is the factor between the perturbations for stalling in one Solve.
const shakeGrowth = 4

// shake perturbs the costs, more each time, so that the dual loop leaves a degenerate vertex. It
// returns false when that has been tried often enough.
func (s *Solver) shake() bool {
	w := &s.ctl.stall
	if w.shakes >= maxShakes {
		return false
	}

	w.shakes++
	w.started = false
	factor := 1.0
	if s.duals.perturbed {
		factor = math.Pow(shakeGrowth, float64(w.shakes))
	}
	s.duals.perturb(&s.problem, factor)

	// Everything that depends on the costs follows.
	s.ensureDuals()
	s.correctDuals()
	s.ensurePrimals()
	s.findObjective()
	return true
}

// primalStalled is stalled for the primal loop, where the objective must fall.
func (s *Solver) primalStalled(objective float64) bool {
	w := &s.ctl.stall
	if objective < w.primal-stallTol*(1+math.Abs(w.primal)) {
		w.primal = objective
		w.pSince = s.ctl.iterations
		return false
	}
	return s.ctl.iterations-w.pSince > s.patience()
}
