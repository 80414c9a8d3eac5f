package simplex

import "math"

// stall watches the dual objective for cycling and stalling: a degenerate basis can be changed for ever
// without progress.
type stall struct {
	best    float64 // dual objective when it last improved
	since   int     // iteration at which it did
	shakes  int     // times that the costs were perturbed for it
	widened bool    // the perturbation has been made larger for a long solve
	primal  float64 // the same for the primal loop
	pSince  int
	started bool
}

// patience returns the number of iterations without progress that are tolerated.
func (s *Solver) patience() int { return stallBase + s.m/stallRows*(1+s.ctl.stall.shakes) }

// stalled reports whether the dual loop has made no progress for too long.
func (s *Solver) stalled() bool {
	w := &s.ctl.stall
	if !w.started || s.dualObj > w.best+stallTol*(1+math.Abs(w.best)) {
		w.best, w.since, w.started = s.dualObj, s.ctl.iterations, true
		return false
	}
	return s.ctl.iterations-w.since > s.patience()
}

// shake perturbs the costs, more each time, so that the dual loop gets away from a degenerate vertex. It
// returns false when that has been tried often enough.
func (s *Solver) shake() bool {
	w := &s.ctl.stall
	if w.shakes >= maxShakes {
		return false
	}
	w.shakes++
	w.started = false
	factor := 1.0
	if s.perturbed {
		factor = math.Pow(4, float64(w.shakes))
	}
	s.perturbCosts(factor)
	s.computeDual()
	s.correctDual()
	if !s.primalOK {
		s.computePrimal()
	}
	s.dualObj = s.workingObjective()
	return true
}

// laborious reports whether the dual loop has made so many pivots that its perturbed costs are still too close to
// degenerate ones. It says so once in a Solve.
func (s *Solver) laborious() bool {
	w := &s.ctl.stall
	return s.perturbed && !w.widened && s.ctl.iterations > laborBase+laborRows*s.m
}

// widen moves the reduced costs of the nonbasic columns further from zero, each on its feasible side, so that the
// basis stays dual feasible and the steps become longer. The price is a longer clean-up at the end.
func (s *Solver) widen() {
	s.ctl.stall.widened = true
	base := s.perturbationUnit() * wideFactor
	for j := range s.n {
		if s.where[j] >= 0 || s.wlo[j] == s.wup[j] {
			continue
		}
		amount := (math.Abs(s.wc[j]) + 1) * base * (1 + s.random())
		switch s.status[j] {
		case AtZero:
			continue
		case AtUpper:
			amount = -amount
		}
		s.wc[j] += amount
		s.d[j] += amount
	}
	s.modified = true
	s.dualObj = s.workingObjective()
}

// primalStalled is stalled for the primal loop, where the objective must fall.
func (s *Solver) primalStalled(objective float64) bool {
	w := &s.ctl.stall
	if objective < w.primal-stallTol*(1+math.Abs(w.primal)) {
		w.primal, w.pSince = objective, s.ctl.iterations
		return false
	}
	return s.ctl.iterations-w.pSince > s.patience()
}
