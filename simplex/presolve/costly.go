package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// costlyCol is a column with the one entry v, in row i, whose cost drives it against a side of the row before it
// gets to its bound there: in every optimum the row holds with equality at that side, and determines the column. What
// stays of the row keeps the column within its other bound, far.
type costlyCol struct {
	i, j         int32
	v, b, far, y float64 // entry, side of the row, bound on the other side, and what the cost adds to the row's dual
	row          vec     // without column j
	side, at     Status  // of the row, and of the column at far
}

// costlySlack takes out x_j if it is such a column: the cost goes to the other columns of row i.
func (p *problem) costlySlack(i, j int32, v float64) bool {
	side, lower, ok := p.CostlySide(i, j, v)
	r := &costlyCol{i: i, j: j, v: v, y: p.Cost[j] / v, b: side, far: p.Up[j], side: AtLower, at: AtUpper}
	if p.Cost[j] < 0 {
		r.far, r.at = p.Lo[j], AtLower
	}
	if !lower {
		r.side = AtUpper
	}
	if !ok || math.Abs(r.far) > hugeBound {
		return false
	}
	r.row = p.saveRow(i, j)
	p.stack.push(r)
	index, value := p.stack.get(r.row)
	p.Offset += r.y * r.b
	for k, c := range index {
		p.Cost[c] = sparse.Cancel(p.Cost[c], r.y*value[k])
		p.ColQueue.Add(c)
	}
	rest := p.Minus(r.b, v*r.far)
	p.RowLo[i], p.RowUp[i] = math.Inf(-1), rest
	if lower {
		p.RowLo[i], p.RowUp[i] = rest, math.Inf(1)
	}
	p.DropCol(j)
	return true
}

func (r *costlyCol) undo(s *restore) {
	if s.row[r.i] == Basic {
		s.x[r.j] = (r.b - s.dot(r.row, s.x)) / r.v
		s.col[r.j], s.d[r.j] = Basic, 0
	} else {
		s.x[r.j], s.col[r.j], s.d[r.j] = r.far, r.at, -r.v*s.y[r.i]
	}
	s.y[r.i] += r.y
	s.row[r.i] = r.side
}
