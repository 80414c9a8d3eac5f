package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// shortRow removes an empty row, or turns a row with one entry into bounds.
func (p *problem) shortRow(i int32) bool {
	if p.a.RowLen[i] == 0 {
		if p.rlo[i] > p.tolerance(p.rlo[i]) || p.rup[i] < -p.tolerance(p.rup[i]) {
			p.infeasible = true
			return true
		}
		p.dropRow(i)
		return true
	}
	e := p.a.E[p.a.RowHead[i]]
	if v := math.Abs(e.Val); !p.integer[e.Col] && (v < pivotAbs || v > pivotMost) {
		return false
	}
	lo, up := p.rlo[i]/e.Val, p.rup[i]/e.Val
	if e.Val < 0 {
		lo, up = up, lo
	}
	p.dropRow(i)
	p.setBounds(e.Col, lo, up)
	return true
}

// impliedRow compares row i with the range of its activity: it may be impossible, redundant, or hold only
// with all columns at bounds. It returns true where the row is gone or the problem infeasible.
func (p *problem) impliedRow(i int32) bool {
	t := p.activity(i)
	least, most, noise := t.Lower(), t.Upper(), roundTol*t.Size
	lo, up := p.rlo[i], p.rup[i]
	if least-noise > up+p.tolerance(up) || most+noise < lo-p.tolerance(lo) {
		p.infeasible = true
		return true
	}
	if !math.IsInf(lo, -1) && least >= lo-exactTol*(1+math.Abs(lo)) {
		p.rlo[i] = math.Inf(-1)
		p.touchCols(i)
	}
	if !math.IsInf(up, 1) && most <= up+exactTol*(1+math.Abs(up)) {
		p.rup[i] = math.Inf(1)
		p.touchCols(i)
	}
	if math.IsInf(p.rlo[i], -1) && math.IsInf(p.rup[i], 1) {
		p.dropRow(i)
		return true
	}
	if !p.has(Bounds) {
		return false
	}
	switch tight := 4*noise + roundTol; {
	case !math.IsInf(up, 1) && least >= up-tight:
		p.force(i, false)
		return true
	case !math.IsInf(lo, -1) && most <= lo+tight:
		p.force(i, true)
		return true
	}
	return false
}

// force fixes all columns of row i where its activity is largest, or least.
func (p *problem) force(i int32, largest bool) {
	cols, vals := p.rowEntries(i, -1)
	p.dropRow(i)
	for k, j := range cols {
		at := p.lo[j]
		if vals[k] > 0 == largest {
			at = p.up[j]
		}
		p.setBounds(j, at, at)
		p.count.Tightened++
	}
}

// rowEntries returns a copy of row i without column skip.
func (p *problem) rowEntries(i, skip int32) (cols []int32, vals []float64) {
	cols, vals = make([]int32, 0, p.a.RowLen[i]), make([]float64, 0, p.a.RowLen[i])
	for k := p.a.RowHead[i]; k >= 0; k = p.a.E[k].NextR {
		if e := &p.a.E[k]; e.Col != skip {
			cols, vals = append(cols, e.Col), append(vals, e.Val)
		}
	}
	p.work += int(p.a.RowLen[i])
	return cols, vals
}

// parallelRows merges rows that are multiples of each other.
func (p *problem) parallelRows() {
	if !p.has(ParallelRows) {
		return
	}
	lines := p.a.RowLines(p.goneRow)
	p.work += 2*p.a.NNZ + 4*len(lines)
	sparse.Pairs(lines, p.goneRow, func(i, r int32) {
		if !p.running() {
			return
		}
		p.work += 2 * int(p.a.RowLen[i])
		if s, ok := p.a.RowRatio(i, r); ok {
			p.mergeRows(i, r, s)
		}
	})
}

// mergeRows gives the sides of row r, which is s times row i, to row i.
func (p *problem) mergeRows(i, r int32, s float64) {
	if math.Abs(s) < pivotAbs || math.Abs(s) > pivotMost {
		return
	}
	lo, up := p.rlo[r]/s, p.rup[r]/s
	if s < 0 {
		lo, up = up, lo
	}
	p.rlo[i], p.rup[i] = math.Max(lo, p.rlo[i]), math.Min(up, p.rup[i])
	p.crossingRow(i)
	p.dropRow(r)
	p.touchRow(i)
	p.count.ParallelRows++
}
