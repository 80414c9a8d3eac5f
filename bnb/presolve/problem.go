package presolve

import (
	"context"
	"math"

	"github.com/proxybd/proxybd/internal/program"
)

// problem is the program of the present stage, by the rows and columns of the one given.
type problem struct {
	program.Program
	ctx     context.Context
	opt     Options
	integer []bool
	stack   []record
	facts   Facts
	signs   []uint64 // scratch of dominatedCols

	wasProbed []bool

	infeasible, stopped bool
	polls               int
	maxWork             int
	probed              int // entries touched by probing
	changed             int // bounds, sides and coefficients
	count               Counts
}

// changes counts rows and columns that are gone, and bounds, sides and coefficients.
func (p *problem) changes() int { return p.Removed + p.changed }

// moveBounds sets the bounds of column j and marks it and its rows as changed.
func (p *problem) moveBounds(j int32, lo, up float64) {
	p.ColQueue.Add(j)
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		e := &p.A.E[k]
		p.MoveTerm(e.Row, e.Val, p.Lo[j], p.Up[j], lo, up)
	}
	p.Lo[j], p.Up[j] = lo, up
	p.Work += int(p.A.ColLen[j])
	p.changed++
}

// tolerance is the violation of a side or bound v that is none.
func (p *problem) tolerance(v float64) float64 { return p.opt.Feasibility * math.Max(1, math.Abs(v)) }

// isFixed reports whether the bounds of column j leave one value.
func (p *problem) isFixed(j int32) bool {
	lo, up := p.Lo[j], p.Up[j]
	return lo == up || !p.integer[j] && up-lo < 1 && up-lo <= fixedWidth*math.Max(1, math.Min(math.Abs(lo), math.Abs(up)))
}

// fixedAt returns the value of a fixed column: the rounder one of its bounds.
func (p *problem) fixedAt(j int32) float64 {
	if p.Lo[j] == math.Round(p.Lo[j]) {
		return p.Lo[j]
	}
	return p.Up[j]
}

// crossing finds contradicting bounds of column j; where rounding made them cross, the lower one stays.
func (p *problem) crossing(j int32) {
	lo, up := p.Lo[j], p.Up[j]
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
	lo, up := p.RowLo[i], p.RowUp[i]
	switch {
	case lo <= up:
	case lo-up > p.tolerance(up):
		p.infeasible = true
	default:
		p.RowLo[i] = up
	}
}

// setBounds intersects the bounds of column j with [lo, up], which another bound or row stands for
// exactly: nothing is rounded for continuous columns, and no gain is asked for.
func (p *problem) setBounds(j int32, lo, up float64) {
	if p.integer[j] {
		lo, up = math.Ceil(lo-p.opt.Feasibility), math.Floor(up+p.opt.Feasibility)
	}
	if !(lo > p.Lo[j] || up < p.Up[j]) {
		return
	}
	p.moveBounds(j, math.Max(lo, p.Lo[j]), math.Min(up, p.Up[j]))
	p.crossing(j)
}
