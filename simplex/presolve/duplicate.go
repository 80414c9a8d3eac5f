package presolve

import (
	"math"
)

// duplicateRows merges rows that are multiples of each other.
func (p *problem) duplicateRows() {
	if p.has(DuplicateRows) {
		p.ParallelRows(p.running, p.mergeRows)
	}
}

// duplicateRow is a row r = scale times row i, whose bounds row i took over.
type duplicateRow struct {
	i, r                int32
	scale               float64
	newLo, newUp, fixed bool
}

func (p *problem) mergeRows(i, r int32) {
	scale, ok := p.RowRatio(i, r, rowTol)
	if !ok {
		return
	}
	lo, up := p.RowLo[r]/scale, p.RowUp[r]/scale
	if scale < 0 {
		lo, up = up, lo
	}
	rec := &duplicateRow{i: i, r: r, scale: scale, newLo: lo > p.RowLo[i], newUp: up < p.RowUp[i]}
	lo, up = max(lo, p.RowLo[i]), min(up, p.RowUp[i])
	if lo > up {
		if lo-up > infeasTol*(1+math.Abs(up)) {
			p.fail(Infeasible)
			return
		}
		if rec.newLo {
			lo = up
		} else {
			up = lo
		}
	}
	p.RowLo[i], p.RowUp[i] = lo, up
	rec.fixed = lo == up
	p.stack.push(rec)
	p.DropRow(r)
	p.TouchRow(i)
}

func (r *duplicateRow) undo(s *restore) {
	s.y[r.r], s.row[r.r] = 0, Basic
	st, ours := owner(s.row[r.i], s.y[r.i], r.newLo, r.newUp, r.fixed)
	s.row[r.i] = st
	if !ours {
		return
	}
	s.y[r.r], s.row[r.r] = s.y[r.i]/r.scale, sideFor(st, r.scale > 0)
	s.y[r.i], s.row[r.i] = 0, Basic
}
