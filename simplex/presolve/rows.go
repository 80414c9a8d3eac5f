package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/program"
)

// slackRow is a row taken out that no longer restricts anything.
type slackRow struct{ i int32 }

func (r *slackRow) undo(s *restore) { s.y[r.i], s.row[r.i] = 0, Basic }

func (p *problem) dropSlackRow(i int32) {
	p.stack.push(&slackRow{i})
	p.DropRow(i)
}

// shortRow deals with row i if it has no entry or one.
func (p *problem) shortRow(i int32) bool {
	if p.A.RowLen[i] == 0 {
		tol := infeasTol * (1 + max(finiteSize(p.RowLo[i]), finiteSize(p.RowUp[i])))
		switch {
		case p.RowLo[i] > tol || p.RowUp[i] < -tol:
			p.fail(Infeasible)
		case p.has(RedundantRows):
			p.dropSlackRow(i)
		}
		return true
	}
	return p.has(SingletonRows) && p.singletonRow(i)
}

func finiteSize(v float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return math.Abs(v)
}

// singletonRow is a row v x_j that became bounds of x_j.
type singletonRow struct {
	i, j                int32
	v                   float64
	newLo, newUp, fixed bool
}

func (p *problem) singletonRow(i int32) bool {
	e := p.A.E[p.A.RowHead[i]]
	if math.Abs(e.Val) < program.PivotAbs {
		return false
	}
	lo, up := p.RowLo[i]/e.Val, p.RowUp[i]/e.Val
	if e.Val < 0 {
		lo, up = up, lo
	}
	r := &singletonRow{i: i, j: e.Col, v: e.Val}
	r.newLo, r.newUp = p.tightenCol(e.Col, lo, up)
	r.fixed = p.Lo[e.Col] == p.Up[e.Col]
	p.stack.push(r)
	p.DropRow(i)
	return true
}

func (r *singletonRow) undo(s *restore) {
	s.y[r.i], s.row[r.i] = 0, Basic
	st, ours := owner(s.col[r.j], s.d[r.j], r.newLo, r.newUp, r.fixed)
	s.col[r.j] = st
	if !ours {
		return
	}
	s.y[r.i], s.row[r.i] = s.d[r.j]/r.v, sideFor(st, r.v > 0)
	s.d[r.j], s.col[r.j] = 0, Basic
}

// impliedRow compares row i with the bounds of its activity: it may be impossible, redundant or
// forcing. A side that cannot be reached becomes infinite.
func (p *problem) impliedRow(i int32) bool {
	if p.A.RowLen[i] == 0 {
		return false
	}
	t := p.Activity(i)
	noise := program.RoundTol * t.Size
	least, greatest := t.Lower(), t.Upper()
	lo, up := p.RowLo[i], p.RowUp[i]
	tolLo, tolUp := 1+finiteSize(lo), 1+finiteSize(up)
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

// forcingRow is a row that holds only with every column at the bound that it pushes it to. Those
// columns are taken out straight after it.
type forcingRow struct {
	i   int32
	row vec
	max bool // the largest activity is the lower side; else the least is the upper side
}

func (p *problem) forcing(i int32, atMax bool) {
	v := p.saveRow(i, -1)
	p.stack.push(&forcingRow{i, v, atMax})
	p.DropRow(i)
	for k := v.lo; k < v.hi; k++ {
		st := sideFor(AtUpper, p.stack.value[k] > 0 == atMax)
		p.fixAt(p.stack.index[k], st)
	}
}

// undo gives the row the dual nearest zero with which every reduced cost has the right sign; the column
// whose reduced cost that makes zero becomes basic.
func (r *forcingRow) undo(s *restore) {
	index, value := s.get(r.row)
	y, at := 0.0, -1
	for k, j := range index {
		v := s.d[j] / value[k]
		if r.max && v > y || !r.max && v < y {
			y, at = v, k
		}
	}
	if at < 0 {
		s.y[r.i], s.row[r.i] = 0, Basic
		return
	}
	s.y[r.i], s.row[r.i] = y, sideFor(AtLower, r.max)
	for k, j := range index {
		s.d[j] -= value[k] * y
	}
	s.col[index[at]], s.d[index[at]] = Basic, 0
}
