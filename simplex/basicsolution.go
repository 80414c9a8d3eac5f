package simplex

import "github.com/proxybd/proxybd/internal/sparse"

// basicSolution is a basic solution of the working problem with all that a pivot updates. Each part owns its data and
// has a mark for whether they are valid; the methods here keep the parts together.
type basicSolution struct {
	problem
	basis   basis
	bounds  bounds
	primals primals
	duals   duals
	weights edgeWeights
	factor  factor
	row     pivotRow
	tabu    tabu
	aq      *sparse.Vector // the entering column in terms of the basis
	tau     *sparse.Vector // of the edge weights
	ahead   ahead          // of tau
	flip    *sparse.Vector // sum of the columns of nonbasic variables that move, each times its step
	work    *sparse.Vector

	positions []int32 // scratch of syncRows
	entries   []float64
}

// allocate makes room for the problem.
func (s *basicSolution) allocate() {
	nv := s.n + s.m

	// The quantities by variable and by position get their sizes; the bounds are those of the model.
	s.basis.resize(nv, s.m)
	s.bounds.ofModel(&s.problem)
	s.primals.resize(nv, s.m)
	s.duals.load(s.cost)
	s.weights.resize(nv, s.m)
	s.tabu.resize(s.m)

	for _, v := range []**sparse.Vector{&s.row.rho, &s.aq, &s.tau, &s.flip, &s.work} {
		*v = sparse.NewVector(s.m)
	}
	s.row.resizeColumns(s.n)
}

// resizeRows fits the work space to the number of rows.
func (s *basicSolution) resizeRows() {
	for _, v := range []*sparse.Vector{s.row.rho, s.aq, s.tau, s.flip, s.work} {
		if len(v.Value) != s.m {
			v.Resize(s.m)
		}
	}

	// A tabu position may be that of another row by now.
	s.tabu.resize(s.m)
}

// setTolerances sets the feasibility tolerances in force, scaled.
func (s *basicSolution) setTolerances(tol Tolerances) {
	s.primals.setTolerance(tol.Primal)
	s.duals.setTolerance(tol.Dual)
}

// slackBasis makes the logicals basic and every column nonbasic at the finite bound nearest zero.
func (s *basicSolution) slackBasis() {
	s.basis.slack(s.nearestZero)
	s.weights.reset()
	s.invalidate()
}

// invalidate forgets everything that belongs to the old set of basic variables.
func (s *basicSolution) invalidate() {
	s.basis.invalidate()
	s.factor.invalidate()
	s.primals.invalidate()
	s.duals.invalidate()
}

// ensureFactor factors the basis if its factors are not valid.
func (s *basicSolution) ensureFactor() {
	if !s.factor.ok {
		s.refactor()
	}
}

// refactor factors the current basis anew. Singular bases are repaired with logicals, which makes the
// primal and dual values stale; it returns the number of variables that left for that reason.
func (s *basicSolution) refactor() int {
	// Positions are about to change, so what is by position is kept by variable meanwhile.
	wasOK := s.basis.ok

	// Values and weights by position are kept by variable, and loaded again at the new positions.
	if wasOK {
		s.primals.store(s.basis.head)
		s.weights.store(s.basis.head)
	}
	s.factor.build(s.basis.head, s.basis.candidates(), s.n, s.cols)
	s.basis.factored()

	// Columns that depend on others leave for the logicals of the rows without a pivot.
	for _, v := range s.factor.dropped {
		s.basis.set(v, AtLower)
		s.placeNonbasic(v)
	}
	for _, i := range s.factor.filled {
		s.basis.set(int32(s.n)+i, Basic)
		s.weights.resetVariable(int32(s.n) + i)
	}

	// What was kept by variable returns to the positions that the factorisation has found.
	s.primals.load(s.basis.head)
	s.weights.load(s.basis.head)
	s.duals.clear(s.basis.head)

	// The same variables may be basic at other positions, for which the partition of the rows is the same.
	changed := len(s.factor.dropped) + len(s.factor.filled)
	if changed > 0 || !wasOK {
		s.factor.chargeMoves(s.partition.follow(&s.matrix, s.basis.where))
	}
	if changed > 0 {
		s.primals.invalidate()
		s.duals.invalidate()
	}
	s.primals.loadBounds(s.basis.head, &s.bounds)
	return changed
}

// placeNonbasic gives a nonbasic variable a status that its working bounds allow, near its old one,
// and the value that goes with it. The caller changes the basic variables.
func (s *basicSolution) placeNonbasic(v int32) {
	// The working bounds decide, which are those of phase 1 while it runs.
	lo, up := s.bounds.of(v)
	st := s.basis.status[v]

	// Only a boxed variable has a choice. It keeps its bound, and goes to the one that its reduced cost favours where
	// it was free before.
	switch {
	case isInf(lo) && isInf(up):
		st = AtZero
	case isInf(lo):
		st = AtUpper
	case isInf(up) || lo == up:
		st = AtLower
	case st == AtZero:
		st = AtLower
		if s.duals.ok && s.duals.d[v] < 0 {
			st = AtUpper
		}
	}

	s.rest(v, st)
}

// rest gives the nonbasic variable v a status and the value that goes with it.
func (s *basicSolution) rest(v int32, st VarStatus) {
	s.basis.set(v, st)
	s.primals.place(v, s.bounds.at(v, st))
}

// placeAll places the nonbasic variables.
func (s *basicSolution) placeAll() {
	for v, p := range s.basis.where {
		if p < 0 {
			s.placeNonbasic(int32(v))
		}
	}

	// The basic values belong to other nonbasic ones, and to other bounds.
	s.primals.loadBounds(s.basis.head, &s.bounds)
	s.primals.invalidate()
}

// computeRow computes row r of the basis inverse, with its true edge weight, and returns the old one.
func (s *basicSolution) computeRow(r int32) (old float64) {
	// The right-hand side is the unit vector of position r.
	s.row.rho.Clear()
	s.row.rho.Add(r, 1)
	s.factor.btran(s.row.rho, &s.factor.density.btran, r)
	return s.weights.measure(r, s.row.rho)
}

// computeColumn computes the column of variable q in terms of the basis.
func (s *basicSolution) computeColumn(q int32) {
	// The column of a logical is a negative unit vector; addColumn has both kinds.
	s.aq.Clear()
	s.addColumn(s.aq, q, 1)
	s.factor.ftran(s.aq, &s.factor.density.ftran, true)
}

// saveSpike prepares an exchange for the variable q whose column in terms of the basis is not needed.
func (s *basicSolution) saveSpike(q int32) {
	s.aq.Clear()
	s.addColumn(s.aq, q, 1)
	s.factor.saveSpike(s.aq)
}

// beginTau begins computeTau for the pivot on the row in rho, if there is another thread and enough work for it. where
// is the entering column, or nil if that is not computed yet: then only a solve that does without it is begun.
func (s *basicSolution) beginTau(where *sparse.Vector) {
	if !s.ahead.allowed {
		return
	}
	if part, work := s.factor.partNext(); work < s.ahead.least || part && where == nil {
		return
	}
	s.tau.Copy(s.row.rho)
	s.ahead.begin(&s.factor, s.tau, where)
}

// dropTau ends what beginTau has begun, for a pivot that is not made.
func (s *basicSolution) dropTau() { s.ahead.end(&s.factor, false) }

// computeTau solves B tau = rho where the entering column, which is in aq, has entries. The weights need few digits, so
// small entries are dropped early; that keeps tau sparse where it would fill with noise.
func (s *basicSolution) computeTau() {
	cost, ok := s.ahead.end(&s.factor, true)
	if !ok {
		s.tau.Copy(s.row.rho)
		cost = s.factor.ftranWhere(s.tau, s.aq, &s.factor.density.tau, tauDrop)
	}
	s.factor.countSolve(cost)
}

// flipVariable moves a boxed variable to its other bound and adds the change to flip.
func (s *basicSolution) flipVariable(j int32) {
	to := AtLower
	if s.basis.status[j] == AtLower {
		to = AtUpper
	}

	// The dual objective rises by the reduced cost times the change.
	dx := s.bounds.at(j, to) - s.primals.nonbasic[j]
	s.rest(j, to)
	s.duals.gain(dx * s.duals.d[j])
	s.addColumn(s.flip, j, dx)
}

// subtractFlips updates the basic variables for the changes of nonbasic ones collected in flip.
func (s *basicSolution) subtractFlips() {
	s.factor.ftran(s.flip, &s.factor.density.flip, false)
	s.primals.move(1, s.flip)
	s.flip.Clear()
}

// pivot makes q basic at position r, whose variable leaves with status st at bound. It needs the row, the column and
// tau of this pivot.
func (s *basicSolution) pivot(r, q int32, st VarStatus, bound float64) {
	// The step is how far q moves until the leaving variable is at its bound.
	alpha := s.aq.Value[r]
	theta := (s.primals.basic[r] - bound) / alpha

	s.duals.step(s.duals.d[q]/alpha, &s.row, q, s.basis.head[r])
	s.primals.step(theta, s.aq)
	s.factor.charge(s.aq.N)
	s.weights.update(r, s.aq, s.tau)
	s.exchange(r, q, alpha, st, bound, s.primals.nonbasic[q]+theta)
}

// exchange makes q basic at position r with value x; the old variable gets status st and value bound. The pivot is
// alpha, and the spike of q is saved.
func (s *basicSolution) exchange(r, q int32, alpha float64, st VarStatus, bound, x float64) {
	v := s.basis.head[r]

	// The status, the value, the partition of the rows, and the bounds by position follow the exchange.
	s.basis.exchange(r, q, st)
	s.primals.place(v, bound)
	s.factor.chargeMoves(s.partition.move(&s.matrix, v) + s.partition.move(&s.matrix, q))
	lo, up := s.bounds.of(q)
	s.primals.enter(r, x, lo, up)

	// Values are computed from scratch where the updated factors would not be as good as they must be.
	if !s.factor.replace(r, alpha) {
		s.primals.invalidate()
	}
	s.tabu.clear()
}
