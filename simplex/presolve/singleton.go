package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/program"
)

// singletonCol removes column j, which has one entry: if it is free it is eliminated with its row, otherwise it is a
// slack and widens the sides of its row. It reports whether it has done so.
func (p *problem) singletonCol(j int32) bool {
	// The entry must be a good pivot of its row, which must have other columns.
	e := p.A.E[p.A.ColHead[j]]
	size := math.Abs(e.Val)
	if size < program.PivotAbs || p.A.RowLen[e.Row] < 2 || size < program.PivotRow*p.RowMax(e.Row) {
		return false
	}

	if p.has(FreeSingletons) && p.ImpliedByRow(e.Row, j, e.Val) {
		return p.freeSingleton(e.Row, j, e.Val)
	}
	if p.Cost[j] == 0 {
		return p.has(Slacks) && p.slack(e.Row, j, e.Val)
	}
	return p.has(CostlySlacks) && p.costlySlack(e.Row, j, e.Val)
}

// freeSingleton eliminates x_j and row i: the cost determines the dual of the row, and so the side at which it holds.
// It does nothing if that side is infinite, which with a cost proves that there is no optimum.
func (p *problem) freeSingleton(i, j int32, v float64) bool {
	// The sign of the dual y = c_j / v decides which side is tight; without a cost a finite side is taken.
	side := AtLower
	if y := p.Cost[j] / v; y < 0 || y == 0 && math.IsInf(p.RowLo[i], -1) {
		side = AtUpper
	}
	b := boundAt(side, p.RowLo[i], p.RowUp[i])
	if math.IsInf(b, 0) {
		if math.Abs(p.Cost[j]) > dualTol {
			p.fail(UnboundedOrInfeasible)
		}
		return false
	}

	// The row is an equation from here on.
	p.setRow(i, b, b)
	p.pushSubstitution(i, j, v, side)
	p.eliminate(i, j, v)
	return true
}

// slackCol is a column without cost, and with the one entry v, in row i, that has become part of the sides of the row.
// A column with a cost could be removed from an equation too, but its cost, distributed over the row, makes the dual
// simplex method take more pivots than the smaller model saves.
type slackCol struct {
	i, j             int32
	v                float64
	lo, up, rlo, rup float64 // bounds of the column and sides of the row
	row              vec     // without column j
}

// slack removes x_j, a column without cost, and widens the sides of row i by the range of its term.
func (p *problem) slack(i, j int32, v float64) bool {
	r := &slackCol{
		i:   i,
		j:   j,
		v:   v,
		lo:  p.Lo[j],
		up:  p.Up[j],
		rlo: p.RowLo[i],
		rup: p.RowUp[i],
		row: p.saveRow(i, j),
	}
	if huge(r.lo, r.up) {
		return false
	}

	// lo <= rest + v x_j <= up holds for some x_j within its bounds if the rest is within the wider sides.
	least, greatest := activity.Terms(v, p.Lo[j], p.Up[j])
	lo := p.Minus(r.rlo, greatest)
	up := p.Minus(r.rup, least)
	open := math.IsInf(lo, -1) && math.IsInf(up, 1)
	if open && !p.has(RedundantRows) {
		return false
	}

	p.setRow(i, lo, up)
	p.stack.push(r)
	p.DropCol(j)
	if open { // the row must have a basic logical, which a solver is free not to choose
		p.dropSlackRow(i)
	}
	return true
}

// undo places the column at a bound if the row is nonbasic; otherwise see share.
func (r *slackCol) undo(s *restore) {
	// The column has no cost: its reduced cost is that of its entry.
	s.d[r.j] = -r.v * s.y[r.i]
	st := s.row[r.i]
	if st == Basic {
		r.share(s)
		return
	}

	// The row and the column both rest on the bounds that made this side.
	side := sideFor(opposite(st), r.v > 0)
	s.place(r.j, boundAt(side, r.lo, r.up), side)
}

// share splits the activity of the rest of the row, which is basic, into a value of the column and one of the row: one
// of the two is at a bound and the other is basic.
func (r *slackCol) share(s *restore) {
	rest := s.dot(r.row, s.x)
	slop := feasTol * (1 + math.Abs(rest))

	// The column at a bound, if the row then holds.
	for _, b := range []struct {
		v  float64
		st Status
	}{{r.lo, AtLower}, {r.up, AtUpper}} {
		act := rest + r.v*b.v
		within := act >= r.rlo-slop && act <= r.rup+slop
		if within && !math.IsInf(b.v, 0) {
			s.place(r.j, b.v, b.st)
			s.row[r.i] = Basic
			return
		}
	}

	// Otherwise the row at a side where the column is within its bounds.
	// The lower side first, unless it does not exist or leaves the column no value.
	b := r.rlo
	st := AtLower
	if x := (b - rest) / r.v; math.IsInf(b, 0) || x < r.lo || x > r.up {
		if !math.IsInf(r.rup, 0) {
			b = r.rup
			st = AtUpper
		}
	}

	if math.IsInf(b, 0) {
		s.place(r.j, 0, AtZero)
		s.row[r.i] = Basic
		return
	}
	s.place(r.j, (b-rest)/r.v, Basic)
	s.row[r.i] = st
}
