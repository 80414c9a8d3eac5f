package presolve

import "math"

// fixedCol is a column taken out at the value v.
type fixedCol struct {
	j       int32
	v, cost float64
	col     vec
	free    bool // the column had no bounds and no cost
}

// fix takes column j out at value v.
func (p *problem) fix(j int32, v float64) {
	free := math.IsInf(p.Lo[j], -1) && math.IsInf(p.Up[j], 1)
	p.stack.push(&fixedCol{j: j, v: v, cost: p.Cost[j], col: p.saveCol(j, -1), free: free})
	p.Offset += p.Cost[j] * v
	if v != 0 {
		for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
			p.ShiftRow(p.A.E[k].Row, p.A.E[k].Val, v)
		}
	}
	p.Lo[j], p.Up[j] = v, v
	p.DropCol(j)
}

// fixAt takes column j out at the bound st.
func (p *problem) fixAt(j int32, st Status) {
	v := p.Lo[j]
	if st == AtUpper {
		v = p.Up[j]
	}
	p.stack.push(&restingCol{j, st, p.Lo[j] == p.Up[j]})
	p.fix(j, v)
}

func (r *fixedCol) undo(s *restore) {
	s.x[r.j] = r.v
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

// restingCol says at which bound a column was fixed, where that does not follow from its reduced cost.
type restingCol struct {
	j     int32
	st    Status
	fixed bool // its bounds were equal
}

func (r *restingCol) undo(s *restore) {
	if !r.fixed {
		s.col[r.j] = r.st
	}
}

// emptyCol takes out column j, which has no entries, at the bound that its cost asks for.
func (p *problem) emptyCol(j int32) {
	c, lo, up := p.Cost[j], p.Lo[j], p.Up[j]
	switch {
	case !p.has(FixedCols):
	case c == 0 && math.IsInf(lo, -1) && math.IsInf(up, 1):
		p.fix(j, 0)
	case c > 0 || c == 0 && (math.Abs(lo) <= math.Abs(up)):
		p.fixIfFinite(j, AtLower, lo)
	default:
		p.fixIfFinite(j, AtUpper, up)
	}
}

func (p *problem) fixIfFinite(j int32, st Status, bound float64) {
	if math.IsInf(bound, 0) {
		p.fail(UnboundedOrInfeasible)
		return
	}
	p.fixAt(j, st)
}
