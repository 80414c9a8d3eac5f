package presolve

import "math"

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
	e := p.a.e[p.a.rowHead[i]]
	f := p.a.e[e.nextR]
	if p.a.colLen[e.col] > p.a.colLen[f.col] {
		e, f = f, e
	}
	if !p.mayEliminate(&e, &f) {
		e, f = f, e
		if !p.mayEliminate(&e, &f) {
			return
		}
	}
	r := &doubletonRow{i: i, j: e.col, k: f.col, aj: e.val, ak: f.val, b: p.rlo[i], cost: p.cost[e.col], col: p.saveCol(e.col, i)}
	lo, up := r.boundsOfK(p.lo[r.j], p.up[r.j])
	r.newLo, r.newUp = p.tightenCol(r.k, lo, up)
	r.fixed = p.lo[r.k] == p.up[r.k]
	p.stack.push(r)
	p.eliminate(i, r.j, r.aj)
}

// mayEliminate reports whether e is a good pivot of its row, whose other entry is f, and its column.
func (p *problem) mayEliminate(e, f *entry) bool {
	if math.Abs(e.val) < pivotAbs || math.Abs(f.val) > maxRatio*math.Abs(e.val) {
		return false
	}
	for _, v := range [2]float64{p.lo[e.col], p.up[e.col]} {
		if !math.IsInf(v, 0) && math.Abs(v) > hugeBound {
			return false
		}
	}
	return math.Abs(e.val) >= pivotCol*p.colMax(e.col)
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
	b := p.rlo[i]
	row := p.saveRow(i, j)
	index, value := p.stack.get(row)
	f := p.cost[j] / pivot
	if f != 0 {
		p.offset += f * b
		for k, c := range index {
			p.cost[c] = cancel(p.cost[c], f*value[k])
		}
	}
	for k := p.a.colHead[j]; k >= 0; k = p.a.e[k].nextC {
		if r := p.a.e[k].row; r != i {
			p.subtractRow(r, index, value, p.a.e[k].val/pivot)
			p.shiftRow(r, b*(p.a.e[k].val/pivot))
		}
	}
	p.dropCol(j)
	p.dropRow(i)
	for _, c := range index {
		p.colQueue.add(c)
	}
}

// subtractRow subtracts f times the saved row from row r.
func (p *problem) subtractRow(r int32, index []int32, value []float64, f float64) {
	for k := p.a.rowHead[r]; k >= 0; k = p.a.e[k].nextR {
		p.place[p.a.e[k].col] = k
	}
	for k, c := range index {
		t := f * value[k]
		if at := p.place[c]; at < 0 {
			p.a.add(r, c, -t)
		} else if v := cancel(p.a.e[at].val, t); v != 0 {
			p.a.e[at].val = v
		} else {
			p.a.remove(at)
			p.place[c] = -1
		}
	}
	for k := p.a.rowHead[r]; k >= 0; k = p.a.e[k].nextR {
		p.place[p.a.e[k].col] = -1
	}
	p.work += 2*int(p.a.rowLen[r]) + len(index)
	p.touchRow(r)
}

// cancel returns a - b, zero where the two are equal but for rounding.
func cancel(a, b float64) float64 {
	if c := a - b; math.Abs(c) > cancelTol*math.Abs(b) {
		return c
	}
	return 0
}
