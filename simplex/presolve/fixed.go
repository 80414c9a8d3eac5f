package presolve

import "math"

// fixedCol is a column removed at the value v.
type fixedCol struct {
	j       int32
	v, cost float64
	col     vec  // its entries
	free    bool // the column had no bounds and no cost
}

// fix removes column j at the value v: its terms become part of the offset and of the sides of its rows.
func (p *problem) fix(j int32, v float64) {
	// The record keeps the column, whose reduced cost postsolve computes.
	free := math.IsInf(p.Lo[j], -1) && math.IsInf(p.Up[j], 1)
	p.stack.push(&fixedCol{j: j, v: v, cost: p.Cost[j], col: p.saveCol(j, -1), free: free})

	// The objective and the sides take what the column contributes.
	p.Offset += p.Cost[j] * v
	if v != 0 {
		for e := range p.A.Col(j) {
			p.ShiftRow(e.Row, e.Val, v)
		}
	}

	// Later reductions must not see the old bounds.
	p.Lo[j] = v
	p.Up[j] = v
	p.DropCol(j)
}

// fixAt removes column j at its bound st.
func (p *problem) fixAt(j int32, st Status) {
	v := boundAt(st, p.Lo[j], p.Up[j])
	p.stack.push(&restingCol{j, st, p.Lo[j] == p.Up[j]})
	p.fix(j, v)
}

// undo computes the reduced cost, and the status that its sign implies.
func (r *fixedCol) undo(s *restore) {
	s.x[r.j] = r.v

	// The reduced cost follows from the duals of the rows, which are known by now.
	s.d[r.j] = r.cost - s.dot(r.col, s.y)

	switch {
	case r.free:
		s.col[r.j] = AtZero
	case s.d[r.j] < 0:
		s.col[r.j] = AtUpper
	default:
		s.col[r.j] = AtLower
	}
}

// restingCol records the bound at which a column was fixed, where that does not follow from its reduced cost.
type restingCol struct {
	j     int32
	st    Status
	fixed bool // its bounds were equal
}

// undo sets the status, unless the bounds were equal: then the sign of the reduced cost determines it.
func (r *restingCol) undo(s *restore) {
	if !r.fixed {
		s.col[r.j] = r.st
	}
}

// emptyCol removes column j, which has no entries, at the bound that is best for its cost; without a cost, at the bound
// nearer to zero.
func (p *problem) emptyCol(j int32) {
	// Without entries only the cost decides.
	c := p.Cost[j]
	lo, up := p.Lo[j], p.Up[j]
	free := math.IsInf(lo, -1) && math.IsInf(up, 1)

	switch {
	case !p.has(FixedCols):
	case c == 0 && free:
		p.fix(j, 0)
	case c > 0 || c == 0 && math.Abs(lo) <= math.Abs(up):
		p.fixIfFinite(j, AtLower, lo)
	default:
		p.fixIfFinite(j, AtUpper, up)
	}
}

// fixIfFinite removes column j at its bound st; there is no optimum if that is infinite.
func (p *problem) fixIfFinite(j int32, st Status, bound float64) {
	if math.IsInf(bound, 0) {
		p.fail(UnboundedOrInfeasible)
		return
	}
	p.fixAt(j, st)
}
