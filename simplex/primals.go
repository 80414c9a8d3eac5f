package simplex

import (
	"math"

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
	x.nonbasic, x.isTouched = make([]float64, variables), make([]bool, variables)
	x.basic, x.lo, x.up = make([]float64, rows), make([]float64, rows), make([]float64, rows)
	x.infeasible.resize(rows)
}

// invalidate says that the basic values must be computed from scratch.
func (x *primals) invalidate() { x.ok = false }

// touch says that bounds or status of v changed and that the basic values do not know yet.
func (x *primals) touch(v int) {
	if !x.isTouched[v] {
		x.isTouched[v] = true
		x.touched = append(x.touched, int32(v))
	}
}

// clearTouched says that the basic values know of all changes.
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
	x.lo[p], x.up[p] = lo, up
	x.check(p)
}

// loadBounds takes the bounds of all basic variables.
func (x *primals) loadBounds(head []int32, b *bounds) {
	for p, v := range head {
		x.lo[p], x.up[p] = b.lo[v], b.up[v]
	}
	x.findInfeasible()
}

// store keeps the basic values by variable, load takes them back: between the two the positions may change.
func (x *primals) store(head []int32) {
	for p, v := range head {
		x.nonbasic[v] = x.basic[p]
	}
}

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
	if over := x.basic[r] - x.up[r]; over > 0 {
		return over, 1
	}
	return x.lo[r] - x.basic[r], -1
}

// feasible reports whether all basic variables are within their bounds.
func (x *primals) feasible() bool { return x.infeasible.none() }

// largest returns the largest basic value, absolute.
func (x *primals) largest() float64 {
	largest := 0.0
	for _, v := range x.basic {
		if v = math.Abs(v); v > largest {
			largest = v
		}
	}
	return largest
}

// setTolerance sets the tolerance that the next findInfeasible counts by.
func (x *primals) setTolerance(tol float64) { x.tol = tol }

// addRow makes room for a row with a basic logical.
func (x *primals) addRow() {
	x.nonbasic, x.isTouched = append(x.nonbasic, 0), append(x.isTouched, false)
	x.basic, x.lo, x.up = append(x.basic, 0), append(x.lo, 0), append(x.up, 0)
	x.infeasible.addRow()
}

// insert makes room for the new variable v, which is nonbasic and has no value yet.
func (x *primals) insert(v int) {
	x.nonbasic, x.isTouched = insert(x.nonbasic, v, 0), insert(x.isTouched, v, false)
	for k, t := range x.touched {
		if int(t) >= v {
			x.touched[k]++
		}
	}
	x.touch(v)
}

// deleteVariables removes the variables with drop.
func (x *primals) deleteVariables(drop []bool) {
	x.nonbasic, x.isTouched = keep(x.nonbasic, drop), keep(x.isTouched, drop)
	x.touched = x.touched[:0]
	for v, t := range x.isTouched {
		if t {
			x.touched = append(x.touched, int32(v))
		}
	}
}

// deletePositions removes the positions with drop; the caller finds the infeasibilities anew.
func (x *primals) deletePositions(drop []bool) {
	x.basic, x.lo, x.up = keep(x.basic, drop), keep(x.lo, drop), keep(x.up, drop)
}

// truncate leaves the first m positions.
func (x *primals) truncate(m int) {
	x.basic, x.lo, x.up = x.basic[:m], x.lo[:m], x.up[:m]
	x.infeasible.resize(m)
}

// ensurePrimals computes the basic variables if their values are not valid.
func (s *Solver) ensurePrimals() {
	if !s.primals.ok {
		s.computePrimals()
	}
}

// computePrimals computes the basic variables from the nonbasic ones.
func (s *Solver) computePrimals() {
	x := s.work
	x.Clear()
	s.moveNonbasic(x.Value)
	x.N = -1
	dense := 1.0
	s.factor.ftran(x, &dense, false)
	copy(s.primals.basic, x.Value)
	x.Clear()
	if s.refines() {
		s.refinePrimals()
	}
	s.primals.ok, s.primals.farthest = true, 0
	s.primals.findInfeasible()
}

// moveNonbasic subtracts the nonbasic variables, each times its column, from r.
func (s *basicSolution) moveNonbasic(r []float64) {
	for j := range s.n {
		if s.basis.where[j] >= 0 || s.primals.nonbasic[j] == 0 {
			continue
		}
		t := s.primals.nonbasic[j]
		index, value := s.cols.Vec(j)
		for p, i := range index {
			r[i] -= value[p] * t
		}
		s.factor.charge(len(index))
	}
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
	x, tol := s.value(v), s.primals.tol
	if x < s.lo[v] && x >= s.lo[v]-tol {
		return s.lo[v]
	}
	if x > s.up[v] && x <= s.up[v]+tol {
		return s.up[v]
	}
	return x
}
