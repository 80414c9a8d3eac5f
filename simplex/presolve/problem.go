package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/sparse"
)

// problem is the linear program of the present stage, by the rows and columns of the one given.
type problem struct {
	opt      Options
	a        sparse.Linked
	cost     []float64 // minimised
	lo, up   []float64 // columns
	rlo, rup []float64 // rows
	offset   float64   // minimised
	goneCol  []bool
	goneRow  []bool
	act      []rowRange
	rowQueue sparse.Queue
	colQueue sparse.Queue
	stack    stack
	status   Outcome
	work     int // entries touched
	maxWork  int
	removed  int // rows and columns
	dual     dualBounds
}

// rowRange is the range of a row's activity, if ok says that it is up to date.
type rowRange struct {
	activity.Range
	ok bool
}

// activity returns the activity bounds of row i.
func (p *problem) activity(i int32) *activity.Range {
	t := &p.act[i]
	if t.ok {
		return &t.Range
	}
	*t = rowRange{ok: true}
	for k := p.a.RowHead[i]; k >= 0; {
		e := &p.a.E[k]
		k = e.NextR
		t.Add(e.Val, p.lo[e.Col], p.up[e.Col])
	}
	p.work += int(p.a.RowLen[i])
	return &t.Range
}

// impliedBounds returns the bounds on x_j that row i implies through its entry v there and the bounds of
// the other columns, moved outward by the rounding error; infinite where there are none.
func (p *problem) impliedBounds(i, j int32, v float64) (lo, up float64) {
	t := p.activity(i)
	termLo, termUp := activity.Terms(v, p.lo[j], p.up[j])
	slop := roundTol * t.Size
	least := p.rlo[i] - t.MaxWithout(termUp) - slop // of v x_j
	most := p.rup[i] - t.MinWithout(termLo) + slop
	if v > 0 {
		return least / v, most / v
	}
	return most / v, least / v
}

// touchRow marks row i as changed.
func (p *problem) touchRow(i int32) {
	p.act[i].ok = false
	p.rowQueue.Add(i)
}

// touchBounds marks column j and its rows as changed, after its bounds moved.
func (p *problem) touchBounds(j int32) {
	p.colQueue.Add(j)
	for k := p.a.ColHead[j]; k >= 0; k = p.a.E[k].NextC {
		p.touchRow(p.a.E[k].Row)
	}
	p.work += int(p.a.ColLen[j])
}

// dropRow takes row i out of the problem; its columns are looked at again.
func (p *problem) dropRow(i int32) {
	p.work += int(p.a.RowLen[i])
	for k := p.a.RowHead[i]; k >= 0; k = p.a.RowHead[i] {
		p.colQueue.Add(p.a.E[k].Col)
		p.a.Remove(k)
	}
	p.goneRow[i] = true
	p.removed++
}

// dropCol takes column j out of the problem; its rows are looked at again.
func (p *problem) dropCol(j int32) {
	p.work += int(p.a.ColLen[j])
	for k := p.a.ColHead[j]; k >= 0; k = p.a.ColHead[j] {
		p.touchRow(p.a.E[k].Row)
		p.a.Remove(k)
	}
	p.goneCol[j] = true
	p.removed++
}

// shiftRow moves the bounds of row i down by t.
func (p *problem) shiftRow(i int32, t float64) {
	p.rlo[i], p.rup[i] = minus(p.rlo[i], t), minus(p.rup[i], t)
}

// minus returns a - b, zero where only rounding is left.
func minus(a, b float64) float64 {
	if c := a - b; math.IsInf(c, 0) || math.Abs(c) > roundTol*math.Abs(b) {
		return c
	}
	return 0
}

// fail records that the problem has no optimum.
func (p *problem) fail(o Outcome) {
	if p.status == Reduction {
		p.status = o
	}
}

// tightenCol intersects the bounds of column j with [lo, up] and reports which of them became tighter.
func (p *problem) tightenCol(j int32, lo, up float64) (newLo, newUp bool) {
	newLo, newUp = lo > p.lo[j], up < p.up[j]
	if newLo {
		p.lo[j] = lo
	}
	if newUp {
		p.up[j] = up
	}
	if p.lo[j] > p.up[j] {
		if p.lo[j]-p.up[j] > infeasTol*(1+math.Abs(p.up[j])) {
			p.fail(Infeasible)
			return newLo, newUp
		}
		// Rounding made them cross: the bound that stays decides.
		if newLo {
			p.lo[j] = p.up[j]
		} else {
			p.up[j] = p.lo[j]
		}
	}
	if newLo || newUp {
		p.touchBounds(j)
	}
	return newLo, newUp
}

// rowMax returns the largest absolute entry of row i, colMax that of column j.
func (p *problem) rowMax(i int32) float64 {
	v := 0.0
	for k := p.a.RowHead[i]; k >= 0; k = p.a.E[k].NextR {
		v = max(v, math.Abs(p.a.E[k].Val))
	}
	p.work += int(p.a.RowLen[i])
	return v
}

func (p *problem) colMax(j int32) float64 {
	v := 0.0
	for k := p.a.ColHead[j]; k >= 0; k = p.a.E[k].NextC {
		v = max(v, math.Abs(p.a.E[k].Val))
	}
	p.work += int(p.a.ColLen[j])
	return v
}

// isFree reports whether the bounds of x_j are infinite or implied by row i through its entry v.
func (p *problem) isFree(i, j int32, v float64) bool {
	if math.IsInf(p.lo[j], -1) && math.IsInf(p.up[j], 1) {
		return true
	}
	lo, up := p.impliedBounds(i, j, v)
	return lo >= p.lo[j] && up <= p.up[j]
}
