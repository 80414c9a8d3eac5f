package simplex

import (
	"fmt"
	"math"
)

// touch marks variable v: its bounds or status changed and the basic values do not know yet.
func (s *Solver) touch(v int) {
	if !s.primals.isTouched[v] {
		s.primals.isTouched[v] = true
		s.primals.touched = append(s.primals.touched, int32(v))
	}
}

func (s *Solver) fail(format string, args ...any) {
	if s.changes.err == nil {
		s.changes.err = fmt.Errorf("simplex: %w: %s", ErrIndex, fmt.Sprintf(format, args...))
	}
}

func (s *Solver) badBounds(what string, k, n int, lower, upper float64) bool {
	switch {
	case k < 0 || k >= n:
		s.fail("%s %d of %d", what, k, n)
	case math.IsNaN(lower) || math.IsNaN(upper) || math.IsInf(lower, 1) || math.IsInf(upper, -1):
		s.fail("bounds [%g, %g] of %s %d", lower, upper, what, k)
	default:
		return false
	}
	return true
}

// SetColBounds changes the bounds of column j. A lower bound above the upper one makes the model infeasible.
func (s *Solver) SetColBounds(j int, lower, upper float64) {
	if s.badBounds("column", j, s.n, lower, upper) {
		return
	}
	s.setBounds(j, lower/s.colScale[j], upper/s.colScale[j])
}

// SetRowBounds changes the bounds of row i.
func (s *Solver) SetRowBounds(i int, lower, upper float64) {
	if s.badBounds("row", i, s.m, lower, upper) {
		return
	}
	s.setBounds(s.n+i, lower*s.rowScale[i], upper*s.rowScale[i])
}

func (s *Solver) setBounds(v int, lo, up float64) {
	if s.lo[v] == lo && s.up[v] == up {
		return
	}
	s.lo[v], s.up[v] = lo, up
	s.touch(v)
}

// SetCost changes the cost of column j, in the model's sense.
func (s *Solver) SetCost(j int, c float64) {
	if j < 0 || j >= s.n || math.IsNaN(c) || math.IsInf(c, 0) {
		s.fail("cost %g of column %d of %d", c, j, s.n)
		return
	}
	c *= s.sense * s.colScale[j]
	delta := c - s.cost[j]
	if delta == 0 {
		return
	}
	s.costStamp++
	s.cost[j] = c
	s.duals.cost[j] += delta
	if s.basis.status[j] == Basic {
		s.duals.ok = false
	} else {
		s.duals.d[j] += delta
	}
}

// badVector reports an index that is out of range or repeated, or a coefficient that is not finite.
func (s *Solver) badVector(what string, index []int32, value []float64, seen []int32) bool {
	if len(index) != len(value) {
		s.fail("%s with %d indices and %d values", what, len(index), len(value))
		return true
	}
	s.changes.stamp++
	for k, j := range index {
		if j < 0 || int(j) >= len(seen) || seen[j] == s.changes.stamp {
			s.fail("%s with index %d twice or outside [0, %d)", what, j, len(seen))
			return true
		}
		seen[j] = s.changes.stamp
		if v := value[k]; v-v != 0 { // NaN or infinite
			s.fail("%s with coefficient %g", what, value[k])
			return true
		}
	}
	return false
}

// AddRow appends the row lower <= value'x[index] <= upper and returns its number. Its logical becomes
// basic, so that a dual feasible basis stays so. The slices are copied.
func (s *Solver) AddRow(lower, upper float64, index []int32, value []float64) int {
	s.shapeStamp++
	i := s.m
	if s.badBounds("row", 0, 1, lower, upper) || s.badVector("row", index, value, s.changes.seen) {
		return -1
	}
	index, value = s.withoutZeros(index, value)
	scale := s.rowScaleFor(index, value)
	s.rows.AddVec(index, value)
	s.part.addRow(s)
	for k, j := range index {
		s.cols.Append(int(j), int32(i), value[k]*scale*s.colScale[j])
	}
	s.rowScale = append(s.rowScale, scale)
	s.print.addRow(s, i, index, value, scale)
	s.m++
	v := int32(s.n + i)
	s.cost, s.duals.cost = append(s.cost, 0), append(s.duals.cost, 0)
	s.lo, s.up = append(s.lo, lower*scale), append(s.up, upper*scale)
	s.bounds.lo, s.bounds.up = s.lo, s.up
	s.primals.nonbasic, s.duals.d = append(s.primals.nonbasic, 0), append(s.duals.d, 0)
	s.weights.of = append(s.weights.of, 1)
	s.basis.status, s.basis.where = append(s.basis.status, Basic), append(s.basis.where, int32(i))
	s.primals.isTouched = append(s.primals.isTouched, false)
	s.basis.head = append(s.basis.head, v)
	s.primals.basic, s.weights.at = append(s.primals.basic, 0), append(s.weights.at, 1)
	s.primals.lo, s.primals.up = append(s.primals.lo, 0), append(s.primals.up, 0)
	s.primals.infeasible.value, s.primals.infeasible.at = append(s.primals.infeasible.value, 0), append(s.primals.infeasible.at, -1)
	return i
}

func (s *Solver) withoutZeros(index []int32, value []float64) ([]int32, []float64) {
	zero := false
	for _, v := range value {
		zero = zero || v == 0
	}
	if !zero {
		return index, value
	}
	var idx []int32
	var val []float64
	for k, v := range value {
		if v != 0 {
			idx, val = append(idx, index[k]), append(val, v)
		}
	}
	return idx, val
}

// DeleteCols removes the columns with the given numbers, in ascending order; later columns move down,
// in order. A deleted basic column is replaced by a logical.
func (s *Solver) DeleteCols(cols []int) {
	drop := make([]bool, s.n)
	if !s.markDeleted("column", cols, drop) || len(cols) == 0 {
		return
	}
	s.shapeStamp++
	s.numberStamp++
	s.settleForDeletion()
	s.print.ok = false
	for j := range drop {
		if drop[j] && (s.basis.status[j] == Basic || s.primals.nonbasic[j] != 0) {
			s.primals.ok = false
			s.duals.ok = s.duals.ok && s.basis.status[j] != Basic
		}
	}
	s.rows.Renumber(renumbering(drop))
	s.part.deleteCols(s, drop)
	s.cols.DeleteVecs(drop)
	s.compactVariables(0, drop)
	s.colScale = keep(s.colScale, drop)
	s.n -= len(cols)
	s.resizeColumns()
	s.forgetPositions()
}

func (s *Solver) markDeleted(what string, list []int, drop []bool) bool {
	last := -1
	for _, k := range list {
		if k <= last || k >= len(drop) {
			s.fail("deleted %s %d of %d out of order", what, k, len(drop))
			return false
		}
		drop[k], last = true, k
	}
	return true
}

// settleForDeletion brings the values of the basic variables up to date and keeps them by variable,
// because the positions may be about to change.
func (s *Solver) settleForDeletion() {
	if s.basis.ok && s.primals.ok && s.factor.ok {
		s.syncRows()
		s.syncTouched()
	}
	if s.basis.ok {
		for p, v := range s.basis.head {
			s.primals.nonbasic[v] = s.primals.basic[p]
			s.weights.of[v] = s.weights.at[p]
		}
	}
}

// compactVariables removes the variables first+k with drop[k].
func (s *Solver) compactVariables(first int, drop []bool) {
	all := make([]bool, len(s.basis.status))
	copy(all[first:], drop)
	s.cost, s.duals.cost, s.lo, s.up = keep(s.cost, all), keep(s.duals.cost, all), keep(s.lo, all), keep(s.up, all)
	s.bounds.lo, s.bounds.up = s.lo, s.up
	s.primals.nonbasic, s.duals.d, s.weights.of = keep(s.primals.nonbasic, all), keep(s.duals.d, all), keep(s.weights.of, all)
	s.basis.status, s.basis.where = keep(s.basis.status, all), keep(s.basis.where, all)
	s.primals.isTouched = keep(s.primals.isTouched, all)
	s.primals.touched = s.primals.touched[:0]
	for v, t := range s.primals.isTouched {
		if t {
			s.primals.touched = append(s.primals.touched, int32(v))
		}
	}
}

// forgetPositions fits the arrays by position to the number of rows; the basis must be factored anew.
func (s *Solver) forgetPositions() {
	s.factor.ok, s.basis.ok = false, false
	s.basis.head, s.primals.basic, s.weights.at = s.basis.head[:s.m], s.primals.basic[:s.m], s.weights.at[:s.m]
	s.primals.lo, s.primals.up = s.primals.lo[:s.m], s.primals.up[:s.m]
	s.primals.infeasible.value, s.primals.infeasible.at = s.primals.infeasible.value[:s.m], s.primals.infeasible.at[:s.m]
}

func keep[T any](v []T, drop []bool) []T {
	to := 0
	for k, x := range v {
		if !drop[k] {
			v[to] = x
			to++
		}
	}
	return v[:to]
}

func renumbering(drop []bool) []int32 {
	to := make([]int32, len(drop))
	next := int32(0)
	for k, d := range drop {
		to[k] = -1
		if !d {
			to[k] = next
			next++
		}
	}
	return to
}

// AddCol appends a column and returns its number. It becomes nonbasic at the finite bound nearest
// zero. The slices are copied.
func (s *Solver) AddCol(cost, lower, upper float64, index []int32, value []float64) int {
	seen := make([]int32, s.m)
	if s.badBounds("column", 0, 1, lower, upper) || s.badVector("column", index, value, seen) {
		return -1
	}
	if math.IsNaN(cost) || math.IsInf(cost, 0) {
		s.fail("cost %g of a new column", cost)
		return -1
	}
	s.shapeStamp++
	s.numberStamp++
	j := s.n
	index, value = s.withoutZeros(index, value)
	scale := s.colScaleFor(index, value)
	scaled := make([]float64, len(value))
	d := s.sense * cost * scale
	for k, i := range index {
		scaled[k] = value[k] * scale * s.rowScale[i]
		s.rows.Append(int(i), int32(j), value[k])
		s.part.addEntry(s, i)
		d -= scaled[k] * s.duals.d[j+int(i)] // the dual value of a row is the reduced cost of its logical
	}
	s.cols.AddVec(index, scaled)
	s.part.basic = append(s.part.basic, false)
	s.colScale = append(s.colScale, scale)
	s.insertVariable(j, lower/scale, upper/scale, s.sense*cost*scale, d)
	s.n++
	s.print.ok = false
	s.resizeColumns()
	return j
}

func (s *Solver) insertVariable(v int, lo, up, cost, d float64) {
	s.cost, s.duals.cost = insert(s.cost, v, cost), insert(s.duals.cost, v, cost)
	s.lo, s.up = insert(s.lo, v, lo), insert(s.up, v, up)
	s.bounds.lo, s.bounds.up = s.lo, s.up
	s.primals.nonbasic, s.duals.d = insert(s.primals.nonbasic, v, 0), insert(s.duals.d, v, d)
	s.weights.of = insert(s.weights.of, v, 1)
	st := AtLower
	if isInf(lo) || !isInf(up) && math.Abs(up) < math.Abs(lo) {
		st = AtUpper
	}
	s.basis.status, s.basis.where = insert(s.basis.status, v, st), insert(s.basis.where, v, -1)
	s.primals.isTouched = insert(s.primals.isTouched, v, false)
	for p, h := range s.basis.head {
		if int(h) >= v {
			s.basis.head[p]++
		}
	}
	for k, t := range s.primals.touched {
		if int(t) >= v {
			s.primals.touched[k]++
		}
	}
	s.touch(v)
}

func insert[T any](s []T, at int, x T) []T {
	s = append(s, x)
	copy(s[at+1:], s[at:])
	s[at] = x
	return s
}
