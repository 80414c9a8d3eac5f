package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/program"
	"github.com/proxybd/proxybd/internal/sparse"
)

// doubletonRow is an equation aj x_j + ak x_k = b that has eliminated x_j from every other row. The bounds of x_j
// became bounds of x_k.
type doubletonRow struct {
	i, j, k             int32
	aj, ak, b, cost     float64
	col                 vec  // of x_j, without row i
	newLo, newUp, fixed bool // bounds of x_k that come from x_j, and whether they are equal; see owner
}

// doubleton eliminates one column of equation i: the shorter one, or the other one if only that is a good pivot.
func (p *problem) doubleton(i int32) {
	e := p.A.E[p.A.RowHead[i]]
	f := p.A.E[e.NextR]

	// e is the pivot; the shorter column adds fewer entries.
	if p.A.ColLen[e.Col] > p.A.ColLen[f.Col] {
		e, f = f, e
	}

	if !p.mayEliminate(&e, &f) {
		e, f = f, e
		if !p.mayEliminate(&e, &f) {
			return
		}
	}

	r := &doubletonRow{
		i:    i,
		j:    e.Col,
		k:    f.Col,
		aj:   e.Val,
		ak:   f.Val,
		b:    p.RowLo[i],
		cost: p.Cost[e.Col],
		col:  p.saveCol(e.Col, i),
	}

	// The equation turns the bounds of x_j into bounds of x_k.
	lo, up := r.boundsOfK(p.Lo[r.j], p.Up[r.j])
	r.newLo, r.newUp = p.tightenCol(r.k, lo, up)
	r.fixed = p.Lo[r.k] == p.Up[r.k]
	p.stack.push(r)
	p.eliminate(i, r.j, r.aj)
}

// mayEliminate reports whether e is a good pivot of its row, whose other entry is f, and of its column. Large finite
// bounds are not moved to the other column: their rounding errors would be large.
func (p *problem) mayEliminate(e, f *sparse.Link) bool {
	// The pivot must be large in itself, and not small next to the other entry.
	if math.Abs(e.Val) < program.PivotAbs || math.Abs(f.Val) > maxRatio*math.Abs(e.Val) {
		return false
	}

	// Large bounds would lose their digits when they move to the other column.
	return !huge(p.Lo[e.Col], p.Up[e.Col]) && math.Abs(e.Val) >= program.PivotCol*p.ColMax(e.Col)
}

// boundsOfK returns the bounds of x_k that lo <= x_j <= up implies.
func (r *doubletonRow) boundsOfK(lo, up float64) (float64, float64) {
	// x_k = (b - aj x_j) / ak at either bound of x_j.
	a := (r.b - r.aj*lo) / r.ak
	b := (r.b - r.aj*up) / r.ak
	if r.aj/r.ak > 0 {
		return b, a
	}
	return a, b
}

// undo computes x_j from the equation, and the dual that makes the reduced cost of x_j zero. If x_k rests on a bound
// that comes from x_j, it is x_j that rests on its bound, and x_k becomes basic: the dual then makes its reduced cost
// zero.
func (r *doubletonRow) undo(s *restore) {
	// The equation is tight, and its dual prices x_j out.
	s.x[r.j] = (r.b - r.ak*s.x[r.k]) / r.aj
	s.row[r.i] = AtLower
	s.y[r.i] = (r.cost - s.dot(r.col, s.y)) / r.aj
	s.basicCol(r.j)

	st, owned := owner(s.col[r.k], s.d[r.k], r.newLo, r.newUp, r.fixed)
	s.col[r.k] = st
	if owned {
		t := s.d[r.k] / r.ak
		s.y[r.i] += t
		s.col[r.j] = sideFor(st, r.aj/r.ak < 0)
		s.d[r.j] = -r.aj * t
		s.basicCol(r.k)
	}
}

// eliminate substitutes x_j in the objective and the other rows by means of equation i, where its entry is pivot, and
// drops both.
func (p *problem) eliminate(i, j int32, pivot float64) {
	b := p.RowLo[i]
	row := p.saveRow(i, j)
	index, value := p.stack.get(row)

	// The objective, as a row: f times the equation is subtracted.
	f := p.Cost[j] / pivot
	if f != 0 {
		p.Offset += f * b
		for k, c := range index {
			p.Cost[c] = sparse.Cancel(p.Cost[c], f*value[k])
		}
	}

	// The rows change in their entries and sides, so that other reductions may apply to them.
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		if r := p.A.E[k].Row; r != i {
			p.Work += p.A.SubtractRow(r, index, value, p.A.E[k].Val/pivot)
			p.TouchRow(r)
			p.ShiftRow(r, b, p.A.E[k].Val/pivot)
		}
	}

	p.DropCol(j)
	p.DropRow(i)
	for _, c := range index {
		p.ColQueue.Add(c)
	}
}
