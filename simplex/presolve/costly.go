package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// costlyCol is a column with the one entry v, in row i, whose cost drives it against a side of the row before it
// reaches its bound there. In every optimum the row holds with equality at that side, and determines the column. What
// remains of the row keeps the column within its other bound, far.
type costlyCol struct {
	i, j int32
	v    float64 // the entry
	b    float64 // the side of the row
	far  float64 // the bound on the other side
	y    float64 // the part of the row's dual that comes from the cost
	row  vec     // without column j
	side Status  // of the row
	at   Status  // of the column at far
}

// costlySlack removes x_j if it is such a column: its cost moves to the other columns of row i.
func (p *problem) costlySlack(i, j int32, v float64) bool {
	// The cost drives the column towards its lower bound where it is positive; far is the bound that it leaves.
	side, lower, ok := p.CostlySide(i, j, v)
	r := &costlyCol{i: i, j: j, v: v, y: p.Cost[j] / v, b: side, far: p.Up[j], side: AtLower, at: AtUpper}

	if p.Cost[j] < 0 {
		r.far = p.Lo[j]
		r.at = AtLower
	}
	if !lower {
		r.side = AtUpper
	}
	if !ok || math.Abs(r.far) > hugeBound {
		return false
	}

	// The record keeps the row before it changes.
	r.row = p.saveRow(i, j)
	p.stack.push(r)
	index, value := p.stack.get(r.row)

	// x_j = (b - rest of the row) / v in the objective.
	p.Offset += r.y * r.b
	for k, c := range index {
		p.Cost[c] = sparse.Cancel(p.Cost[c], r.y*value[k])
		p.ColQueue.Add(c)
	}

	// x_j stays within far if the rest of the row does not pass this side.
	rest := p.Minus(r.b, v*r.far)
	if lower {
		p.setRow(i, rest, math.Inf(1))
	} else {
		p.setRow(i, math.Inf(-1), rest)
	}
	p.DropCol(j)
	return true
}

// undo computes the column from the equation where the rest of the row is basic, and leaves it at far where that is at
// its side.
func (r *costlyCol) undo(s *restore) {
	// The rest of the row is strictly within its side: the column determines the equation.
	if s.row[r.i] == Basic {
		s.x[r.j] = (r.b - s.dot(r.row, s.x)) / r.v
		s.basicCol(r.j)
	} else {
		s.place(r.j, r.far, r.at)
		s.d[r.j] = -r.v * s.y[r.i]
	}

	s.y[r.i] += r.y
	s.row[r.i] = r.side
}
