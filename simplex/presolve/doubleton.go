package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/program"
	"github.com/proxybd/proxybd/internal/sparse"
)

// doubletonRow is an equation aj x_j + ak x_k = b, used to take x_j out of every other row. The bounds of
// x_j became bounds of x_k.
type doubletonRow struct {
	i, j, k             int32
	aj, ak, b, cost     float64
	col                 vec // of x_j, without row i
	newLo, newUp, fixed bool
}

// doubleton eliminates one column of equation i, the shorter one if its coefficient allows.
func (p *problem) doubleton(i int32) {
	e := p.A.E[p.A.RowHead[i]]
	f := p.A.E[e.NextR]
	if p.A.ColLen[e.Col] > p.A.ColLen[f.Col] {
		e, f = f, e
	}
	if !p.mayEliminate(&e, &f) {
		e, f = f, e
		if !p.mayEliminate(&e, &f) {
			return
		}
	}
	r := &doubletonRow{i: i, j: e.Col, k: f.Col, aj: e.Val, ak: f.Val, b: p.RowLo[i], cost: p.Cost[e.Col],
		col: p.saveCol(e.Col, i)}
	lo, up := r.boundsOfK(p.Lo[r.j], p.Up[r.j])
	r.newLo, r.newUp = p.tightenCol(r.k, lo, up)
	r.fixed = p.Lo[r.k] == p.Up[r.k]
	p.stack.push(r)
	p.eliminate(i, r.j, r.aj)
}

// mayEliminate reports whether e is a good pivot of its row, whose other entry is f, and its column.
func (p *problem) mayEliminate(e, f *sparse.Link) bool {
	if math.Abs(e.Val) < program.PivotAbs || math.Abs(f.Val) > maxRatio*math.Abs(e.Val) {
		return false
	}
	for _, v := range [2]float64{p.Lo[e.Col], p.Up[e.Col]} {
		if !math.IsInf(v, 0) && math.Abs(v) > hugeBound {
			return false
		}
	}
	return math.Abs(e.Val) >= program.PivotCol*p.ColMax(e.Col)
}

// boundsOfK returns what lo <= x_j <= up says about x_k.
func (r *doubletonRow) boundsOfK(lo, up float64) (float64, float64) {
	a, b := (r.b-r.aj*lo)/r.ak, (r.b-r.aj*up)/r.ak
	if r.aj/r.ak > 0 {
		return b, a
	}
	return a, b
}

func (r *doubletonRow) undo(s *restore) {
	s.x[r.j] = (r.b - r.ak*s.x[r.k]) / r.aj
	s.row[r.i] = AtLower
	y := (r.cost - s.dot(r.col, s.y)) / r.aj
	st, ours := owner(s.col[r.k], s.d[r.k], r.newLo, r.newUp, r.fixed)
	s.col[r.k] = st
	s.col[r.j], s.d[r.j] = Basic, 0
	if ours {
		t := s.d[r.k] / r.ak
		y += t
		s.col[r.j], s.d[r.j] = sideFor(st, r.aj/r.ak < 0), -r.aj*t
		s.col[r.k], s.d[r.k] = Basic, 0
	}
	s.y[r.i] = y
}

// eliminate takes column j out of the objective and the rows by means of equation i, where its
// coefficient is pivot, and drops both.
func (p *problem) eliminate(i, j int32, pivot float64) {
	b := p.RowLo[i]
	row := p.saveRow(i, j)
	index, value := p.stack.get(row)
	f := p.Cost[j] / pivot
	if f != 0 {
		p.Offset += f * b
		for k, c := range index {
			p.Cost[c] = sparse.Cancel(p.Cost[c], f*value[k])
		}
	}
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
