package simplex

import (
	"math"
	"slices"
)

// duals are the working costs, which may be perturbed and shifted, and the reduced costs that belong to them.
type duals struct {
	cost      []float64 // by variable
	d         []float64 // reduced cost by variable; 0 where basic
	tol       float64   // feasibility tolerance in force
	objective float64   // of the working problem
	ok        bool      // d belongs to cost
	modified  bool      // cost is not that of the model
	perturbed bool      // ... at random
	rng       uint64    // state of the random numbers of the perturbations
}

// load takes the costs of the model.
func (y *duals) load(cost []float64) {
	y.cost = slices.Clone(cost)
	y.d = make([]float64, len(cost))
}

// invalidate marks the reduced costs as wrong; they must be computed from scratch.
func (y *duals) invalidate() { y.ok = false }

// setTolerance sets the tolerance by which signs of reduced costs are judged.
func (y *duals) setTolerance(tol float64) { y.tol = tol }

// seed starts the random numbers anew.
func (y *duals) seed(seed uint64) { y.rng = seed }

// restart takes the costs of the model, unperturbed.
func (y *duals) restart(cost []float64) {
	copy(y.cost, cost)
	y.modified = false
	y.perturbed = false
	y.ok = false
}

// changeCost adds delta to the cost of v.
func (y *duals) changeCost(v int, delta float64, basic bool) {
	y.cost[v] += delta

	// The cost of a basic variable changes the multipliers, and with them every reduced cost.
	if basic {
		y.invalidate()
	} else {
		y.d[v] += delta
	}
}

// shift changes the working cost of v so that its reduced cost becomes want.
func (y *duals) shift(v int32, want float64) {
	// The cost takes the difference, so that the reduced cost stays c_j - a_j'y.
	y.cost[v] += want - y.d[v]
	y.d[v] = want
	y.modified = true
}

// set sets the reduced cost of v.
func (y *duals) set(v int32, d float64) { y.d[v] = d }

// step subtracts theta times the pivotal row from the reduced costs; q enters and v leaves the basis.
func (y *duals) step(theta float64, row *pivotRow, q, v int32) {
	if theta != 0 {
		for k, j := range row.index {
			y.d[j] -= theta * row.value[k]
		}
	}

	// These two are exact, whatever the rounding of the row.
	y.d[q] = 0
	y.d[v] = -theta
}

// setObjective sets the objective, which is that of a given point.
func (y *duals) setObjective(objective float64) { y.objective = objective }

// gain adds to the objective what a step gains.
func (y *duals) gain(amount float64) { y.objective += amount }

// clear makes the reduced costs of the basic variables zero.
func (y *duals) clear(head []int32) {
	for _, v := range head {
		y.d[v] = 0
	}
}

// restore goes back to reduced costs of the costs of the model.
func (y *duals) restore(d []float64) {
	copy(y.d, d)
	y.ok = true
}

// addRow makes room for a row with a basic logical.
func (y *duals) addRow() {
	y.cost = append(y.cost, 0)
	y.d = append(y.d, 0)
}

// insert makes room for the new nonbasic variable v with its cost and reduced cost.
func (y *duals) insert(v int, cost, d float64) {
	y.cost = slices.Insert(y.cost, v, cost)
	y.d = slices.Insert(y.d, v, d)
}

// deleteVariables removes the variables with drop.
func (y *duals) deleteVariables(drop []bool) {
	y.cost = keep(y.cost, drop)
	y.d = keep(y.d, drop)
}

// random returns the next number of a splitmix64 sequence, in [0, 1) (Steele, Lea and Flood 2014).
func (y *duals) random() float64 {
	y.rng += 0x9e3779b97f4a7c15
	return mix(y.rng)
}

// mix returns the output function of splitmix64 at z as a number in [0, 1).
func mix(z uint64) float64 {
	// The constants are those of the authors; the upper 53 bits make the fraction of a float64.
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64((z^z>>31)>>11) / (1 << 53)
}

// ensureDuals computes the reduced costs if they are not valid.
func (s *basicSolution) ensureDuals() {
	if !s.duals.ok {
		s.computeDuals()
	}
}

// computeDuals computes the reduced costs d = c - A'y from the working costs, with B'y = c_B.
func (s *basicSolution) computeDuals() {
	// The multipliers y; the row y'[A, -I] is then the difference between costs and reduced costs.
	y := s.work
	y.Clear()
	cost := s.duals.cost
	for p, v := range s.basis.head {
		if c := cost[v]; c != 0 {
			y.Add(int32(p), c)
		}
	}
	dense := 1.0
	s.factor.btran(y, &dense, -1)

	// The reduced cost of a basic variable is zero by definition.
	d := s.duals.d
	for v := range d {
		d[v] = 0
		if s.basis.where[v] < 0 {
			d[v] = cost[v]
		}
	}

	s.price(y)
	for k, j := range s.row.index {
		d[j] -= s.row.value[k]
	}
	y.Clear()
	s.duals.ok = true
}

// restoreCosts undoes all perturbations and shifts.
func (s *basicSolution) restoreCosts() {
	y := &s.duals
	if !y.modified {
		return
	}

	// The reduced cost of a basic variable changes as well, so that RowDual and ReducedCost stay consistent.
	basic := false
	for v, c := range s.cost {
		if delta := c - y.cost[v]; delta != 0 {
			y.cost[v] = c
			y.d[v] += delta
			basic = basic || s.basis.status[v] == Basic
		}
	}
	y.modified = false
	y.perturbed = false
	if basic {
		y.invalidate()
	}
}

// infeasibleDual reports whether the reduced cost of the nonbasic variable v has the wrong sign by more
// than tol. A fixed variable may have either sign.
func (s *basicSolution) infeasibleDual(v int, tol float64) bool {
	// The reduced cost of a nonbasic variable is nonnegative at the lower bound, nonpositive at the upper one.
	right := AtLower // where the sign of the reduced cost is right
	switch d := s.duals.d[v]; {
	case d > tol:
	case d < -tol:
		right = AtUpper
	default:
		return false
	}

	st := s.basis.status[v]
	return st != right && st != Basic && s.bounds.lo[v] != s.bounds.up[v]
}

// mustShift reports whether a nonbasic variable is dual infeasible and has no other bound to go to.
func (s *basicSolution) mustShift() bool {
	for v := range s.duals.d {
		if s.infeasibleDual(v, s.duals.tol) && !s.isBoxed(v) {
			return true
		}
	}
	return false
}

// correctDuals makes the basis dual feasible for the working problem: boxed variables go to the bound
// where the sign of their reduced cost is right; the costs of the others are shifted. Values of basic variables
// follow where they are valid.
func (s *basicSolution) correctDuals() {
	s.flip.Clear()
	flipped := false
	for v := range s.duals.d {
		if !s.infeasibleDual(v, s.duals.tol) {
			continue
		}

		// A variable with an infinite bound cannot flip: its cost moves instead.
		if isInf(s.bounds.lo[v]) || isInf(s.bounds.up[v]) {
			s.shiftCost(v)
			continue
		}
		flipped = true
		s.flipVariable(int32(v))
	}

	// Basic values that are not valid are computed later in any case.
	if flipped && s.primals.ok && s.factor.ok {
		s.subtractFlips()
	} else if flipped {
		s.primals.invalidate()
	}
	s.flip.Clear()
}

// shiftCost changes the working cost of v so that its reduced cost is feasible and, but for a free variable, not zero:
// a reduced cost of zero would be one more degenerate breakpoint.
func (s *basicSolution) shiftCost(v int) {
	// The random factor keeps shifted costs apart.
	want := (1 + s.duals.random()) * s.duals.tol

	switch s.basis.status[v] {
	case AtZero:
		want = 0
	case AtUpper:
		want = -want
	}
	s.duals.shift(int32(v), want)
}

// columnDual returns the reduced cost of q by its column, which is in aq, and the sum of the absolute terms.
func (s *basicSolution) columnDual(q int32) (d, size float64) {
	cost := s.duals.cost

	// The terms are added up with their sizes, which bound the rounding error.
	d = cost[q]
	size = math.Abs(d)

	// d_q = c_q - c_B' B^-1 a_q
	for _, p := range s.aq.Index[:s.aq.N] {
		t := cost[s.basis.head[p]] * s.aq.Value[p]
		d -= t
		size += math.Abs(t)
	}
	return d, size
}

// findObjective computes the objective of the working problem.
func (s *basicSolution) findObjective() { s.duals.objective = s.workingObjective() }

// workingObjective returns the working cost of the current basic solution, which is the dual
// objective of the working problem.
func (s *basicSolution) workingObjective() float64 {
	sum := 0.0
	for v, c := range s.duals.cost {
		if c != 0 {
			sum += c * s.current(v)
		}
	}
	return sum
}

// dualFeasible reports whether no reduced cost has the wrong sign.
func (s *basicSolution) dualFeasible() bool {
	for v := range s.duals.d {
		if s.infeasibleDual(v, s.duals.tol) {
			return false
		}
	}
	return true
}
