package presolve

// substitution is a column with implied bounds that was eliminated by means of a row that holds with equality.
type substitution struct {
	i, j           int32
	pivot, b, cost float64
	row, col       vec    // without the pivot
	side           Status // of the row
}

// substitute looks for the shortest row that can eliminate column j, whose bounds its rows imply, and does so if that
// adds few entries. If the row is an inequality, it holds with equality in some optimum, and its dual has the right
// sign: the duals of the other rows of the column, which do not bound x_j on that side, only add to it.
func (p *problem) substitute(j int32) {
	best, b := p.Substitutable(j)
	if best < 0 {
		return
	}

	// The row holds at the side b, with equality from here on.
	e := p.A.E[best]
	side := AtLower
	if b != p.RowLo[e.Row] {
		side = AtUpper
	}
	p.setRow(e.Row, b, b)
	p.pushSubstitution(e.Row, j, e.Val, side)
	p.eliminate(e.Row, j, e.Val)
}

// pushSubstitution records that row i, whose sides are equal now, holds with equality at the given side and determines
// x_j.
func (p *problem) pushSubstitution(i, j int32, pivot float64, side Status) {
	p.stack.push(&substitution{
		i:     i,
		j:     j,
		pivot: pivot,
		b:     p.RowLo[i],
		cost:  p.Cost[j],
		row:   p.saveRow(i, j),
		col:   p.saveCol(j, i),
		side:  side,
	})
}

// undo computes the column from the row, and the dual that makes the reduced cost of the column zero.
func (r *substitution) undo(s *restore) {
	// The equation gives the column, and the dual that prices it out.
	s.x[r.j] = (r.b - s.dot(r.row, s.x)) / r.pivot
	s.y[r.i] = (r.cost - s.dot(r.col, s.y)) / r.pivot
	s.row[r.i] = r.side
	s.basicCol(r.j)
}
