package simplex

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// outcome is how one run of the dual or primal loop ended.
type outcome uint8

const (
	outOptimal    outcome = iota // for the working costs and bounds
	outInfeasible                // the pivotal row in rho proves it
	outUnbounded                 // the column in aq, direction in ctl.rayDir
	outLimit                     // ctl.stop says which
	outLost                      // primal loop: the basis is no longer primal feasible
	outTrouble                   // no progress is possible in floating point
)

// dual runs the dual simplex method from a dual feasible basis.
func (s *Solver) dual() outcome {
	s.ctl.stall.started, s.ctl.inPrimal = false, false
	for {
		if s.needRefactor() {
			s.rebuildDual()
		}
		if s.limitReached() {
			return outLimit
		}
		if s.stalled() && !s.shake() {
			return outTrouble
		}
		r := s.chooseRow()
		if r < 0 {
			if out, done := s.noRow(); done {
				return out
			}
			continue
		}
		if !s.computeRow(r) {
			continue
		}
		violation, sign := s.violation(r)
		s.price(s.row.rho)
		s.collect(sign, s.candidateTol())
		k := s.chooseColumn(violation)
		if k < 0 {
			if out, done := s.noColumn(r, sign); done {
				return out
			}
			continue
		}
		q, alphaRow := s.ratio.idx[k], s.ratio.alpha[k]
		s.computeColumn(q)
		if !s.acceptPivot(r, alphaRow) {
			continue
		}
		s.computeTau()
		s.applyFlips()
		s.dualStep(r, q, sign)
	}
}

// needRefactor reports whether the loop must start from a new factorisation.
func (s *Solver) needRefactor() bool {
	return !s.factor.ok || !s.primals.ok || !s.duals.ok || s.factor.shouldRefactor()
}

// fresh reports whether the factorisation has had no updates.
func (s *Solver) fresh() bool { return s.factor.updates == 0 && s.ctl.fresh }

// rebuildDual factors the basis anew and recomputes everything from it.
func (s *Solver) rebuildDual() {
	if !s.factor.ok || s.factor.updates > 0 {
		s.refactor()
	}
	s.computeDual()
	s.correctDual()
	s.computePrimal()
	s.duals.objective = s.workingObjective()
	s.ctl.fresh = true
	s.clearTaboo()
	s.log()
}

// stale asks for a rebuild before the next pivot.
func (s *Solver) stale() {
	s.primals.ok = false
	if s.factor.updates > 0 {
		s.factor.ok = false
	}
}

func (s *Solver) clearTaboo() {
	if s.taboo.count > 0 {
		clear(s.taboo.row)
		s.taboo.count = 0
	}
}

func (s *Solver) setTaboo(r int32) {
	if !s.taboo.row[r] {
		s.taboo.row[r] = true
		s.taboo.count++
	}
}

// noRow decides what it means that no row is left to choose.
func (s *Solver) noRow() (outcome, bool) {
	if s.taboo.count == 0 || len(s.primals.infeasible.list) == 0 {
		return outOptimal, true
	}
	if !s.fresh() {
		s.stale()
		return 0, false
	}
	return outTrouble, true
}

// noColumn decides what it means that the ratio test found no breakpoint: the row proves infeasibility,
// if its ray stands up to the check on the model itself.
func (s *Solver) noColumn(r int32, sign float64) (outcome, bool) {
	if s.bounds.boxed {
		s.setTaboo(r)
		return 0, false
	}
	if s.farkasHolds(sign) {
		return outInfeasible, true
	}
	if !s.fresh() {
		s.stale()
		return 0, false
	}
	s.setTaboo(r)
	return 0, false
}

// violation returns how far the basic variable at r is outside its bounds, and on which side.
func (s *Solver) violation(r int32) (amount, sign float64) {
	if over := s.primals.basic[r] - s.primals.up[r]; over > 0 {
		return over, 1
	}
	return s.primals.lo[r] - s.primals.basic[r], -1
}

// computeRow computes row r of the basis inverse. It returns false when the stored weight of the row
// was far too small, in which case another row may be better.
func (s *Solver) computeRow(r int32) bool {
	s.row.rho.Clear()
	s.row.rho.Add(r, 1)
	s.factor.btran(s.row.rho, &s.factor.density.btran, r)
	old := s.weights.at[r]
	s.measureWeight(r)
	return old >= weightLow*s.weights.at[r]
}

// computeColumn computes the column of variable q in terms of the basis.
func (s *Solver) computeColumn(q int32) {
	s.aq.Clear()
	s.addColumn(s.aq, q, 1)
	s.factor.ftran(s.aq, &s.factor.density.ftran, true)
}

func (s *Solver) candidateTol() float64 {
	if s.factor.updates < 10 {
		return alphaTol
	}
	return alphaTolFar
}

// acceptPivot compares the pivot as computed by row and by column. A bad one leads to a new
// factorisation or, straight after one, to another row.
func (s *Solver) acceptPivot(r int32, alphaRow float64) bool {
	alpha := s.aq.Value[r]
	diff := math.Abs(alpha - alphaRow)
	size := min(math.Abs(alpha), math.Abs(alphaRow))
	switch {
	case diff <= alphaRelDiff*size && (size >= smallPivot || s.factor.updates == 0):
		return true
	case !s.fresh():
		s.stale()
		return false
	case diff <= 1e-3*size && size > alphaTol:
		return true
	}
	s.setTaboo(r)
	return false
}

// applyFlips moves the variables whose breakpoints were passed to their other bounds.
func (s *Solver) applyFlips() {
	if s.ratio.flips == 0 {
		return
	}
	s.flip.Clear()
	for _, j := range s.ratio.idx[:s.ratio.flips] {
		s.flipVariable(j, s.flip)
	}
	s.subtractFlips()
}

// flipVariable moves a boxed variable to its other bound and adds the change to v.
func (s *Solver) flipVariable(j int32, v *sparse.Vector) {
	to, st := s.bounds.lo[j], AtLower
	if s.basis.status[j] == AtLower {
		to, st = s.bounds.up[j], AtUpper
	}
	dx := to - s.primals.nonbasic[j]
	s.basis.status[j], s.primals.nonbasic[j] = st, to
	s.duals.objective += dx * s.duals.d[j]
	s.addColumn(v, j, dx)
}

// subtractFlips updates the basic variables for the changes of nonbasic ones collected in flip.
func (s *Solver) subtractFlips() {
	s.factor.ftran(s.flip, &s.factor.density.flip, false)
	for _, p := range s.flip.Index[:s.flip.N] {
		s.primals.basic[p] -= s.flip.Value[p]
		s.primals.infeasible.update(s, p)
	}
	s.flip.Clear()
}

// dualStep makes q basic at position r.
func (s *Solver) dualStep(r, q int32, sign float64) {
	alpha := s.aq.Value[r]
	v := s.basis.head[r]
	bound, st := s.primals.lo[r], AtLower
	if sign > 0 {
		bound, st = s.primals.up[r], AtUpper
	}
	s.prepareStep(q, st, alpha)
	thetaP := (s.primals.basic[r] - bound) / alpha
	thetaD := s.duals.d[q] / alpha
	s.duals.objective += thetaP * s.duals.d[q]
	s.updateDuals(thetaD, q, v)
	s.updatePrimals(r, thetaP)
	s.updateWeights(r, alpha)
	s.changeBasis(r, q, st, bound, s.primals.nonbasic[q]+thetaP)
	s.finishUpdate(r, alpha)
}

// prepareStep shifts the cost of q where its reduced cost has the wrong sign within the tolerance, so
// that the dual step has the right sign or is zero.
func (s *Solver) prepareStep(q int32, leaving VarStatus, alpha float64) {
	d := s.duals.d[q]
	theta := d / alpha
	if leaving == AtLower {
		theta = -theta
	}
	if theta >= 0 {
		return
	}
	s.duals.cost[q] -= d
	s.duals.d[q] = 0
	s.duals.modified = true
}

func (s *Solver) updateDuals(theta float64, q, v int32) {
	if theta != 0 {
		for k, j := range s.row.index {
			s.duals.d[j] -= theta * s.row.value[k]
		}
	}
	s.duals.d[q] = 0
	s.duals.d[v] = -theta
}

func (s *Solver) updatePrimals(r int32, theta float64) {
	tol := s.primals.infeasible.tol
	for _, p := range s.aq.Index[:s.aq.N] {
		x := s.primals.basic[p] - theta*s.aq.Value[p]
		s.primals.basic[p] = x // of p == r too, which changeBasis sets
		if p == r || s.primals.infeasible.at[p] < 0 && x-s.primals.up[p] <= tol && s.primals.lo[p]-x <= tol {
			continue
		}
		s.primals.infeasible.update(s, p)
	}
	s.primals.farthest = max(s.primals.farthest, math.Abs(theta))
	s.factor.work += float64(s.aq.N)
}

// changeBasis makes q basic at position r with value x; the old variable gets status st and value bound.
func (s *Solver) changeBasis(r, q int32, st VarStatus, bound, x float64) {
	v := s.basis.head[r]
	s.basis.status[v], s.primals.nonbasic[v], s.basis.where[v] = st, bound, -1
	s.basis.status[q], s.basis.where[q] = Basic, r
	s.basis.head[r] = q
	s.part.move(s, v)
	s.part.move(s, q)
	s.primals.basic[r], s.primals.lo[r], s.primals.up[r] = x, s.bounds.lo[q], s.bounds.up[q]
	s.primals.infeasible.update(s, r)
	s.ctl.iterations++
}

// finishUpdate updates the factors; a bad new pivot asks for a rebuild.
func (s *Solver) finishUpdate(r int32, alpha float64) {
	if err := s.factor.update(r, alpha, s.factor.scratch); !(err <= 1e-6) {
		s.factor.ok, s.primals.ok = false, false
	}
	s.clearTaboo()
}
