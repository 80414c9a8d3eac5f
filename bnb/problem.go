package bnb

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/sparse"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// problem is the caller's model in the form that the search uses: a minimisation with the bounds of integer
// columns rounded inward. It never changes after newProblem and findSets.
type problem struct {
	m     *lp.Model
	sense float64 // +1 for a minimisation, -1 for a maximisation; model value = sense * internal value

	n, rows            int
	cost, lower, upper []float64
	offset             float64
	integer            []bool
	ints               []int32 // the integer columns, ascending
	decisions          []int32 // those of them that no equation determines, ascending; see findDecisions

	byCol, byRow       *sparse.Matrix
	rowLower, rowUpper []float64
	upLocks, downLocks []int32 // numbers of rows that forbid to raise (to lower) the column freely

	implied *implications // constraints that rows do not state; nil for none

	sets     []orderedSet // found by findSets, the special ordered sets of the model first
	declared int          // the number of these
	place    []bool       // columns that are places of them; nil for none
	alone    int32        // the column that is the objective, if it is an integer one; else -1

	step float64 // objective values of integer points are offset + step*Z; 0 if not known
}

// senseOf returns 1 for a minimisation and -1 for a maximisation.
func senseOf(m *lp.Model) float64 {
	if m.Maximize {
		return -1
	}
	return 1
}

// newProblem reads a validated model.
func newProblem(m *lp.Model, tol Tolerances) (*problem, error) {
	a, err := m.Matrix()
	if err != nil {
		return nil, err
	}

	// A model may have entries that are zero. Times an infinite bound they would be no number.
	a = a.WithoutZeros()
	p := &problem{
		m:     m,
		sense: senseOf(m),
		n:     len(m.Cols),
		rows:  len(m.Rows),
		byCol: a,
		byRow: a.Transpose(),
	}

	// All values are those of the minimisation; bounds of integer columns are rounded inward within the tolerance.
	p.offset = p.sense * m.Offset
	for j := range m.Cols {
		c := &m.Cols[j]
		lower, upper := c.Lower, c.Upper
		if c.Integer {
			p.ints = append(p.ints, int32(j))
			lower = math.Ceil(lower - tol.Feasibility)
			upper = math.Floor(upper + tol.Feasibility)
		}
		p.cost = append(p.cost, p.sense*c.Cost)
		p.integer = append(p.integer, c.Integer)
		p.lower = append(p.lower, lower)
		p.upper = append(p.upper, upper)
	}
	for i := range m.Rows {
		p.rowLower = append(p.rowLower, m.Rows[i].Lower)
		p.rowUpper = append(p.rowUpper, m.Rows[i].Upper)
	}

	// What follows from the model.
	p.implied = newImplications(m, tol.Feasibility)
	p.countLocks()
	p.findDecisions()
	p.alone = p.aloneInObjective()
	p.step = p.objectiveStep()
	return p, nil
}

// countLocks counts the rows that forbid to raise or to lower each column freely.
func (p *problem) countLocks() {
	p.upLocks = make([]int32, p.n)
	p.downLocks = make([]int32, p.n)
	for j := range p.n {
		index, value := p.byCol.Vec(j)
		for k, i := range index {
			// The locks by the lower side and by the upper side of a row.
			byLower, byUpper := &p.downLocks[j], &p.upLocks[j]
			// A negative coefficient exchanges the roles of the sides.
			if value[k] < 0 {
				byLower, byUpper = byUpper, byLower
			}
			if value[k] != 0 && !math.IsInf(p.rowLower[i], -1) {
				*byLower++
			}
			if value[k] != 0 && !math.IsInf(p.rowUpper[i], 1) {
				*byUpper++
			}
		}
	}
}

// sides returns the sides of row i.
func (p *problem) sides(i int) (lower, upper float64) { return p.rowLower[i], p.rowUpper[i] }

// contradicts reports bounds that no point satisfies.
func (p *problem) contradicts(tol float64) bool {
	// Integer columns have integral bounds, so that any crossing is a contradiction.
	for j := range p.n {
		if p.lower[j] > p.upper[j] && (p.integer[j] || p.lower[j]-p.upper[j] > tol) {
			return true
		}
	}
	for i := range p.rows {
		if p.rowLower[i]-p.rowUpper[i] > tol {
			return true
		}
	}
	return false
}

// relaxation returns the model whose LP relaxation the simplex solves.
func (p *problem) relaxation() *lp.Model {
	m := p.m.Clone()

	// The sense is in the costs already.
	m.Maximize = false
	m.Offset = p.offset
	for j := range m.Cols {
		m.Cols[j].Cost = p.cost[j]
		setBounds(m, int32(j), p.lower[j], p.upper[j])
	}
	return m
}

// value returns the internal objective of x.
func (p *problem) value(x []float64) float64 {
	v := p.offset
	for j, c := range p.cost {
		if c != 0 {
			v += c * x[j]
		}
	}
	return v
}

// tidy returns a verified point with the values on their bounds that differ from them by rounding, and its objective in
// the model's sense. The point is verified again; where it is infeasible, x stays.
func (p *problem) tidy(x []float64, tol Tolerances) ([]float64, float64) {
	// Values on their bounds are tried first, then short decimals; what violates the model is dropped again.
	y := simplex.Tidy(p.m, x, tol.Feasibility)
	if !p.integral(y, 0) {
		y = x
	}
	y = p.shortest(y)
	v := p.value(y)
	if !(p.violation(y) <= tol.Feasibility) || math.Abs(v-p.value(x)) > numericTol*math.Max(1, math.Abs(v)) {
		y = x
		v = p.value(x)
		for j := range y {
			y[j] += 0 // no negative zero
		}
	}
	return y, p.sense * v
}

// shortest returns a verified point with continuous columns on multiples of 1e-6 where they are next to one: presolve
// moves the bounds that rows imply outward by 1e-9, and a point on such a bound violates the row by as little. The
// point stays where that does not lower its violation.
func (p *problem) shortest(x []float64) []float64 {
	const steps, near = 1e6, 4e-9
	y := slices.Clone(x)
	moved := false

	// Only continuous columns move, by less than the tolerance.
	for j := range y {
		v := math.Round(x[j]*steps) / steps
		if d := math.Abs(v - x[j]); !p.integer[j] && d > 0 && d <= near*math.Max(1, math.Abs(x[j])) {
			y[j] = v
			moved = true
		}
	}
	if moved && p.violation(y) < p.violation(x) {
		return y
	}
	return x
}

// integral reports whether the integer columns of x are integral to tolerance.
func (p *problem) integral(x []float64, tol float64) bool {
	return !slices.ContainsFunc(p.ints, func(j int32) bool { return math.Abs(x[j]-math.Round(x[j])) > tol })
}

// tidyAll tidies the points of a pool.
func (p *problem) tidyAll(pool []Point, tol Tolerances) {
	for k := range pool {
		pool[k].X, pool[k].Objective = p.tidy(pool[k].X, tol)
	}
}

// clamp returns the value in the bounds of column j that is nearest to v.
func (p *problem) clamp(j int, v float64) float64 {
	return math.Min(math.Max(v, p.lower[j]), p.upper[j])
}

// setBounds sets the bounds of a column of a model.
func setBounds(m *lp.Model, j int32, lower, upper float64) {
	m.Cols[j].Lower, m.Cols[j].Upper = lower, upper
}

// partial reports whether x leaves out integer columns.
func (p *problem) partial(x []float64) bool {
	return slices.ContainsFunc(p.ints, func(j int32) bool { return math.IsNaN(x[j]) })
}

// aloneInObjective returns the integer column that is the objective, -1 where there is none.
func (p *problem) aloneInObjective() int32 {
	alone := int32(-1)

	// The column must be the only one with a cost, and integer.
	for j, c := range p.cost {
		if c == 0 {
			continue
		}
		if alone >= 0 || !p.integer[j] {
			return -1
		}
		alone = int32(j)
	}
	return alone
}
