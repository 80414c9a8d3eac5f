package simplex

import "math"

// stall is the progress of the objective of a loop, against cycling and stalling: a degenerate basis may be exchanged
// without end and without progress.
type stall struct {
	best          float64 // objective when it last improved
	since         int     // iteration at which it did
	started       bool    // best and since are those of the present loop
	perturbations int     // times that the costs were perturbed for it in this Solve
}

// patience returns the number of iterations without progress that are tolerated.
func (s *Solver) patience() int { return stallBase + s.m/stallRows*(1+s.ctl.stall.perturbations) }

// stalled reports whether the loop has made no progress for too long. The objective is one that should rise: that of
// the dual loop, or the negative of that of the primal loop.
func (s *Solver) stalled(objective float64) bool {
	// A loop begins with its first objective; progress is relative to its size.
	w := &s.ctl.stall
	if !w.started || objective > w.best+stallTol*(1+math.Abs(w.best)) {
		w.best = objective
		w.since = s.ctl.iterations
		w.started = true
		return false
	}
	return s.ctl.iterations-w.since > s.patience()
}

// perturbGrowth is the factor between the perturbations for stalling in one Solve.
const perturbGrowth = 4

// perturbMore perturbs the costs, more each time, so that the dual loop leaves a degenerate vertex. It
// returns false when that has been tried often enough.
func (s *Solver) perturbMore() bool {
	w := &s.ctl.stall
	if w.perturbations >= maxPerturbations {
		return false
	}

	w.perturbations++
	w.started = false

	// The first perturbation has the usual size, the others grow.
	factor := 1.0
	if s.duals.perturbed {
		factor = math.Pow(perturbGrowth, float64(w.perturbations))
	}
	s.duals.perturb(&s.problem, factor)

	// Everything that depends on the costs follows.
	s.ensureDuals()
	s.correctDuals()
	s.ensurePrimals()
	s.findObjective()
	return true
}
