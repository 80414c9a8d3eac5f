package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/program"
)

// slackRow is a row removed because it no longer restricts anything.
type slackRow struct{ i int32 }

// undo makes the logical of the row basic.
func (r *slackRow) undo(s *restore) { s.basicRow(r.i) }

// dropSlackRow removes row i, which restricts nothing.
func (p *problem) dropSlackRow(i int32) {
	p.stack.push(&slackRow{i})
	p.DropRow(i)
}

// shortRow removes row i, which has at most one entry, or finds that it cannot hold. It reports whether it has done so.
func (p *problem) shortRow(i int32) bool {
	// A row with one entry is a bound.
	if p.A.RowLen[i] == 1 {
		return p.has(SingletonRows) && p.singletonRow(i)
	}

	// An empty row has activity zero.
	tol := infeasTol * (1 + max(activity.FiniteSize(p.RowLo[i]), activity.FiniteSize(p.RowUp[i])))
	switch {
	case p.RowLo[i] > tol || p.RowUp[i] < -tol:
		p.fail(Infeasible)
	case p.has(RedundantRows):
		p.dropSlackRow(i)
	}
	return true
}

// singletonRow is a row v x_j whose sides have become bounds of x_j.
type singletonRow struct {
	i, j                int32
	v                   float64
	newLo, newUp, fixed bool // bounds of x_j that come from the row, and whether they are equal; see owner
}

// singletonRow turns the sides of row i into bounds of its column, unless the entry is too small to divide by.
func (p *problem) singletonRow(i int32) bool {
	e := p.A.E[p.A.RowHead[i]]
	if math.Abs(e.Val) < program.PivotAbs {
		return false
	}

	// The sides divided by the entry are bounds of the column.
	lo, up := activity.Divide(p.RowLo[i], p.RowUp[i], e.Val)

	r := &singletonRow{i: i, j: e.Col, v: e.Val}
	r.newLo, r.newUp = p.tightenCol(e.Col, lo, up)
	r.fixed = p.Lo[e.Col] == p.Up[e.Col]
	p.stack.push(r)
	p.DropRow(i)
	return true
}

// undo gives the dual to the row, and makes the column basic, if the column rests on a bound that comes from the row.
func (r *singletonRow) undo(s *restore) {
	s.basicRow(r.i)

	// The row has a basic logical, unless the column rests on a bound that comes from the row.
	st, owned := owner(s.col[r.j], s.d[r.j], r.newLo, r.newUp, r.fixed)
	s.col[r.j] = st
	if owned {
		s.y[r.i] = s.d[r.j] / r.v
		s.row[r.i] = sideFor(st, r.v > 0)
		s.basicCol(r.j)
	}
}

// impliedRow compares row i with the bounds of its activity: it may be impossible, redundant or forcing. A side that
// cannot be violated becomes infinite. It reports whether the row is removed or impossible.
func (p *problem) impliedRow(i int32) bool {
	if p.A.RowLen[i] == 0 {
		return false
	}

	// The range of the activity within the bounds, and its rounding error.
	t := p.Activity(i)
	noise := program.RoundTol * t.Size
	least, greatest := t.Lower(), t.Upper()
	lo, up := p.RowLo[i], p.RowUp[i]
	tolLo := 1 + activity.FiniteSize(lo)
	tolUp := 1 + activity.FiniteSize(up)

	// A row that holds at its extreme activity only forces all columns to bounds.
	switch {
	case greatest < lo-infeasTol*tolLo-noise || least > up+infeasTol*tolUp+noise:
		p.fail(Infeasible)
		return true
	case p.has(ForcingRows) && greatest <= lo+feasTol*tolLo && !math.IsInf(lo, -1):
		p.forcing(i, true)
		return true
	case p.has(ForcingRows) && least >= up-feasTol*tolUp && !math.IsInf(up, 1):
		p.forcing(i, false)
		return true
	}
	if !p.has(RedundantRows) {
		return false
	}

	// A side that the bounds of the columns imply restricts nothing.
	if least-noise >= lo-feasTol*tolLo {
		p.RowLo[i] = math.Inf(-1)
	}
	if greatest+noise <= up+feasTol*tolUp {
		p.RowUp[i] = math.Inf(1)
	}
	if math.IsInf(p.RowLo[i], -1) && math.IsInf(p.RowUp[i], 1) {
		p.dropSlackRow(i)
		return true
	}
	if p.RowLo[i] != lo || p.RowUp[i] != up { // its columns may now be dominated
		p.TouchCols(i)
	}
	return false
}

// forcingRow is a row that holds only with every column at one of its bounds, where the activity is largest or least.
// The columns are removed immediately after it.
type forcingRow struct {
	i   int32
	row vec
	max bool // the largest activity is the lower side; otherwise the least is the upper side
}

// forcing removes row i, and fixes its columns at the bounds of the largest or the least activity.
func (p *problem) forcing(i int32, atMax bool) {
	// The columns are fixed one by one, each with a record of its own behind that of the row.
	v := p.saveRow(i, -1)
	p.stack.push(&forcingRow{i, v, atMax})
	p.DropRow(i)
	for k := v.lo; k < v.hi; k++ {
		st := sideFor(AtUpper, p.stack.value[k] > 0 == atMax)
		p.fixAt(p.stack.index[k], st)
	}
}

// undo gives the row the dual nearest to zero for which every reduced cost has the right sign. The column whose reduced
// cost becomes zero becomes basic.
func (r *forcingRow) undo(s *restore) {
	// The ratio d_j / a_ij is the dual at which the reduced cost of column j becomes zero.
	index, value := s.get(r.row)
	y := 0.0
	at := -1
	for k, j := range index {
		v := s.d[j] / value[k]
		further := v > y
		if !r.max {
			further = v < y
		}
		if further {
			y = v
			at = k
		}
	}

	if at < 0 { // all reduced costs have the right sign
		s.basicRow(r.i)
		return
	}

	s.y[r.i] = y
	s.row[r.i] = sideFor(AtLower, r.max)
	for k, j := range index {
		s.d[j] -= value[k] * y
	}
	s.basicCol(index[at])
}
