package presolve

import "math"

// substitution is a column whose bounds are implied, taken out by means of an equation.
type substitution struct {
	i, j           int32
	pivot, b, cost float64
	row, col       vec // without the pivot
	side           Status
}

// substitute looks for the shortest equation that implies the bounds of column j and eliminates j with
// it, where that adds few entries.
func (p *problem) substitute(j int32) {
	best := int32(-1)
	colMax := -1.0
	n := p.a.ColLen[j]
	for k := p.a.ColHead[j]; k >= 0; k = p.a.E[k].NextC {
		e := &p.a.E[k]
		length := p.a.RowLen[e.Row]
		if p.rlo[e.Row] != p.rup[e.Row] || length < 2 || (length-1)*(n-1) > length+n-1+maxFill {
			continue
		}
		if best >= 0 && length >= p.a.RowLen[p.a.E[best].Row] {
			continue
		}
		if colMax < 0 {
			if !p.impliedFree(j) {
				return
			}
			colMax = p.colMax(j)
		}
		if math.Abs(e.Val) >= max(pivotAbs, pivotCol*colMax, pivotRow*p.rowMax(e.Row)) {
			best = k
		}
	}
	if best < 0 {
		return
	}
	e := p.a.E[best]
	p.pushSubstitution(e.Row, j, e.Val, AtLower)
	p.eliminate(e.Row, j, e.Val)
}

// impliedFree reports whether the rows of column j imply its bounds.
func (p *problem) impliedFree(j int32) bool {
	lo, up := math.Inf(-1), math.Inf(1)
	for k := p.a.ColHead[j]; k >= 0; k = p.a.E[k].NextC {
		if lo >= p.lo[j] && up <= p.up[j] {
			break
		}
		e := &p.a.E[k]
		l, u := p.impliedBounds(e.Row, j, e.Val)
		lo, up = max(lo, l), min(up, u)
	}
	p.work += int(p.a.ColLen[j])
	return lo >= p.lo[j] && up <= p.up[j]
}

// pushSubstitution records that row i holds with equality at its side, whose value both bounds of the
// row now have, and determines x_j.
func (p *problem) pushSubstitution(i, j int32, pivot float64, side Status) {
	p.stack.push(&substitution{i: i, j: j, pivot: pivot, b: p.rlo[i], cost: p.cost[j], row: p.saveRow(i, j), col: p.saveCol(j, i), side: side})
}

func (r *substitution) undo(s *restore) {
	s.x[r.j] = (r.b - s.dot(r.row, s.x)) / r.pivot
	s.y[r.i] = (r.cost - s.dot(r.col, s.y)) / r.pivot
	s.row[r.i] = r.side
	s.col[r.j], s.d[r.j] = Basic, 0
}
