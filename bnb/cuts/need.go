package cuts

import "math"

// In a network whose arcs have large capacities compared with their flows, the nearest bound of a flow is 0, and an
// aggregation without variable bounds has nothing to round. But an arc need not carry more than the need of the row,
// here d:
//
//	sum x_j >= d,   0 <= x_j <= u_j y_j,   gives   sum over L of min(u_j, d) y_j + sum outside L of x_j >= d
//
// for every set L of columns, which is most violated if L holds those with min(u_j, d) y_j < x_j (as in flow covers:
// Van Roy and Wolsey, Solving mixed integer programming problems using automatic reformulation, 1987). So rows are
// rounded a second time, with the columns of L measured from their variable bounds and the others from 0.

// setNeed computes the need of the row sign*a <= side, whose columns are gathered: with the logicals at their nearer
// sides, the integer columns rounded and the continuous columns at their lower bounds, the row is violated by it, and
// the terms with negative coefficients must make up for it. The need is 0 if the row is not violated, or if no column
// would be measured from another bound than its nearest one.
func (g *mir) setNeed(a *aggregation, sign float64) {
	g.v.work += len(a.cols) + len(a.rows)

	// The least value of the row: logicals at their nearer sides, flows at their lower bounds.
	need := 0.0
	for k, i := range a.rows {
		r := &g.v.rows[i]
		c := -sign * a.weight[k]
		at := g.v.activity[i]
		if at-r.Lower <= r.Upper-at {
			need += c * r.Lower
		} else {
			need += c * r.Upper
		}
	}

	// The flows need not carry anything, the integer columns are where rounding puts them.
	for _, e := range g.flows {
		need += sign * e.coef * g.m.Lower[e.col]
	}
	for _, e := range g.wholes {
		need += sign * e.coef * math.Round(g.v.x[e.col])
	}

	g.need = 0
	if !(need > mirError*g.largest) || math.IsInf(need, 0) {
		return
	}

	// The second rounding is worth its work if some column is measured from another bound.
	g.need = need
	for _, e := range g.flows {
		c := sign * e.coef
		b := g.capacity(e.col, c)
		if b == nil {
			continue
		}
		if nearest := g.measured.of(e.col, c).vb == b; g.serves(e.col, c, b) != nearest {
			return
		}
	}
	g.need = 0
}

// capacity returns the variable upper bound of a flow that can meet a need, of a column with coefficient c < 0: the
// flow is at its lower bound where the integer column is 0. It returns nil if there is none.
func (g *mir) capacity(j int32, c float64) *variableBound {
	// Only a column with a negative coefficient can meet the need.
	if c >= 0 {
		return nil
	}

	// The flow is closed where its integer column is 0.
	if b := g.vb.nearestUpper(j); b != nil && b.slope > 0 && b.constant <= g.m.Lower[j]+atBound {
		return b
	}
	return nil
}

// serves reports whether column j is in the set L: its variable bound, reduced to the need, has a smaller term at the
// LP point than the column itself.
func (g *mir) serves(j int32, c float64, b *variableBound) bool {
	return min(-c*b.slope, g.need)*g.v.x[b.col] <= -c*(g.v.x[j]-g.m.Lower[j])+atBound*g.need
}

// byNeed returns the term of a column that has the variable bound b, measured from b in the set L and from below
// outside.
func (g *mir) byNeed(j int32, c float64, b *variableBound) mirTerm {
	t := mirTerm{id: j, width: inf}

	// Outside of L the column is measured from its lower bound.
	if g.serves(j, c, b) {
		// The bound is the variable one.
		t.upper = true
		t.vb = b
		t.bound = b.constant
		t.at = max(b.at(g.v.x)-g.v.x[j], 0)
	} else {
		t.measure(g.v.x[j], g.m.Lower[j], g.m.Upper[j], true)
	}
	return t
}
