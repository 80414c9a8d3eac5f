package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/program"
)

// dualBounds are bounds on the duals of the rows that hold for every dual feasible point. The sources are the columns
// from which they come; -1 if a bound is the sign that the sides of the row imply.
type dualBounds struct {
	lo, up       []float64
	loSrc, upSrc []int32
}

// signBounds returns the sign of the dual of row i as bounds: it is nonnegative without an upper side and nonpositive
// without a lower one.
func (p *problem) signBounds(i int32) (lo, up float64) {
	// A multiplier of the wrong sign would price an infinite side.
	lo = math.Inf(-1)
	up = math.Inf(1)

	if math.IsInf(p.RowUp[i], 1) {
		lo = 0
	}
	if math.IsInf(p.RowLo[i], -1) {
		up = 0
	}
	return lo, up
}

// dualRange returns the range of the sum of a_ij y_i over the rows of column j, with bounds on y from limits, and the
// absolute value of its largest finite term.
func (p *problem) dualRange(j int32, limits func(i int32) (lo, up float64)) (least, greatest, size float64) {
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		e := &p.A.E[k]
		lo, up := limits(e.Row)
		if e.Val < 0 {
			lo, up = up, lo
		}

		// A bound of 0 adds nothing; this also avoids 0 times an infinite entry, which is not a number.
		if lo != 0 {
			least += e.Val * lo
		}
		if up != 0 {
			greatest += e.Val * up
		}

		size = max(size, activity.FiniteSize(e.Val*lo), activity.FiniteSize(e.Val*up))
		p.Work++
		if math.IsInf(least, -1) && math.IsInf(greatest, 1) {
			break
		}
	}
	return least, greatest, size
}

// fixBySigns fixes column j if the signs of the duals of its rows imply the sign of its reduced cost.
func (p *problem) fixBySigns(j int32) bool { return p.fixDominated(j, p.signBounds) }

// fixDominated fixes column j at a bound if its reduced cost has a known sign, with bounds on the duals from limits. It
// reports whether it has fixed the column or found that no optimum exists.
func (p *problem) fixDominated(j int32, limits func(i int32) (lo, up float64)) bool {
	least, greatest, size := p.dualRange(j, limits)

	// The reduced cost is the cost less a sum in [least, greatest].
	c := p.Cost[j]
	size = max(size, math.Abs(c))
	dlo := c - greatest // bounds of the reduced cost
	dup := c - least

	// The noise of the sum leaves the sign open near zero; a strict sign is well beyond it.
	noise := cancelTol * size
	strict := dualTol * (1 + size)
	switch {
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

// dominated bounds the duals of the rows by the columns with an infinite bound, whose reduced costs therefore have a
// sign, and fixes the columns whose reduced costs then have a sign. A bound on a dual uses only the signs of the duals
// of other rows, and is not used for the column that it comes from: so no conclusion depends on itself.
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

		// The bounds without those that come from column j.
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

		// A fixed column no longer bounds the duals of its rows, which fixing has saved.
		first := len(p.stack.index)
		if !p.fixDominated(j, limits) {
			continue
		}
		for _, i := range p.stack.index[first:] {
			p.forgetDual(i, j)
		}
	}

	p.impliedEquations()
}

// forgetDual replaces the bounds on the dual of row i that come from column j by the signs.
func (p *problem) forgetDual(i, j int32) {
	d := &p.dual

	// The sign of the dual remains as its bound.
	lo, up := p.signBounds(i)

	if d.loSrc[i] == j {
		d.lo[i] = lo
		d.loSrc[i] = -1
	}
	if d.upSrc[i] == j {
		d.up[i] = up
		d.upSrc[i] = -1
	}
}

// boundDuals computes the bounds on the duals.
func (p *problem) boundDuals() {
	d := &p.dual

	// The arrays are used again in later passes.
	m := len(p.RowLo)
	if d.lo == nil {
		*d = dualBounds{make([]float64, m), make([]float64, m), make([]int32, m), make([]int32, m)}
	}

	// The signs come first; the columns then make some of the bounds tighter.
	for i := range m {
		d.lo[i], d.up[i] = p.signBounds(int32(i))
		d.loSrc[i] = -1
		d.upSrc[i] = -1
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

// boundDualsBy uses s (c_j - sum of a_ij y_i) >= 0, with s = 1 or -1. If every other term of the sum, times s, has a
// smallest value, which by the signs alone is 0, each term times s is at most s c_j.
func (p *problem) boundDualsBy(j int32, s float64) {
	open := 0 // number of terms without a smallest value
	at := int32(-1)
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		e := &p.A.E[k]
		lo, up := p.signBounds(e.Row)
		unbounded := s*e.Val > 0 && lo != 0
		if s*e.Val < 0 {
			unbounded = up != 0
		}

		// With one such term only that one is bounded, with more none is.
		if unbounded {
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

// boundDual uses s a_ij y_i <= s c_j, with i the row of entry k of column j, unless the entry is too small to divide
// by.
func (p *problem) boundDual(k, j int32, s float64) {
	e := &p.A.E[k]
	if math.Abs(e.Val) < program.PivotAbs {
		return
	}

	d := &p.dual
	i := e.Row

	// The term times s is at most s c_j, so that the sign of the entry decides which bound follows.
	b := p.Cost[j] / e.Val
	if s*e.Val > 0 {
		if b < d.up[i] {
			d.up[i] = b
			d.upSrc[i] = j
		}
	} else if b > d.lo[i] {
		d.lo[i] = b
		d.loSrc[i] = j
	}
}

// sidedRow is a row that holds with equality at one side in every optimum.
type sidedRow struct {
	i    int32
	side Status
}

// undo corrects the side at which a nonbasic row rests: both sides were equal.
func (r *sidedRow) undo(s *restore) {
	if s.row[r.i] != Basic {
		s.row[r.i] = r.side
	}
}

// impliedEquations makes an equation of every row whose dual, by a singleton column, is not zero. Each conclusion uses
// one row only, so that any number of rows may become equations.
func (p *problem) impliedEquations() {
	// A dual that cannot be zero makes its row tight, at the side of its sign.
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

		// The columns of an equation may be eliminated.
		p.TouchRow(int32(i))
		for e := range p.A.Row(int32(i)) {
			p.ColQueue.Add(e.Col)
		}
	}
}

// isStrict reports whether the bound y, away from zero in the direction that is positive here, comes from a singleton
// column that still exists and is clearly positive.
func (p *problem) isStrict(src int32, y float64) bool {
	// The column must still price this row alone.
	exists := src >= 0 && p.A.ColLen[src] == 1 && !p.GoneCol[src]
	return exists && y > dualTol*(1+math.Abs(p.Cost[src]))
}
