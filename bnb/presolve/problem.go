package presolve

import (
	"context"
	"math"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/sparse"
)

// problem is the program of the present stage, by the rows and columns of the one given.
type problem struct {
	ctx      context.Context
	opt      Options
	a        sparse.Linked
	cost     []float64 // minimised
	lo, up   []float64 // columns
	integer  []bool
	rlo, rup []float64 // rows
	offset   float64   // minimised
	goneCol  []bool
	goneRow  []bool
	act      []rowRange
	rowQueue sparse.Queue
	colQueue sparse.Queue
	stack    []record
	facts    Facts
	signs    []uint64 // scratch of dominatedCols

	wasProbed []bool

	infeasible, stopped bool
	polls               int
	work                int // entries touched
	maxWork             int
	probed              int // entries touched by probing
	removed             int // rows and columns
	changes             int // rows, columns, bounds, sides and coefficients
	count               Counts
}

// rowRange is the range of a row's activity, if ok says that it is known, after so many moves of terms.
type rowRange struct {
	activity.Range
	moves int32
	ok    bool
}

// exact reports whether the moves can have left a rounding error that matters.
func (t *rowRange) exact() bool { return t.moves == 0 || t.Size*float64(t.moves) < maxDrift }

// activity returns the activity bounds of row i.
func (p *problem) activity(i int32) *activity.Range {
	t := &p.act[i]
	if t.ok && t.exact() {
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
	return p.boundsFrom(p.activity(i), i, j, v)
}

// boundsFrom does that with the range t of row i.
func (p *problem) boundsFrom(t *activity.Range, i, j int32, v float64) (lo, up float64) {
	termLo, termUp := activity.Terms(v, p.lo[j], p.up[j])
	slop := roundTol * t.Size
	least := p.rlo[i] - t.MaxWithout(termUp) - slop // of v x_j
	most := p.rup[i] - t.MinWithout(termLo) + slop
	if v > 0 {
		return least / v, most / v
	}
	return most / v, least / v
}

// impliedFree reports whether the bounds of x_j are infinite or implied by row i through its entry v.
func (p *problem) impliedFree(i, j int32, v float64) bool {
	lo, up := math.Inf(-1), math.Inf(1)
	if p.lo[j] > lo || p.up[j] < up {
		lo, up = p.impliedBounds(i, j, v)
	}
	return lo >= p.lo[j]-boundPad && up <= p.up[j]+boundPad
}

// touchRow marks row i as changed.
func (p *problem) touchRow(i int32) {
	p.act[i].ok = false
	p.rowQueue.Add(i)
}

// moveBounds sets the bounds of column j and marks it and its rows as changed.
func (p *problem) moveBounds(j int32, lo, up float64) {
	p.colQueue.Add(j)
	for k := p.a.ColHead[j]; k >= 0; k = p.a.E[k].NextC {
		e := &p.a.E[k]
		p.moveTerm(e.Row, e.Val, p.lo[j], p.up[j], lo, up)
	}
	p.lo[j], p.up[j] = lo, up
	p.work += int(p.a.ColLen[j])
	p.changes++
}

// moveTerm changes the bounds of a term of row i.
func (p *problem) moveTerm(i int32, v, oldLo, oldUp, lo, up float64) {
	if t := &p.act[i]; t.ok {
		t.Move(v, oldLo, oldUp, lo, up)
		t.moves++
	}
	p.rowQueue.Add(i)
}

// touchCols marks the columns of row i, after its sides moved or it lost one.
func (p *problem) touchCols(i int32) {
	for k := p.a.RowHead[i]; k >= 0; k = p.a.E[k].NextR {
		p.colQueue.Add(p.a.E[k].Col)
	}
	p.work += int(p.a.RowLen[i])
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
	p.changes++
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
	p.changes++
}

// shiftRow moves the sides of row i down by t.
func (p *problem) shiftRow(i int32, t float64) {
	p.rlo[i], p.rup[i] = minus(p.rlo[i], t), minus(p.rup[i], t)
}

// minus returns a - b, zero where only rounding is left.
func minus(a, b float64) float64 {
	if c := a - b; math.IsInf(c, 0) || math.Abs(c) > 4*roundTol*math.Abs(b) {
		return c
	}
	return 0
}

// tolerance is the violation of a side or bound v that is none.
func (p *problem) tolerance(v float64) float64 { return p.opt.Feasibility * math.Max(1, math.Abs(v)) }

// isFixed reports whether the bounds of column j leave one value.
func (p *problem) isFixed(j int32) bool {
	lo, up := p.lo[j], p.up[j]
	return lo == up || !p.integer[j] && up-lo < 1 && up-lo <= fixedWidth*math.Max(1, math.Min(math.Abs(lo), math.Abs(up)))
}

// fixedAt returns the value of a fixed column: the rounder one of its bounds.
func (p *problem) fixedAt(j int32) float64 {
	if p.lo[j] == math.Round(p.lo[j]) {
		return p.lo[j]
	}
	return p.up[j]
}

// crossing finds contradicting bounds of column j; where rounding made them cross, the lower one stays.
func (p *problem) crossing(j int32) {
	lo, up := p.lo[j], p.up[j]
	switch {
	case lo <= up:
	case p.integer[j] || lo-up > p.tolerance(up):
		p.infeasible = true
	default:
		p.moveBounds(j, lo, lo)
	}
}

// crossingRow finds contradicting sides of row i.
func (p *problem) crossingRow(i int32) {
	lo, up := p.rlo[i], p.rup[i]
	switch {
	case lo <= up:
	case lo-up > p.tolerance(up):
		p.infeasible = true
	default:
		p.rlo[i] = up
	}
}

// setBounds intersects the bounds of column j with [lo, up], which another bound or row stands for
// exactly: nothing is rounded for continuous columns, and no gain is asked for.
func (p *problem) setBounds(j int32, lo, up float64) {
	if p.integer[j] {
		lo, up = math.Ceil(lo-p.opt.Feasibility), math.Floor(up+p.opt.Feasibility)
	}
	if !(lo > p.lo[j] || up < p.up[j]) {
		return
	}
	p.moveBounds(j, math.Max(lo, p.lo[j]), math.Min(up, p.up[j]))
	p.crossing(j)
}

// colMax returns the largest absolute entry of column j, rowMax that of row i.
func (p *problem) colMax(j int32) float64 {
	v := 0.0
	for k := p.a.ColHead[j]; k >= 0; k = p.a.E[k].NextC {
		v = max(v, math.Abs(p.a.E[k].Val))
	}
	p.work += int(p.a.ColLen[j])
	return v
}

func (p *problem) rowMax(i int32) float64 {
	v := 0.0
	for k := p.a.RowHead[i]; k >= 0; k = p.a.E[k].NextR {
		v = max(v, math.Abs(p.a.E[k].Val))
	}
	p.work += int(p.a.RowLen[i])
	return v
}
