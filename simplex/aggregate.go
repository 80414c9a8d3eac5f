package simplex

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// cloneMatrix returns a copy whose entries may be changed.
func cloneMatrix(a *lp.Matrix) *lp.Matrix {
	b := *a
	b.Index, b.Value = slices.Clone(a.Index), slices.Clone(a.Value)
	return &b
}

// aggregate uses an equation with two columns, a x_j + b x_k = side, to replace x_j everywhere. Its
// bounds go to x_k. The number of entries never grows: those of x_j move to x_k.
func (p *presolver) aggregate(i int32) bool {
	j, k, a, b := p.twoEntries(i)
	if p.colCount[j] > p.colCount[k] || p.colCount[j] == p.colCount[k] && math.Abs(a) < math.Abs(b) {
		j, k, a, b = k, j, b, a
	}
	if p.colCount[j] > aggregateMax || !(math.Abs(a) >= aggregateTol*math.Abs(b)) || !p.stableColumn(i, j, a) {
		return false
	}
	side := p.rlo[i]
	lo, up := (side-a*p.up[j])/b, (side-a*p.lo[j])/b
	if a < 0 {
		lo, up = up, lo
	}
	if b < 0 {
		lo, up = up, lo
	}
	if max(lo, p.lo[k]) > min(up, p.up[k]) {
		return false // crossed, if only by rounding: left to the solver
	}
	p.stack = append(p.stack, reduction{kind: aggregated, row: i, col: j, other: k,
		lower: lo > p.lo[k], upper: up < p.up[k], flip: a*b > 0})
	p.lo[k], p.up[k] = max(lo, p.lo[k]), min(up, p.up[k])
	ratio := b / a
	p.cost[k] -= p.cost[j] * ratio
	p.offset += p.cost[j] * side / a
	p.rowLive[i], p.colLive[j] = false, false
	p.colCount[k]--
	col := p.cols[j]
	for t, r := range col.index {
		if !p.rowLive[r] {
			continue
		}
		v := col.value[t]
		p.rlo[r] -= v * side / a
		p.rup[r] -= v * side / a
		p.rowCount[r]--
		p.addEntry(r, k, -v*ratio)
		p.rowQueue.push(r)
	}
	p.requeueRows(k)
	p.colQueue.push(k)
	return true
}

const (
	aggregateMax = 8    // most entries of a column that aggregate replaces
	aggregateTol = 1e-2 // least size of its coefficient, relative to the other one
)

// stableColumn reports whether the entries of column j are not much larger than its entry a in row i.
func (p *presolver) stableColumn(i, j int32, a float64) bool {
	col := p.cols[j]
	for t, r := range col.index {
		if r != i && p.rowLive[r] && math.Abs(col.value[t]) > math.Abs(a)/aggregateTol {
			return false
		}
	}
	return true
}

func (p *presolver) twoEntries(i int32) (j, k int32, a, b float64) {
	j, k = -1, -1
	row := p.rows[i]
	for t, c := range row.index {
		switch {
		case !p.colLive[c]:
		case j < 0:
			j, a = c, row.value[t]
		default:
			k, b = c, row.value[t]
		}
	}
	return j, k, a, b
}

// addEntry adds v to the coefficient of column k in row r; one that cancels goes.
func (p *presolver) addEntry(r, k int32, v float64) {
	row, col := &p.rows[r], &p.cols[k]
	at := slices.Index(row.index, k)
	if at < 0 {
		row.index, row.value = append(row.index, k), append(row.value, v)
		col.index, col.value = append(col.index, r), append(col.value, v)
		p.rowCount[r]++
		p.colCount[k]++
		return
	}
	in := slices.Index(col.index, r)
	old := row.value[at]
	row.value[at] += v
	col.value[in] = row.value[at]
	if math.Abs(row.value[at]) > cancelTol*math.Abs(old) {
		return
	}
	row.remove(at)
	col.remove(in)
	p.rowCount[r]--
	p.colCount[k]--
	p.colQueue.push(k)
}

// cancelTol is the size, relative to its terms, below which a sum of coefficients counts as zero.
const cancelTol = 1e-12

func (e *entries) remove(at int) {
	last := len(e.index) - 1
	e.index[at], e.value[at] = e.index[last], e.value[last]
	e.index, e.value = e.index[:last], e.value[:last]
}
