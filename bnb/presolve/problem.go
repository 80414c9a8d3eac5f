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

	impliedLo, impliedUp []bool // the bound of a continuous column is one that rows imply, relaxed

	wasProbed []bool

	infeasible, stopped bool
	polls               int
	polled              int // entries touched at the last look at the context
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
	p.impliedLo[j] = p.impliedLo[j] && lo == p.Lo[j]
	p.impliedUp[j] = p.impliedUp[j] && up == p.Up[j]
	p.Lo[j], p.Up[j] = lo, up
	p.Work += int(p.A.ColLen[j])
	p.changed++
}

// tolerance is the violation of a side or bound v that is none: absolute, but for the rounding error of v.
func (p *problem) tolerance(v float64) float64 {
	if math.IsInf(v, 0) {
		return p.opt.Feasibility
	}
	return p.opt.Feasibility + sideNoise*math.Abs(v)
}

// reach is how far a column may move beyond a bound v that a row gives it through the coefficient a, so that the row is
// violated by the tolerance. Only what exceeds it contradicts the row.
func (p *problem) reach(v, a float64) float64 {
	return math.Max(p.tolerance(v), p.opt.Feasibility/math.Abs(a))
}

// isFixed reports whether the bounds of column j leave one value, to what its rows can tell.
func (p *problem) isFixed(j int32) bool {
	lo, up := p.Lo[j], p.Up[j]
	return lo == up || !p.integer[j] && up-lo < 1 && up-lo <= fixedWidth*math.Max(1,
		math.Min(math.Abs(lo), math.Abs(up))) &&
		(up-lo)*p.ColMax(j) <= fixedMove
}

// fixedAt returns the value of a fixed column: the rounder one of its bounds.
func (p *problem) fixedAt(j int32) float64 {
	if p.Lo[j] == math.Round(p.Lo[j]) {
		return p.Lo[j]
	}
	return p.Up[j]
}

// crossing finds contradicting bounds of column j; where they cross by less than the tolerance, it is their middle.
func (p *problem) crossing(j int32) {
	lo, up := p.Lo[j], p.Up[j]
	switch {
	case lo <= up:
	case p.integer[j] || lo-up > p.tolerance(up):
		p.infeasible = true
	default:
		p.moveBounds(j, up+(lo-up)/2, up+(lo-up)/2)
	}
}

// crossingRow finds contradicting sides of row i, one of which may be that of a row s times as long. Where they cross
// by less than the tolerance of both, they meet where the two rows are violated by the same.
func (p *problem) crossingRow(i int32, s float64, fromLower bool) {
	lo, up := p.RowLo[i], p.RowUp[i]
	switch s = math.Abs(s); {
	case lo <= up:
	case lo-up > p.tolerance(up)/math.Max(1, s):
		p.infeasible = true
	default:
		share := s / (1 + s) // of the row i itself
		if fromLower {
			share = 1 - share
		}
		at := lo - share*(lo-up)
		p.RowLo[i], p.RowUp[i] = at, at
	}
}

// setBounds intersects the bounds of column j with [lo, up], which a row with the coefficient a stands for exactly:
// nothing is rounded for continuous columns, and no gain is asked for. Where they miss the bounds of the column, and
// the row is violated there by no more than its tolerance, the bounds of the column stay.
func (p *problem) setBounds(j int32, lo, up, a float64) {
	slack := p.opt.Feasibility/math.Abs(a) + sideNoise*math.Min(math.Abs(p.Lo[j]), math.Abs(p.Up[j]))
	if lo > p.Up[j] && lo-p.Up[j] <= slack {
		lo = p.Up[j]
	}
	if up < p.Lo[j] && p.Lo[j]-up <= slack {
		up = p.Lo[j]
	}
	if p.integer[j] {
		lo, up = p.integral(lo, up, math.Abs(a))
	}
	if !(lo > p.Lo[j] || up < p.Up[j]) {
		return
	}
	lo, up = math.Max(lo, p.Lo[j]), math.Min(up, p.Up[j])
	if lo > up && (p.integer[j] || lo-up > slack) {
		p.infeasible = true
	}
	p.moveBounds(j, lo, math.Max(lo, up))
}
