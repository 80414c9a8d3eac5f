package simplex

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// ErrIndex is wrapped by the error of the first Solve after a change that named a row or column that
// does not exist, repeated an index, or held a value with no meaning. That change was not made.
var ErrIndex = errors.New("invalid change")

// changes checks changes of the model.
type changes struct {
	err   error   // first bad change, returned by Solve
	seen  []int32 // by column: the last vector that named it
	stamp int32
}

// fail keeps the first error.
func (c *changes) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("simplex: %w: %s", ErrIndex, fmt.Sprintf(format, args...))
	}
}

// take returns the first error and clears it.
func (c *changes) take() error {
	err := c.err
	c.err = nil
	return err
}

// badBounds reports bounds without a meaning and a number k outside [0, n).
func (c *changes) badBounds(what string, k, n int, lower, upper float64) bool {
	// The first reason counts; NaN fails the comparisons.
	switch {
	case k < 0 || k >= n:
		c.fail("%s %d of %d", what, k, n)
	case !(lower < math.Inf(1)) || !(upper > math.Inf(-1)): // NaN included
		c.fail("bounds [%g, %g] of %s %d", lower, upper, what, k)
	default:
		return false
	}
	return true
}

// badVector reports an index outside [0, n) or repeated, or a coefficient that is not finite.
func (c *changes) badVector(what string, index []int32, value []float64, n int) bool {
	if len(index) != len(value) {
		c.fail("%s with %d indices and %d values", what, len(index), len(value))
		return true
	}

	// A column has been named before by this vector if it has its stamp.
	if more := n - len(c.seen); more > 0 {
		c.seen = append(c.seen, make([]int32, more)...)
	}
	c.stamp++
	for k, j := range index {
		if j < 0 || int(j) >= n || c.seen[j] == c.stamp {
			c.fail("%s with index %d twice or outside [0, %d)", what, j, n)
			return true
		}
		c.seen[j] = c.stamp
		if v := value[k]; v-v != 0 { // NaN or infinite
			c.fail("%s with coefficient %g", what, v)
			return true
		}
	}
	return false
}

// deleted returns which of n rows or columns the list, in ascending order, names; nil for none or a bad list.
func deleted[H ~int32](c *changes, what string, list []H, n int) []bool {
	if len(list) == 0 {
		return nil
	}

	// The list must be ascending, so that no index comes twice.
	drop := make([]bool, n)
	last := -1
	for _, h := range list {
		k := int(h)
		if k <= last || k >= n {
			c.fail("deleted %s %d of %d out of order", what, k, n)
			return nil
		}
		drop[k] = true
		last = k
	}
	return drop
}

// SetColBounds changes the bounds of a column. A lower bound above the upper one makes the model infeasible.
func (s *Solver) SetColBounds(v lp.Var, lower, upper float64) {
	j := int(v)
	if !s.changes.badBounds("column", j, s.n, lower, upper) {
		s.changeBounds(j, lower, upper)
	}
}

// SetRowBounds changes the bounds of a row.
func (s *Solver) SetRowBounds(c lp.Con, lower, upper float64) {
	i := int(c)
	if !s.changes.badBounds("row", i, s.m, lower, upper) {
		s.changeBounds(s.n+i, lower, upper)
	}
}

// changeBounds gives variable v other bounds, in the units of the model. The basic values follow at the next Solve.
func (s *basicSolution) changeBounds(v int, lower, upper float64) {
	// The solver works in scaled units.
	unit := s.unit(int32(v))
	if s.setBounds(v, lower/unit, upper/unit) {
		s.primals.touch(v)
	}
}

// SetCost changes the cost of a column, in the model's sense.
func (s *Solver) SetCost(v lp.Var, c float64) {
	j := int(v)
	if j < 0 || j >= s.n || c-c != 0 { // NaN or infinite
		s.changes.fail("cost %g of column %d of %d", c, j, s.n)
		return
	}

	if delta := s.setCost(j, c); delta != 0 {
		s.duals.changeCost(j, delta, s.basis.status[j] == Basic)
	}
}

// AddRow appends the row lower <= value'x[index] <= upper and returns its handle. Its logical becomes
// basic, so that a dual feasible basis stays so. The slices are copied. A bad row is not added: the handle is -1, and
// the next Solve returns the error.
func (s *Solver) AddRow(lower, upper float64, index []int32, value []float64) lp.Con {
	if s.changes.badBounds("row", 0, 1, lower, upper) || s.changes.badVector("row", index, value, s.n) {
		return -1
	}

	index, value = withoutZeros(index, value)
	s.addRow(lower, upper, index, value)
	return lp.Con(s.m - 1)
}

// addRow adds a row with a basic logical.
func (s *basicSolution) addRow(lower, upper float64, index []int32, value []float64) {
	s.problem.addRow(lower, upper, index, value)
	s.basis.addRow(int32(s.n + s.m - 1))
	s.bounds.ofModel(&s.problem)
	s.primals.addRow()
	s.duals.addRow()
	s.weights.addRow()
}

// AddCol appends a column and returns its handle. It becomes nonbasic at the finite bound nearest
// zero. The slices are copied. A bad column is not added, as a bad row is not.
func (s *Solver) AddCol(cost, lower, upper float64, index []int32, value []float64) lp.Var {
	if s.changes.badBounds("column", 0, 1, lower, upper) || s.changes.badVector("column", index, value, s.m) {
		return -1
	}
	if math.IsNaN(cost) || math.IsInf(cost, 0) {
		s.changes.fail("cost %g of a new column", cost)
		return -1
	}

	index, value = withoutZeros(index, value)
	s.addCol(cost, lower, upper, index, value)
	return lp.Var(s.n - 1)
}

// addCol adds a nonbasic column.
func (s *basicSolution) addCol(cost, lower, upper float64, index []int32, value []float64) {
	j := s.n
	s.problem.addCol(cost, lower, upper, index, value)

	// The dual value of a row is the reduced cost of its logical; the new column is still missing there.
	d := s.cost[j]
	index, value = s.cols.Vec(j)
	for k, i := range index {
		d -= value[k] * s.duals.d[j+int(i)]
	}

	s.basis.insert(j, s.nearestZero(j))
	s.bounds.ofModel(&s.problem)
	s.primals.insert(j)
	s.duals.insert(j, s.cost[j], d)
	s.weights.insert(j)
	s.row.resizeColumns(s.n)
}

// DeleteCols removes columns, given in ascending order; the handles of later ones move down, in order. A deleted basic
// column is replaced by a logical.
func (s *Solver) DeleteCols(cols []lp.Var) {
	if drop := deleted(&s.changes, "column", cols, s.n); drop != nil {
		s.deleteCols(drop)
	}
}

// deleteCols removes the columns with drop. Values and reduced costs stay where nothing depends on the columns.
func (s *basicSolution) deleteCols(drop []bool) {
	s.storeBasic()
	for j := range drop {
		isBasic := s.basis.status[j] == Basic
		// Without a basic column multipliers and basic values are others, without a nonbasic one that is not zero the
		// basic values are.
		if drop[j] && isBasic {
			s.duals.invalidate()
		}
		if drop[j] && (isBasic || s.primals.nonbasic[j] != 0) {
			s.primals.invalidate()
		}
	}

	s.deleteColumns(drop)
	s.deleteVariables(0, drop)
	s.row.resizeColumns(s.n)
	s.dropPositions()
}

// DeleteRows removes rows, given in ascending order; the handles of later ones move down, in order.
// A deleted row whose logical is nonbasic leaves a basis with too many columns, one of which becomes
// nonbasic. Where all of the rows are slack and none has had a pivot since the last factorisation, as
// of cuts that never bind, the factors stay.
func (s *Solver) DeleteRows(rows []lp.Con) {
	if drop := deleted(&s.changes, "row", rows, s.m); drop != nil {
		s.deleteRows(rows, drop)
	}
}

// deleteRows removes rows, which drop marks, and keeps the factors if that is possible.
func (s *basicSolution) deleteRows(rows []lp.Con, drop []bool) {
	s.storeBasic()
	to := renumbering(drop)
	valid := s.basis.ok && s.primals.ok && s.factor.ok
	kept := valid && s.factor.m == s.m && s.isSlackAt(rows)
	kept = kept && s.factor.deleteRows(rows, to)

	// The values rest on a row that is not slack.
	for _, i := range rows {
		if s.basis.status[s.n+int(i)] != Basic {
			s.primals.invalidate()
			s.duals.invalidate()
		}
	}
	s.matrix.deleteRows(drop, to)
	s.deleteVariables(s.n, drop)
	if !kept {
		s.dropPositions()
		return
	}

	s.basis.deletePositions(drop, to, int32(s.n))
	s.primals.deletePositions(drop)
	s.weights.deletePositions(drop)
	s.resizeRows()
	s.primals.findInfeasible()
}

// isSlackAt reports whether each of the rows has its own logical at its position.
func (s *basicSolution) isSlackAt(rows []lp.Con) bool {
	return !slices.ContainsFunc(rows, func(i lp.Con) bool { return int(s.basis.head[i]) != s.n+int(i) })
}

// storeBasic brings the values of the basic variables up to date and keeps them by variable,
// because the positions may be about to change.
func (s *basicSolution) storeBasic() {
	if !s.basis.ok {
		return
	}

	// Rows and bounds that were changed since the last Solve are brought up to date first.
	if s.primals.ok && s.factor.ok {
		s.syncRows()
		s.syncTouched()
	}

	s.primals.store(s.basis.head)
	s.weights.store(s.basis.head)
}

// deleteVariables removes the variables first+k with drop[k].
func (s *basicSolution) deleteVariables(first int, drop []bool) {
	all := make([]bool, len(s.basis.status))
	copy(all[first:], drop)

	s.problem.deleteVariables(all)
	s.basis.deleteVariables(all)
	s.bounds.ofModel(&s.problem)
	s.primals.deleteVariables(all)
	s.duals.deleteVariables(all)
	s.weights.deleteVariables(all)
}

// dropPositions fits what is by position to the number of rows; the basis must be factored anew.
func (s *basicSolution) dropPositions() {
	s.factor.invalidate()
	s.basis.truncate(s.m)
	s.primals.truncate(s.m)
	s.weights.truncate(s.m)
}
