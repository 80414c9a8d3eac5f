package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/program"
)

// singletonCol deals with column j, which has one entry: it is free and leaves with its row, or it is a
// slack and widens the bounds of its row.
func (p *problem) singletonCol(j int32) bool {
	e := p.A.E[p.A.ColHead[j]]
	if math.Abs(e.Val) < program.PivotAbs || p.A.RowLen[e.Row] < 2 || math.Abs(e.Val) < program.PivotRow*p.RowMax(e.Row) {
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

// freeSingleton takes out x_j and row i: the dual of the row is known, and so the side at which it holds.
func (p *problem) freeSingleton(i, j int32, v float64) bool {
	side := AtLower
	switch y := p.Cost[j] / v; {
	case y < 0, y == 0 && math.IsInf(p.RowLo[i], -1):
		side = AtUpper
	}
	b := p.RowLo[i]
	if side == AtUpper {
		b = p.RowUp[i]
	}
	if math.IsInf(b, 0) {
		if p.Cost[j] != 0 && math.Abs(p.Cost[j]) > dualTol {
			p.fail(UnboundedOrInfeasible)
		}
		return false
	}
	p.RowLo[i], p.RowUp[i] = b, b
	p.pushSubstitution(i, j, v, side)
	p.eliminate(i, j, v)
	return true
}

// slackCol is a column without cost, and with the one entry v, in row i, that was taken into the bounds of
// the row. A column with a cost could be taken into an equation as well, but spreading its cost over the
// row makes the dual simplex method take more pivots than the smaller model saves.
type slackCol struct {
	i, j             int32
	v                float64
	lo, up, rlo, rup float64
	row              vec
}

func (p *problem) slack(i, j int32, v float64) bool {
	r := &slackCol{i: i, j: j, v: v, lo: p.Lo[j], up: p.Up[j], rlo: p.RowLo[i], rup: p.RowUp[i], row: p.saveRow(i, j)}
	for _, b := range [2]float64{r.lo, r.up} {
		if !math.IsInf(b, 0) && math.Abs(b) > hugeBound {
			return false
		}
	}
	least, greatest := activity.Terms(v, p.Lo[j], p.Up[j])
	lo, up := p.Minus(r.rlo, greatest), p.Minus(r.rup, least)
	open := math.IsInf(lo, -1) && math.IsInf(up, 1)
	if open && !p.has(RedundantRows) {
		return false
	}
	p.RowLo[i], p.RowUp[i] = lo, up
	p.stack.push(r)
	p.DropCol(j)
	if open { // it must leave with a basic logical, which a solver need not choose
		p.dropSlackRow(i)
	}
	return true
}

func (r *slackCol) undo(s *restore) {
	s.d[r.j] = -r.v * s.y[r.i]
	switch st := s.row[r.i]; st {
	case Basic:
		r.share(s)
	default:
		// The row and the column both rest on the bounds that made this side.
		side := sideFor(opposite(st), r.v > 0)
		s.col[r.j], s.x[r.j] = side, r.lo
		if side == AtUpper {
			s.x[r.j] = r.up
		}
	}
}

// share splits the activity of the rest of the row, which is basic, into a value of the column and one
// of the row, of which one rests on a bound and the other is basic.
func (r *slackCol) share(s *restore) {
	rest := s.dot(r.row, s.x)
	slop := feasTol * (1 + math.Abs(rest))
	for _, b := range []struct {
		v  float64
		st Status
	}{{r.lo, AtLower}, {r.up, AtUpper}} {
		if act := rest + r.v*b.v; !math.IsInf(b.v, 0) && act >= r.rlo-slop && act <= r.rup+slop {
			s.x[r.j], s.col[r.j], s.row[r.i] = b.v, b.st, Basic
			return
		}
	}
	b, st := r.rlo, AtLower
	if x := (b - rest) / r.v; math.IsInf(b, 0) || x < r.lo || x > r.up {
		if !math.IsInf(r.rup, 0) {
			b, st = r.rup, AtUpper
		}
	}
	if math.IsInf(b, 0) {
		s.x[r.j], s.col[r.j], s.row[r.i] = 0, AtZero, Basic
		return
	}
	s.x[r.j], s.col[r.j], s.row[r.i] = (b-rest)/r.v, Basic, st
}
