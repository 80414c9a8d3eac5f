package simplex

import (
	"fmt"
	"math"
)

// touch marks variable v: its bounds or status changed and the basic values do not know yet.
func (s *Solver) touch(v int) {
	if !s.isTouch[v] {
		s.isTouch[v] = true
		s.touched = append(s.touched, int32(v))
	}
}

func (s *Solver) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("simplex: %w: %s", ErrIndex, fmt.Sprintf(format, args...))
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
	s.wc[j] += delta
	if s.status[j] == Basic {
		s.dualOK = false
	} else {
		s.d[j] += delta
	}
}

// badVector reports an index that is out of range or repeated, or a coefficient that is not finite.
func (s *Solver) badVector(what string, index []int32, value []float64, seen []int32) bool {
	if len(index) != len(value) {
		s.fail("%s with %d indices and %d values", what, len(index), len(value))
		return true
	}
	s.seenStamp++
	for k, j := range index {
		if j < 0 || int(j) >= len(seen) || seen[j] == s.seenStamp {
			s.fail("%s with index %d twice or outside [0, %d)", what, j, len(seen))
			return true
		}
		seen[j] = s.seenStamp
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
	if s.badBounds("row", 0, 1, lower, upper) || s.badVector("row", index, value, s.seenCol) {
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
	s.cost, s.wc = append(s.cost, 0), append(s.wc, 0)
	s.lo, s.up = append(s.lo, lower*scale), append(s.up, upper*scale)
	s.wlo, s.wup = s.lo, s.up
	s.x, s.d = append(s.x, 0), append(s.d, 0)
	s.weightOf = append(s.weightOf, 1)
	s.status, s.where = append(s.status, Basic), append(s.where, int32(i))
	s.isTouch = append(s.isTouch, false)
	s.head = append(s.head, v)
	s.xb, s.weight = append(s.xb, 0), append(s.weight, 1)
	s.blo, s.bup = append(s.blo, 0), append(s.bup, 0)
	s.inf.value, s.inf.at = append(s.inf.value, 0), append(s.inf.at, -1)
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
		if drop[j] && (s.status[j] == Basic || s.x[j] != 0) {
			s.primalOK = false
			s.dualOK = s.dualOK && s.status[j] != Basic
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
	if s.headOK && s.primalOK && s.factorOK {
		s.syncRows()
		s.syncTouched()
	}
	if s.headOK {
		for p, v := range s.head {
			s.x[v] = s.xb[p]
			s.weightOf[v] = s.weight[p]
		}
	}
}

// compactVariables removes the variables first+k with drop[k].
func (s *Solver) compactVariables(first int, drop []bool) {
	all := make([]bool, len(s.status))
	copy(all[first:], drop)
	s.cost, s.wc, s.lo, s.up = keep(s.cost, all), keep(s.wc, all), keep(s.lo, all), keep(s.up, all)
	s.wlo, s.wup = s.lo, s.up
	s.x, s.d, s.weightOf = keep(s.x, all), keep(s.d, all), keep(s.weightOf, all)
	s.status, s.where = keep(s.status, all), keep(s.where, all)
	s.isTouch = keep(s.isTouch, all)
	s.touched = s.touched[:0]
	for v, t := range s.isTouch {
		if t {
			s.touched = append(s.touched, int32(v))
		}
	}
}

// forgetPositions fits the arrays by position to the number of rows; the basis must be factored anew.
func (s *Solver) forgetPositions() {
	s.factorOK, s.headOK = false, false
	s.head, s.xb, s.weight = s.head[:s.m], s.xb[:s.m], s.weight[:s.m]
	s.blo, s.bup = s.blo[:s.m], s.bup[:s.m]
	s.inf.value, s.inf.at = s.inf.value[:s.m], s.inf.at[:s.m]
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
		d -= scaled[k] * s.d[j+int(i)] // the dual value of a row is the reduced cost of its logical
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
	s.cost, s.wc = insert(s.cost, v, cost), insert(s.wc, v, cost)
	s.lo, s.up = insert(s.lo, v, lo), insert(s.up, v, up)
	s.wlo, s.wup = s.lo, s.up
	s.x, s.d = insert(s.x, v, 0), insert(s.d, v, d)
	s.weightOf = insert(s.weightOf, v, 1)
	st := AtLower
	if isInf(lo) || !isInf(up) && math.Abs(up) < math.Abs(lo) {
		st = AtUpper
	}
	s.status, s.where = insert(s.status, v, st), insert(s.where, v, -1)
	s.isTouch = insert(s.isTouch, v, false)
	for p, h := range s.head {
		if int(h) >= v {
			s.head[p]++
		}
	}
	for k, t := range s.touched {
		if int(t) >= v {
			s.touched[k]++
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
