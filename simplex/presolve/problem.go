package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// problem is the linear program of the present stage, by the rows and columns of the one given.
type problem struct {
	opt      Options
	a        sparse.Linked
	cost     []float64 // minimised
	lo, up   []float64 // columns
	rlo, rup []float64 // rows
	offset   float64   // minimised
	goneCol  []bool
	goneRow  []bool
	act      []activity
	rowQueue queue
	colQueue queue
	stack    stack
	status   Outcome
	work     int // entries touched
	maxWork  int
	removed  int // rows and columns
	dual     dualBounds
}

// queue is a first-in first-out queue without repetitions.
type queue struct {
	list []int32
	in   []bool
}

func (q *queue) add(k int32) {
	if !q.in[k] {
		q.in[k] = true
		q.list = append(q.list, k)
	}
}

// take empties the queue and returns what it held, valid until the call after the next.
func (q *queue) take(spare []int32) []int32 {
	list := q.list
	q.list = spare[:0]
	for _, k := range list {
		q.in[k] = false
	}
	return list
}

// activity bounds the activity of a row by the bounds of its columns: finite sums and the number of
// infinite terms, and the sum of the absolute finite terms for the error of the sums.
type activity struct {
	min, max       float64
	infMin, infMax int32
	size           float64
	ok             bool
}

func (t *activity) lower() float64 {
	if t.infMin > 0 {
		return math.Inf(-1)
	}
	return t.min
}

func (t *activity) upper() float64 {
	if t.infMax > 0 {
		return math.Inf(1)
	}
	return t.max
}

// activity returns the activity bounds of row i.
func (p *problem) activity(i int32) *activity {
	t := &p.act[i]
	if t.ok {
		return t
	}
	*t = activity{ok: true}
	for k := p.a.RowHead[i]; k >= 0; {
		e := &p.a.E[k]
		k = e.NextR
		lo, up := p.terms(e.Val, e.Col)
		if lo < -math.MaxFloat64 {
			t.infMin++
		} else {
			t.min += lo
			t.size += math.Abs(lo)
		}
		if up > math.MaxFloat64 {
			t.infMax++
		} else {
			t.max += up
			t.size += math.Abs(up)
		}
	}
	p.work += int(p.a.RowLen[i])
	return t
}

// terms returns the range of v x_j.
func (p *problem) terms(v float64, j int32) (lo, up float64) {
	if v > 0 {
		return v * p.lo[j], v * p.up[j]
	}
	return v * p.up[j], v * p.lo[j]
}

// impliedBounds returns the bounds on x_j that row i implies through its entry v there and the bounds of
// the other columns, moved outward by the rounding error; infinite where there are none.
func (p *problem) impliedBounds(i, j int32, v float64) (lo, up float64) {
	t := p.activity(i)
	termLo, termUp := p.terms(v, j)
	inf := math.Inf(1)
	slop := roundTol * t.size
	least := p.rlo[i] - without(t.max, t.infMax, termUp, inf) - slop // of v x_j
	most := p.rup[i] - without(t.min, t.infMin, termLo, -inf) + slop
	if v > 0 {
		return least / v, most / v
	}
	return most / v, least / v
}

// without takes one term out of a sum with inf infinite terms, whose value is then infinity.
func without(sum float64, inf int32, term, infinity float64) float64 {
	if math.IsInf(term, 0) {
		inf--
		term = 0
	}
	if inf > 0 {
		return infinity
	}
	return sum - term
}

// touchRow marks row i as changed.
func (p *problem) touchRow(i int32) {
	p.act[i].ok = false
	p.rowQueue.add(i)
}

// touchBounds marks column j and its rows as changed, after its bounds moved.
func (p *problem) touchBounds(j int32) {
	p.colQueue.add(j)
	for k := p.a.ColHead[j]; k >= 0; k = p.a.E[k].NextC {
		p.touchRow(p.a.E[k].Row)
	}
	p.work += int(p.a.ColLen[j])
}

// dropRow takes row i out of the problem; its columns are looked at again.
func (p *problem) dropRow(i int32) {
	p.work += int(p.a.RowLen[i])
	for k := p.a.RowHead[i]; k >= 0; k = p.a.RowHead[i] {
		p.colQueue.add(p.a.E[k].Col)
		p.a.Remove(k)
	}
	p.goneRow[i] = true
	p.removed++
}

// dropCol takes column j out of the problem; its rows are looked at again.
func (p *problem) dropCol(j int32) {
	p.work += int(p.a.ColLen[j])
	for k := p.a.ColHead[j]; k >= 0; k = p.a.ColHead[j] {
		p.touchRow(p.a.E[k].Row)
		p.a.Remove(k)
	}
	p.goneCol[j] = true
	p.removed++
}

// shiftRow moves the bounds of row i down by t.
func (p *problem) shiftRow(i int32, t float64) {
	p.rlo[i], p.rup[i] = minus(p.rlo[i], t), minus(p.rup[i], t)
}

// minus returns a - b, zero where only rounding is left.
func minus(a, b float64) float64 {
	if c := a - b; math.IsInf(c, 0) || math.Abs(c) > roundTol*math.Abs(b) {
		return c
	}
	return 0
}

// fail records that the problem has no optimum.
func (p *problem) fail(o Outcome) {
	if p.status == Reduction {
		p.status = o
	}
}

// tightenCol intersects the bounds of column j with [lo, up] and reports which of them became tighter.
func (p *problem) tightenCol(j int32, lo, up float64) (newLo, newUp bool) {
	newLo, newUp = lo > p.lo[j], up < p.up[j]
	if newLo {
		p.lo[j] = lo
	}
	if newUp {
		p.up[j] = up
	}
	if p.lo[j] > p.up[j] {
		if p.lo[j]-p.up[j] > infeasTol*(1+math.Abs(p.up[j])) {
			p.fail(Infeasible)
			return newLo, newUp
		}
		// Rounding made them cross: the bound that stays decides.
		if newLo {
			p.lo[j] = p.up[j]
		} else {
			p.up[j] = p.lo[j]
		}
	}
	if newLo || newUp {
		p.touchBounds(j)
	}
	return newLo, newUp
}

// rowMax returns the largest absolute entry of row i, colMax that of column j.
func (p *problem) rowMax(i int32) float64 {
	v := 0.0
	for k := p.a.RowHead[i]; k >= 0; k = p.a.E[k].NextR {
		v = max(v, math.Abs(p.a.E[k].Val))
	}
	p.work += int(p.a.RowLen[i])
	return v
}

func (p *problem) colMax(j int32) float64 {
	v := 0.0
	for k := p.a.ColHead[j]; k >= 0; k = p.a.E[k].NextC {
		v = max(v, math.Abs(p.a.E[k].Val))
	}
	p.work += int(p.a.ColLen[j])
	return v
}

// isFree reports whether the bounds of x_j are infinite or implied by row i through its entry v.
func (p *problem) isFree(i, j int32, v float64) bool {
	if math.IsInf(p.lo[j], -1) && math.IsInf(p.up[j], 1) {
		return true
	}
	lo, up := p.impliedBounds(i, j, v)
	return lo >= p.lo[j] && up <= p.up[j]
}
