package cuts

import "math"

// In a network whose arcs are large beside what flows through them the nearest bound of a flow is 0, and a row that has
// no variable bound left has nothing to round. But what a row asks for is no more than its need, here d:
//
//	sum x_j >= d,   0 <= x_j <= u_j y_j,   gives   sum over L of min(u_j, d) y_j + sum outside L of x_j >= d
//
// for every set L of columns, which is most violated where L holds those with min(u_j, d) y_j < x_j (as in flow covers:
// Van Roy and Wolsey, Solving mixed integer programming problems using automatic reformulation, 1987). So rows are
// rounded a second time with these columns measured from their variable bounds, and the others from 0.

// setNeed computes the need of the row sign*a <= side, whose columns are gathered: how far the terms with negative
// coefficients must lie below where they are with the continuous columns at their lower bounds. It is 0 for none, and
// where it would measure no column from another bound than the nearest.
func (g *mir) setNeed(a *aggregation, sign float64) {
	g.v.work += len(a.cols) + len(a.rows)
	need := 0.0
	for k, i := range a.rows {
		r, c, at := &g.v.rows[i], -sign*a.weight[k], g.v.activity[i]
		if at-r.Lower <= r.Upper-at {
			need += c * r.Lower
		} else {
			need += c * r.Upper
		}
	}
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
	g.need = need
	for _, e := range g.flows {
		c := sign * e.coef
		if b := g.capacity(e.col, c); b != nil && g.serves(e.col, c, b) != (g.measured.of(e.col, c).vb == b) {
			return
		}
	}
	g.need = 0
}

// capacity is the variable upper bound that a column with coefficient c may serve a need from: one that leaves the
// column at its lower bound where its integer column is 0.
func (g *mir) capacity(j int32, c float64) *variableBound {
	if c >= 0 {
		return nil
	}
	if b := g.vb.nearestUpper(j); b != nil && b.slope > 0 && b.constant <= g.m.Lower[j]+atBound {
		return b
	}
	return nil
}

// serves reports whether the variable bound of a column, cut down to the need, is worth less at the LP point than the
// column.
func (g *mir) serves(j int32, c float64, b *variableBound) bool {
	return min(-c*b.slope, g.need)*g.v.x[b.col] <= -c*(g.v.x[j]-g.m.Lower[j])+atBound*g.need
}

// byNeed is the term of a column with such a bound.
func (g *mir) byNeed(j int32, c float64, b *variableBound) mirTerm {
	t := mirTerm{id: j, width: inf}
	if g.serves(j, c, b) {
		t.upper, t.vb, t.bound, t.at = true, b, b.constant, max(b.at(g.v.x)-g.v.x[j], 0)
	} else {
		t.measure(g.v.x[j], g.m.Lower[j], g.m.Upper[j], true)
	}
	return t
}
