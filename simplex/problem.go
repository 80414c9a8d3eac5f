package simplex

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// problem is the scaled model: min cost'x with A x - s = 0 and bounds on x and s. Variables are numbered as in the
// package comment.
type problem struct {
	matrix
	sense  float64   // 1, or -1 for a maximisation
	offset float64   // of the objective, in the sense of the model
	cost   []float64 // minimised; 0 for logicals
	lo, up []float64
	costs  int // counts changes of costs
}

// load takes the model m with the matrix by, by column.
func (p *problem) load(m *lp.Model, by *lp.Matrix, scaling bool) {
	// The scales may depend on the costs, which are not scaled yet.
	cost := make([]float64, len(m.Cols))
	for j := range m.Cols {
		cost[j] = m.Cols[j].Cost
	}
	p.matrix.load(by, len(m.Rows), cost, scaling)

	p.offset = m.Offset
	p.sense = senseOf(m)

	// The scaled column is x_j / colScale_j, the logical of a row its activity times rowScale_i.
	nv := p.n + p.m
	p.cost = make([]float64, nv)
	p.lo = make([]float64, nv)
	p.up = make([]float64, nv)
	for j := range m.Cols {
		c := &m.Cols[j]
		p.cost[j] = p.sense * cost[j] * p.colScale[j]
		p.lo[j] = c.Lower / p.colScale[j]
		p.up[j] = c.Upper / p.colScale[j]
	}
	for i := range m.Rows {
		p.lo[p.n+i] = m.Rows[i].Lower * p.rowScale[i]
		p.up[p.n+i] = m.Rows[i].Upper * p.rowScale[i]
	}
}

// colBounds returns the bounds of column j in the units of the model.
func (p *problem) colBounds(j int) (lower, upper float64) {
	return p.lo[j] * p.colScale[j], p.up[j] * p.colScale[j]
}

// rowBounds returns the bounds of row i in the units of the model.
func (p *problem) rowBounds(i int) (lower, upper float64) {
	return p.lo[p.n+i] / p.rowScale[i], p.up[p.n+i] / p.rowScale[i]
}

// setBounds changes the bounds of v and reports whether they are other ones.
func (p *problem) setBounds(v int, lo, up float64) bool {
	if p.lo[v] == lo && p.up[v] == up {
		return false
	}
	p.lo[v] = lo
	p.up[v] = up
	return true
}

// setCost gives column j the cost c of the model and returns the change of the scaled one.
func (p *problem) setCost(j int, c float64) (delta float64) {
	// The scaled cost is minimised, so that it has the sign of the sense.
	c *= p.sense * p.colScale[j]

	if delta = c - p.cost[j]; delta != 0 {
		p.costs++
		p.cost[j] = c
	}
	return delta
}

// addRow adds a row of the model.
func (p *problem) addRow(lower, upper float64, index []int32, value []float64) {
	scale := p.appendRow(index, value)
	p.cost = append(p.cost, 0)
	p.lo = append(p.lo, lower*scale)
	p.up = append(p.up, upper*scale)
}

// addCol adds a column of the model.
func (p *problem) addCol(cost, lower, upper float64, index []int32, value []float64) {
	scale := p.appendColumn(index, value)
	j := p.n - 1
	p.cost = slices.Insert(p.cost, j, p.sense*cost*scale)
	p.lo = slices.Insert(p.lo, j, lower/scale)
	p.up = slices.Insert(p.up, j, upper/scale)
}

// deleteVariables removes the variables with drop, whose rows or columns the matrix has lost.
func (p *problem) deleteVariables(drop []bool) {
	p.cost = keep(p.cost, drop)
	p.lo = keep(p.lo, drop)
	p.up = keep(p.up, drop)
}

// unscale goes back to the model as given, for a recovery.
func (p *problem) unscale() {
	// The units of the variables go out of bounds and costs.
	for v := range p.lo {
		unit := p.unit(int32(v))
		p.lo[v] *= unit
		p.up[v] *= unit
		p.cost[v] /= unit
	}

	p.matrix.unscale()
}

// crossedBounds reports whether a lower bound exceeds its upper one.
func (p *problem) crossedBounds() bool {
	for v, lo := range p.lo {
		if lo > p.up[v] {
			return true
		}
	}
	return false
}

// nearestZero returns the status at the finite bound of v nearest zero.
func (p *problem) nearestZero(v int) VarStatus {
	lo := p.lo[v]
	up := p.up[v]

	switch {
	case isInf(lo) && isInf(up):
		return AtZero
	case isInf(lo) || math.Abs(up) < math.Abs(lo): // an infinite one is never nearer
		return AtUpper
	}
	return AtLower
}

// isInf reports whether v counts as infinite. NaN does not.
func isInf(v float64) bool { return v > math.MaxFloat64 || v < -math.MaxFloat64 }
