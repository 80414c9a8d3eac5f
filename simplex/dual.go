package simplex

import "math"

// outcome is how one run of the dual or primal loop ended.
type outcome uint8

const (
	outOptimal    outcome = iota // for the working costs and bounds
	outInfeasible                // the pivotal row in rho proves it
	outUnbounded                 // the column in aq, direction in rays, proves it
	outLimit                     // the one in ctl.stop
	outLost                      // primal loop: the basis is no longer primal feasible
	outTrouble                   // no progress is possible in floating point
)

// dual runs the dual simplex method from a dual feasible basis: dual steepest edge pricing (Forrest and Goldfarb 1992)
// and the bound-flipping ratio test (Maros 2003).
func (s *Solver) dual() outcome {
	// Each pass is a pivot, a new factorisation, or a decision that the loop has ended.
	s.ctl.startLoop(false)
	for {
		if s.needRefactor() {
			s.rebuildDual()
		}
		if s.limitReached() {
			return outLimit
		}
		if s.stalled(s.duals.objective) && !s.perturbMore() {
			return outTrouble
		}

		// Pricing: the basic variable at position r is to leave. Without one the basis is primal feasible.
		r := s.chooseRow()
		if r < 0 {
			if out, done := s.noRow(); done {
				return out
			}
			continue
		}
		if !s.confirmRow(r) {
			continue
		}

		// Ratio test on the pivotal row: variable q is to enter. Without one the row proves infeasibility.
		s.beginTau(nil)
		violation, sign := s.primals.violation(r)
		s.price(s.row.rho)
		s.ratio.collect(&s.basicSolution, sign, s.candidateTol())
		k := s.ratio.chooseColumn(&s.basicSolution, violation)
		if k < 0 {
			s.dropTau()
			if out, done := s.noColumn(r, sign); done {
				return out
			}
			continue
		}

		// The column of q gives the pivot a second time, by other sums.
		q := s.ratio.idx[k]
		s.computeColumn(q)
		if !s.acceptPivot(r, s.ratio.alpha[k]) {
			s.dropTau()
			continue
		}

		// The step changes the values of boxed variables that were passed, the edge weights, and then the basis.
		s.applyFlips()
		s.computeTau()
		s.dualStep(r, q, sign)
	}
}

// needRefactor reports whether the loop must start from a new factorisation.
func (s *Solver) needRefactor() bool {
	valid := s.factor.ok && s.primals.ok && s.duals.ok
	return !valid || s.factor.shouldRefactor()
}

// fresh reports whether the factorisation has had no updates, and all values were computed with it.
func (s *Solver) fresh() bool { return s.factor.updates == 0 && s.ctl.fresh }

// rebuild factors the basis anew, unless it has just been, and recomputes everything from it; correct may change the
// reduced costs before the basic values are computed.
func (s *Solver) rebuild(correct func()) {
	// Factors without updates are as good as new ones.
	if !s.factor.ok || s.factor.updates > 0 {
		s.refactor()
	}
	s.computeDuals()

	// A correction that flips a boxed variable changes the basic values, so these come last.
	correct()
	s.computePrimals()
	s.ctl.rebuilt()
	s.tabu.clear()
}

// rebuildDual rebuilds for the dual loop.
func (s *Solver) rebuildDual() {
	s.rebuild(s.correctDuals)
	s.findObjective()
	s.log()
}

// stale invalidates what the next pivot rests on, so that the loop rebuilds it first.
func (s *Solver) stale() {
	s.primals.invalidate()
	// Factors with updates are the other source of wrong numbers.
	if s.factor.updates > 0 {
		s.factor.invalidate()
	}
}

// renew invalidates what the next pivot rests on, unless that is fresh, and reports whether it did: better numbers may
// change a decision.
func (s *Solver) renew() bool {
	if s.fresh() {
		return false
	}
	s.stale()
	return true
}

// noRow decides what it means that no row is left to choose.
func (s *Solver) noRow() (outcome, bool) {
	if s.tabu.count == 0 || s.primals.feasible() {
		return outOptimal, true
	}

	// Rows that are infeasible were tried and are tabu; better numbers may allow a pivot there.
	if s.renew() {
		return 0, false
	}
	return outTrouble, true
}

// noColumn decides what it means that the ratio test found no breakpoint: the row proves infeasibility,
// if its ray passes the check on the model itself. The boxes of phase 1 bound its objective, so that only rounding can
// hide a breakpoint there.
func (s *Solver) noColumn(r int32, sign float64) (outcome, bool) {
	switch boxed := s.bounds.boxed; {
	case !boxed && s.farkasHolds(sign):
		return outInfeasible, true
	case !boxed && s.renew():
	default:
		s.tabu.set(r)
	}
	return 0, false
}

// confirmRow computes row r of the basis inverse. It returns false when the stored weight of the row
// was far too small, in which case another row may be better.
func (s *Solver) confirmRow(r int32) bool {
	// A weight that was far too small has made the row look better than it is.
	old := s.computeRow(r)
	return old >= weightLow*s.weights.at[r]
}

// candidateTol returns the size from which on an entry of the pivotal row counts. Updates add rounding errors.
func (s *Solver) candidateTol() float64 {
	if s.factor.updates < farUpdates {
		return alphaTol
	}
	return alphaTolFar
}

// acceptPivot compares the pivot as computed by row and by column. A bad one leads to a new
// factorisation or, straight after one, to another row.
func (s *Solver) acceptPivot(r int32, alphaRow float64) bool {
	// Both computations have rounding errors of their own, so that their difference measures them.
	alpha := s.aq.Value[r]
	diff := math.Abs(alpha - alphaRow)
	size := min(math.Abs(alpha), math.Abs(alphaRow))

	switch {
	case diff <= alphaRelDiff*size && (size >= smallPivot || s.factor.updates == 0):
		return true
	case s.renew():
		return false
	case diff <= alphaRelDiffFresh*size && size > alphaTol:
		return true
	}
	s.tabu.set(r)
	return false
}

// applyFlips moves the variables whose breakpoints were passed to their other bounds.
func (s *Solver) applyFlips() {
	if s.ratio.flips == 0 {
		return
	}

	// One solve serves all flips together.
	s.flip.Clear()
	for _, j := range s.ratio.idx[:s.ratio.flips] {
		s.flipVariable(j)
	}
	s.subtractFlips()
}

// dualStep makes q basic at position r; the variable there leaves at the bound that it violates.
func (s *Solver) dualStep(r, q int32, sign float64) {
	// Above its upper bound the variable leaves there, else at the lower bound.
	alpha := s.aq.Value[r]
	bound, st := s.primals.end(r, sign > 0)

	s.prepareStep(q, st, alpha)

	// The dual objective rises by the primal step times the reduced cost of q, which is zero after a shift.
	s.duals.gain((s.primals.basic[r] - bound) / alpha * s.duals.d[q])
	s.pivot(r, q, st, bound)
	s.ctl.pivoted()
}

// prepareStep shifts the cost of q where its reduced cost has the wrong sign within the tolerance, so
// that the dual step has the right sign or is zero.
func (s *basicSolution) prepareStep(q int32, leaving VarStatus, alpha float64) {
	// The sign of the dual step is that of the violation.
	theta := s.duals.d[q] / alpha
	if leaving == AtLower {
		theta = -theta
	}

	if theta < 0 {
		s.duals.shift(q, 0)
	}
}
