package presolve

// substitution is a column whose bounds are implied, taken out by means of a row that holds with equality.
type substitution struct {
	i, j           int32
	pivot, b, cost float64
	row, col       vec // without the pivot
	side           Status
}

// substitute looks for the shortest row that can eliminate column j, whose bounds its rows imply, and does so where
// that adds few entries. An inequality among the rows holds with equality in some optimum, and its dual has the right
// sign: that of every other row, which does not end x_j there, only adds to it.
func (p *problem) substitute(j int32) {
	best, b := p.Substitutable(j)
	if best < 0 {
		return
	}
	e := p.A.E[best]
	side := AtLower
	if b != p.RowLo[e.Row] {
		side = AtUpper
	}
	p.RowLo[e.Row], p.RowUp[e.Row] = b, b
	p.pushSubstitution(e.Row, j, e.Val, side)
	p.eliminate(e.Row, j, e.Val)
}

// pushSubstitution records that row i holds with equality at its side, whose value both bounds of the
// row now have, and determines x_j.
func (p *problem) pushSubstitution(i, j int32, pivot float64, side Status) {
	p.stack.push(&substitution{i: i, j: j, pivot: pivot, b: p.RowLo[i], cost: p.Cost[j], row: p.saveRow(i, j),
		col: p.saveCol(j, i), side: side})
}

func (r *substitution) undo(s *restore) {
	s.x[r.j] = (r.b - s.dot(r.row, s.x)) / r.pivot
	s.y[r.i] = (r.cost - s.dot(r.col, s.y)) / r.pivot
	s.row[r.i] = r.side
	s.col[r.j], s.d[r.j] = Basic, 0
}
