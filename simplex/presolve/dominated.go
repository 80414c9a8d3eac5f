package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/program"
)

// dualBounds are bounds on the duals of the rows that hold for every dual feasible point, and the column
// that each comes from; -1 where it is the sign that the row's own bounds ask for.
type dualBounds struct {
	lo, up       []float64
	loSrc, upSrc []int32
}

// signBounds returns what the bounds of row i say about its dual.
func (p *problem) signBounds(i int32) (lo, up float64) {
	lo, up = math.Inf(-1), math.Inf(1)
	if math.IsInf(p.RowUp[i], 1) {
		lo = 0
	}
	if math.IsInf(p.RowLo[i], -1) {
		up = 0
	}
	return lo, up
}

// dualRange returns the range of the sum of a_ij y_i over the rows of column j, with bounds on y from
// limits, and the size of its largest finite term.
func (p *problem) dualRange(j int32, limits func(i int32) (lo, up float64)) (least, greatest, size float64) {
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		e := &p.A.E[k]
		lo, up := limits(e.Row)
		if e.Val < 0 {
			lo, up = up, lo
		}
		if lo != 0 { // 0 times a finite number
			least += e.Val * lo
		}
		if up != 0 {
			greatest += e.Val * up
		}
		size = max(size, finiteSize(e.Val*lo), finiteSize(e.Val*up))
		p.Work++
		if math.IsInf(least, -1) && math.IsInf(greatest, 1) {
			break
		}
	}
	return least, greatest, size
}

// fixBySigns fixes column j where the bounds of its rows alone give its reduced cost a sign.
func (p *problem) fixBySigns(j int32) bool {
	return p.fixDominated(j, p.signBounds)
}

// fixDominated fixes column j at a bound if its reduced cost has a known sign.
func (p *problem) fixDominated(j int32, limits func(i int32) (lo, up float64)) bool {
	least, greatest, size := p.dualRange(j, limits)
	c := p.Cost[j]
	size = max(size, math.Abs(c))
	dlo, dup := c-greatest, c-least
	noise := cancelTol * size
	switch strict := dualTol * (1 + size); {
	case dlo >= -noise && !math.IsInf(p.Lo[j], -1):
		p.fixAt(j, AtLower)
	case dup <= noise && !math.IsInf(p.Up[j], 1):
		p.fixAt(j, AtUpper)
	case dlo > strict || dup < -strict:
		p.fail(UnboundedOrInfeasible)
	default:
		return false
	}
	return true
}

// dominated bounds the duals of the rows by the columns that have an infinite bound, whose reduced costs
// therefore have a sign, and fixes the columns whose reduced costs then have one. Only the signs of the
// other rows enter a bound, and never a bound that a column implied is used for that column itself:
// so no conclusion rests on its own premise.
func (p *problem) dominated() {
	if !p.has(DominatedCols) {
		return
	}
	p.boundDuals()
	d := &p.dual
	for j := range p.Lo {
		j := int32(j)
		if p.GoneCol[j] || p.A.ColLen[j] == 0 || !p.running() {
			continue
		}
		limits := func(i int32) (lo, up float64) {
			lo, up = p.signBounds(i)
			if d.loSrc[i] != j {
				lo = max(lo, d.lo[i])
			}
			if d.upSrc[i] != j {
				up = min(up, d.up[i])
			}
			return lo, up
		}
		first := len(p.stack.index)
		if !p.fixDominated(j, limits) {
			continue
		}
		for _, i := range p.stack.index[first:] { // the rows of column j
			p.forgetDual(i, j)
		}
	}
	p.impliedEquations()
}

// forgetDual drops the bounds on the dual of row i that column j implied.
func (p *problem) forgetDual(i, j int32) {
	lo, up := p.signBounds(i)
	if d := &p.dual; d.loSrc[i] == j {
		d.lo[i], d.loSrc[i] = lo, -1
	}
	if d := &p.dual; d.upSrc[i] == j {
		d.up[i], d.upSrc[i] = up, -1
	}
}

// boundDuals fills p.dual.
func (p *problem) boundDuals() {
	d := &p.dual
	m := len(p.RowLo)
	if d.lo == nil {
		*d = dualBounds{make([]float64, m), make([]float64, m), make([]int32, m), make([]int32, m)}
	}
	for i := range m {
		d.lo[i], d.up[i] = p.signBounds(int32(i))
		d.loSrc[i], d.upSrc[i] = -1, -1
	}
	for j := range p.Lo {
		if p.GoneCol[j] {
			continue
		}
		if math.IsInf(p.Up[j], 1) {
			p.boundDualsBy(int32(j), 1)
		}
		if math.IsInf(p.Lo[j], -1) {
			p.boundDualsBy(int32(j), -1)
		}
	}
}

// boundDualsBy uses s (c_j - sum of a_ij y_i) >= 0, with s = 1 or -1: where every other term has a
// smallest value, which by the signs alone is 0, each term is at greatest s c_j.
func (p *problem) boundDualsBy(j int32, s float64) {
	open, at := 0, int32(-1) // terms without a smallest value
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		e := &p.A.E[k]
		lo, up := p.signBounds(e.Row)
		if s*e.Val > 0 && lo != 0 || s*e.Val < 0 && up != 0 {
			open++
			at = k
		}
	}
	p.Work += int(p.A.ColLen[j])
	switch open {
	case 0:
		for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
			p.boundDual(k, j, s)
		}
	case 1:
		p.boundDual(at, j, s)
	}
}

// boundDual uses s a_ij y_i <= s c_j for entry k of column j.
func (p *problem) boundDual(k, j int32, s float64) {
	e := &p.A.E[k]
	if math.Abs(e.Val) < program.PivotAbs {
		return
	}
	d, i, b := &p.dual, e.Row, p.Cost[j]/e.Val
	if s*e.Val > 0 {
		if b < d.up[i] {
			d.up[i], d.upSrc[i] = b, j
		}
	} else if b > d.lo[i] {
		d.lo[i], d.loSrc[i] = b, j
	}
}

// sidedRow is a row that holds with equality at one side in every optimum.
type sidedRow struct {
	i    int32
	side Status
}

func (r *sidedRow) undo(s *restore) {
	if s.row[r.i] != Basic {
		s.row[r.i] = r.side
	}
}

// impliedEquations makes an equation of a row whose dual a singleton column keeps away from zero. That
// rests on no other row, so that any number of rows may be treated.
func (p *problem) impliedEquations() {
	d := &p.dual
	for i := range p.RowLo {
		if p.GoneRow[i] || p.RowLo[i] == p.RowUp[i] {
			continue
		}
		switch {
		case p.isStrict(d.loSrc[i], d.lo[i]) && !math.IsInf(p.RowLo[i], -1):
			p.RowUp[i] = p.RowLo[i]
			p.stack.push(&sidedRow{int32(i), AtLower})
		case p.isStrict(d.upSrc[i], -d.up[i]) && !math.IsInf(p.RowUp[i], 1):
			p.RowLo[i] = p.RowUp[i]
			p.stack.push(&sidedRow{int32(i), AtUpper})
		default:
			continue
		}
		p.TouchRow(int32(i))
		for k := p.A.RowHead[i]; k >= 0; k = p.A.E[k].NextR {
			p.ColQueue.Add(p.A.E[k].Col)
		}
	}
}

func (p *problem) isStrict(src int32, y float64) bool {
	return src >= 0 && p.A.ColLen[src] == 1 && !p.GoneCol[src] && y > dualTol*(1+math.Abs(p.Cost[src]))
}
