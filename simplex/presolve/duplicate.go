package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// pairs calls try for pairs of lines that may be parallel.
func (p *problem) pairs(lines []sparse.Line, gone []bool, try func(a, b int32) bool) {
	p.work += 2*p.a.NNZ + 4*len(lines)
	sparse.Pairs(lines, gone, func(a, b int32) {
		if p.running() {
			try(a, b)
		}
	})
}

// duplicateRows merges rows that are multiples of each other.
func (p *problem) duplicateRows() {
	if p.has(DuplicateRows) {
		p.pairs(p.a.RowLines(p.goneRow), p.goneRow, p.mergeRows)
	}
}

// duplicateRow is a row r = scale times row i, whose bounds row i took over.
type duplicateRow struct {
	i, r                int32
	scale               float64
	newLo, newUp, fixed bool
}

func (p *problem) mergeRows(i, r int32) bool {
	p.work += 2 * int(p.a.RowLen[i])
	scale, ok := p.a.RowRatio(i, r)
	if !ok {
		return false
	}
	lo, up := p.rlo[r]/scale, p.rup[r]/scale
	if scale < 0 {
		lo, up = up, lo
	}
	rec := &duplicateRow{i: i, r: r, scale: scale, newLo: lo > p.rlo[i], newUp: up < p.rup[i]}
	lo, up = max(lo, p.rlo[i]), min(up, p.rup[i])
	if lo > up {
		if lo-up > infeasTol*(1+math.Abs(up)) {
			p.fail(Infeasible)
			return false
		}
		if rec.newLo {
			lo = up
		} else {
			up = lo
		}
	}
	p.rlo[i], p.rup[i] = lo, up
	rec.fixed = lo == up
	p.stack.push(rec)
	p.dropRow(r)
	p.touchRow(i)
	return true
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
