package simplex

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/sparse"
)

// primals are the scaled values of the variables. The values of basic variables follow from those of the others:
// they are valid but for variables that have been touched, and for rows added since.
type primals struct {
	nonbasic   []float64 // by variable: its value, where nonbasic
	basic      []float64 // by position: the value of the basic variable
	lo, up     []float64 // by position: the working bounds of the basic variable
	infeasible infeasibilities
	tol        float64 // feasibility tolerance in force
	farthest   float64 // longest step since the basic values were computed from scratch
	ok         bool
	touched    []int32 // variables whose bounds or status changed since the last Solve
	isTouched  []bool
}

// resize makes room for variables and rows.
func (x *primals) resize(variables, rows int) {
	x.nonbasic = make([]float64, variables)
	x.isTouched = make([]bool, variables)
	x.basic = make([]float64, rows)
	x.lo = make([]float64, rows)
	x.up = make([]float64, rows)
	x.infeasible.resize(rows)
}

// invalidate marks the basic values as wrong; they must be computed from scratch.
func (x *primals) invalidate() { x.ok = false }

// touch marks v: its bounds or status have changed, and the basic values do not follow from that yet.
func (x *primals) touch(v int) {
	if !x.isTouched[v] {
		x.isTouched[v] = true
		x.touched = append(x.touched, int32(v))
	}
}

// clearTouched takes all marks away: the basic values follow from all changes.
func (x *primals) clearTouched() {
	for _, v := range x.touched {
		x.isTouched[v] = false
	}
	x.touched = x.touched[:0]
}

// place gives the nonbasic variable v its value.
func (x *primals) place(v int32, value float64) { x.nonbasic[v] = value }

// enter gives position p a variable with value x and bounds.
func (x *primals) enter(p int32, value, lo, up float64) {
	x.basic[p] = value
	x.setBounds(p, lo, up)
}

// setBounds gives the variable at position p other bounds.
func (x *primals) setBounds(p int32, lo, up float64) {
	x.lo[p] = lo
	x.up[p] = up
	x.check(p)
}

// loadBounds takes the bounds of all basic variables.
func (x *primals) loadBounds(head []int32, b *bounds) {
	for p, v := range head {
		x.lo[p], x.up[p] = b.of(v)
	}
	x.findInfeasible()
}

// store keeps the basic values by variable for load: between the two the positions may change.
func (x *primals) store(head []int32) {
	for p, v := range head {
		x.nonbasic[v] = x.basic[p]
	}
}

// load takes the basic values back.
func (x *primals) load(head []int32) {
	for p, v := range head {
		x.basic[p] = x.nonbasic[v]
	}
}

// restore goes back to values that belong together.
func (x *primals) restore(nonbasic, basic []float64) {
	copy(x.nonbasic, nonbasic)
	copy(x.basic, basic)
	x.ok = true
}

// step moves the basic variables by -theta along the column of the entering one, which takes position r.
func (x *primals) step(theta float64, column *sparse.Vector) {
	x.move(theta, column)
	x.farthest = max(x.farthest, math.Abs(theta))
}

// correct adds r to the basic values; the caller finds the infeasibilities anew.
func (x *primals) correct(r []float64) {
	for p, d := range r {
		x.basic[p] += d
	}
}

// violation returns how far the basic variable at r is outside its bounds, and on which side.
func (x *primals) violation(r int32) (amount, sign float64) {
	// At most one of the bounds is violated.
	if over := x.basic[r] - x.up[r]; over > 0 {
		return over, 1
	}
	return x.lo[r] - x.basic[r], -1
}

// end returns the upper or the lower bound of the basic variable at r, and the status of a variable that leaves there.
func (x *primals) end(r int32, upper bool) (bound float64, st VarStatus) {
	if upper {
		return x.up[r], AtUpper
	}
	return x.lo[r], AtLower
}

// feasible reports whether all basic variables are within their bounds.
func (x *primals) feasible() bool { return x.infeasible.none() }

// largest returns the largest basic value, absolute.
func (x *primals) largest() float64 { return sparse.Largest(x.basic) }

// setTolerance sets the tolerance that the next findInfeasible counts by.
func (x *primals) setTolerance(tol float64) { x.tol = tol }

// addRow makes room for a row with a basic logical.
func (x *primals) addRow() {
	x.nonbasic = append(x.nonbasic, 0)
	x.isTouched = append(x.isTouched, false)
	x.basic = append(x.basic, 0)
	x.lo = append(x.lo, 0)
	x.up = append(x.up, 0)
	x.infeasible.addRow()
}

// insert makes room for the new variable v, which is nonbasic and has no value yet.
func (x *primals) insert(v int) {
	x.nonbasic = slices.Insert(x.nonbasic, v, 0)
	x.isTouched = slices.Insert(x.isTouched, v, false)

	for k, t := range x.touched {
		if int(t) >= v {
			x.touched[k]++
		}
	}
	x.touch(v)
}

// deleteVariables removes the variables with drop.
func (x *primals) deleteVariables(drop []bool) {
	x.nonbasic = keep(x.nonbasic, drop)
	x.isTouched = keep(x.isTouched, drop)

	// The list is made anew, since the numbers of the variables have changed.
	x.touched = x.touched[:0]
	for v, t := range x.isTouched {
		if t {
			x.touched = append(x.touched, int32(v))
		}
	}
}

// deletePositions removes the positions with drop; the caller finds the infeasibilities anew.
func (x *primals) deletePositions(drop []bool) {
	x.basic = keep(x.basic, drop)
	x.lo = keep(x.lo, drop)
	x.up = keep(x.up, drop)
}

// truncate leaves the first m positions.
func (x *primals) truncate(m int) {
	x.basic = x.basic[:m]
	x.lo = x.lo[:m]
	x.up = x.up[:m]
	x.infeasible.resize(m)
}

// computed marks the basic values as computed from scratch.
func (x *primals) computed() {
	x.ok = true
	x.farthest = 0
	x.findInfeasible()
}

// ensurePrimals computes the basic variables if their values are not valid.
func (s *Solver) ensurePrimals() {
	if !s.primals.ok {
		s.computePrimals()
	}
}

// computePrimals computes the basic variables from the nonbasic ones: B x_B = -N x_N.
func (s *Solver) computePrimals() {
	// The right-hand side is the sum of the nonbasic columns, which is dense.
	x := s.work
	x.Clear()
	s.moveNonbasic(x.Value)
	s.ftranDense(x)
	copy(s.primals.basic, x.Value)
	x.Clear()

	// Where rounding decides, the residuals correct the values.
	if s.usesDoubled() {
		s.refinePrimals()
	}
	s.primals.computed()
}

// ftranDense solves B x = x in place, where the pattern of x is not known.
func (s *basicSolution) ftranDense(x *sparse.Vector) {
	x.N = -1
	dense := 1.0
	s.factor.ftran(x, &dense, false)
}

// moveNonbasic subtracts the nonbasic variables, each times its column, from r.
func (s *basicSolution) moveNonbasic(r []float64) {
	for j := range s.n {
		t := s.primals.nonbasic[j]
		if s.basis.where[j] >= 0 || t == 0 {
			continue
		}
		index, value := s.cols.Vec(j)
		for p, i := range index {
			r[i] -= value[p] * t
		}
		s.factor.charge(len(index))
	}

	// The column of a logical is -e_i.
	for i := range s.m {
		if s.basis.where[s.n+i] < 0 {
			r[i] += s.primals.nonbasic[s.n+i]
		}
	}
}

// current returns the scaled value of variable v while basic values are being computed.
func (s *basicSolution) current(v int) float64 {
	if p := s.basis.where[v]; p >= 0 {
		return s.primals.basic[p]
	}
	return s.primals.nonbasic[v]
}

// value returns the scaled value of variable v.
func (s *basicSolution) value(v int) float64 {
	if p := s.basis.where[v]; p >= 0 && s.basis.ok {
		return s.primals.basic[p]
	}
	return s.primals.nonbasic[v]
}

// clamped returns the scaled value of v, moved onto a bound that it violates by no more than the
// tolerance.
func (s *basicSolution) clamped(v int) float64 {
	// A violation within the tolerance is not shown in the solution.
	x := s.value(v)
	tol := s.primals.tol

	if x < s.lo[v] && x >= s.lo[v]-tol {
		return s.lo[v]
	}
	if x > s.up[v] && x <= s.up[v]+tol {
		return s.up[v]
	}
	return x
}

// room returns how far the basic variable at p is from the bound in the direction of a.
func (x *primals) room(p int32, a float64) float64 {
	if a > 0 {
		return x.up[p] - x.basic[p]
	}
	return x.basic[p] - x.lo[p]
}
