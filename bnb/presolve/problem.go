package presolve

import (
	"context"
	"math"

	"github.com/proxybd/proxybd/internal/program"
)

// problem is the program of the current stage, in the rows and columns of the given one.
type problem struct {
	program.Program
	ctx     context.Context
	opt     Options
	integer []bool
	stack   []record
	facts   Facts
	signs   []uint64 // scratch of dominatedCols

	impliedLo, impliedUp []bool // the bound of a continuous column comes from rows, and is relaxed

	wasProbed []bool // by column

	infeasible, stopped bool
	polls               int // calls of running
	polled              int // entries touched at the last poll of the context
	maxWork             int
	probed              int // entries touched by probing
	changed             int // number of changed bounds, sides and coefficients
	count               Counts
}

// changes is the number of rows and columns that are gone, and of changed bounds, sides and coefficients.
func (p *problem) changes() int { return p.Removed + p.changed }

// moveBounds sets the bounds of column j, and queues it and its rows.
func (p *problem) moveBounds(j int32, lo, up float64) {
	// The ranges of its rows change by the term of the column, and the rows are queued.
	p.ColQueue.Add(j)
	for e := range p.A.Col(j) {
		p.MoveTerm(e.Row, e.Val, p.Lo[j], p.Up[j], lo, up)
	}

	// A bound that moves is a new one: whether it comes from a row is recorded by imply.
	p.impliedLo[j] = p.impliedLo[j] && lo == p.Lo[j]
	p.impliedUp[j] = p.impliedUp[j] && up == p.Up[j]
	p.Lo[j] = lo
	p.Up[j] = up
	p.Work += int(p.A.ColLen[j])
	p.changed++
}

// tolerance is the largest violation of a side or bound v that is accepted: absolute, plus the rounding error of v.
func (p *problem) tolerance(v float64) float64 {
	if math.IsInf(v, 0) {
		return p.opt.Feasibility
	}
	return p.opt.Feasibility + sideNoise*math.Abs(v)
}

// reach is the distance beyond its bound v, implied by a row where its coefficient is a, that a column may have without
// violating the row by more than the tolerance. Only what exceeds it contradicts the row.
func (p *problem) reach(v, a float64) float64 {
	return math.Max(p.tolerance(v), p.opt.Feasibility/math.Abs(a))
}

// isFixed reports whether the bounds of column j leave one value: they are equal, or so close that no row is affected.
func (p *problem) isFixed(j int32) bool {
	// Integer columns have one value only with equal bounds.
	lo, up := p.Lo[j], p.Up[j]
	if lo == up || p.integer[j] {
		return lo == up
	}

	// The width is negligible next to the values, and in every row.
	close := up-lo < 1 && up-lo <= fixedWidth*math.Max(1, math.Min(math.Abs(lo), math.Abs(up)))
	return close && (up-lo)*p.ColMax(j) <= fixedMove
}

// fixedAt returns the value of a fixed column: the lower bound if that is an integer, otherwise the upper one.
func (p *problem) fixedAt(j int32) float64 {
	if p.Lo[j] == math.Round(p.Lo[j]) {
		return p.Lo[j]
	}
	return p.Up[j]
}

// crossing finds contradicting bounds of column j. Bounds that cross by less than the tolerance become their mean.
func (p *problem) crossing(j int32) {
	// Crossing integer bounds leave no value.
	lo, up := p.Lo[j], p.Up[j]
	switch {
	case lo <= up:
	case p.integer[j] || lo-up > p.tolerance(up):
		p.infeasible = true
	default:
		p.moveBounds(j, up+(lo-up)/2, up+(lo-up)/2)
	}
}

// crossingRow finds contradicting sides of row i; one may come from a row that is s times row i. If they cross by less
// than the tolerance of both rows, they become the value at which both are violated equally.
func (p *problem) crossingRow(i int32, s float64, fromLower bool) {
	lo, up := p.RowLo[i], p.RowUp[i]
	s = math.Abs(s)

	switch {
	case lo <= up:
	case lo-up > p.tolerance(up)/math.Max(1, s):
		p.infeasible = true
	default:
		share := s / (1 + s) // of row i itself
		if fromLower {
			share = 1 - share
		}

		// The sides meet where both rows are violated by the same share of their tolerance.
		at := lo - share*(lo-up)
		p.RowLo[i] = at
		p.RowUp[i] = at
	}
}

// setBounds intersects the bounds of column j with [lo, up], which a row with the coefficient a implies exactly: they
// are not relaxed for continuous columns, and may be only slightly tighter. If they contradict the bounds of the
// column, but the row is violated there by no more than its tolerance, the bounds of the column remain.
func (p *problem) setBounds(j int32, lo, up, a float64) {
	// The slack is the tolerance of the row in units of the column, and the rounding error of the bounds.
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

	// What is left of a crossing is within the slack: the lower bound decides.
	lo = math.Max(lo, p.Lo[j])
	up = math.Min(up, p.Up[j])
	if lo > up && (p.integer[j] || lo-up > slack) {
		p.infeasible = true
	}
	p.moveBounds(j, lo, math.Max(lo, up))
}
