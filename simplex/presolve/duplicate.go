package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
)

// duplicateRows merges rows that are multiples of each other.
func (p *problem) duplicateRows() {
	if p.has(DuplicateRows) {
		p.ParallelRows(p.running, p.mergeRows)
	}
}

// duplicateRow is a row r = scale times row i, whose sides were intersected with those of row i.
type duplicateRow struct {
	i, r                int32
	scale               float64
	newLo, newUp, fixed bool // sides of row i that come from row r, and whether they are equal; see owner
}

// mergeRows merges row r into row i if it is a multiple of it, or finds that both cannot hold.
func (p *problem) mergeRows(i, r int32) {
	scale, ok := p.RowRatio(i, r, rowTol)
	if !ok {
		return
	}

	// Row r divided by the scale has the entries of row i.
	lo, up := activity.Divide(p.RowLo[r], p.RowUp[r], scale)

	rec := &duplicateRow{i: i, r: r, scale: scale, newLo: lo > p.RowLo[i], newUp: up < p.RowUp[i]}
	lo = max(lo, p.RowLo[i])
	up = min(up, p.RowUp[i])

	// Sides that cross by more than the tolerance exclude each other.
	if lo > up {
		if lo-up > infeasTol*(1+math.Abs(up)) {
			p.fail(Infeasible)
			return
		}

		// The sides have crossed by rounding: that of row i remains.
		if rec.newLo {
			lo = up
		} else {
			up = lo
		}
	}

	// Row r follows from row i.
	p.setRow(i, lo, up)
	rec.fixed = lo == up
	p.stack.push(rec)
	p.DropRow(r)
	p.TouchRow(i)
}

// undo gives the dual to row r if row i rests on a side that comes from it; the other row has a basic logical.
func (r *duplicateRow) undo(s *restore) {
	// The row that owns the side at which the activity rests gets the dual.
	s.basicRow(r.r)
	st, owned := owner(s.row[r.i], s.y[r.i], r.newLo, r.newUp, r.fixed)
	s.row[r.i] = st
	if owned {
		s.y[r.r] = s.y[r.i] / r.scale
		s.row[r.r] = sideFor(st, r.scale > 0)
		s.basicRow(r.i)
	}
}
