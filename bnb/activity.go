package bnb

import "math"

// activities are the ranges that the rows of the model and the objective (row p.rows) take over the
// current domain, kept up to date with every bound change, with a bound on their rounding errors. They decide which
// rows are worth propagating, and propagation uses them where that bound is small.
type activities struct {
	p              *problem
	min, max       []float64 // finite parts
	minInf, maxInf []int32   // infinite terms
	reach          []float64 // largest |coefficient| * (upper - lower) in the row, at the root
	errors         []float64 // bounds on the rounding errors of the finite parts
	costUpper      float64   // side of the objective row
}

// newActivities computes the reach of each row at the root; the sums are left to the first recompute.
func newActivities(p *problem) *activities {
	n := p.rows + 1
	a := &activities{
		p:         p,
		min:       make([]float64, n),
		max:       make([]float64, n),
		minInf:    make([]int32, n),
		maxInf:    make([]int32, n),
		reach:     make([]float64, n),
		errors:    make([]float64, n),
		costUpper: inf,
	}

	// The reach of a row is the most that one of its columns can change the activity within the bounds of the root.
	for j := range p.n {
		width := p.upper[j] - p.lower[j]
		index, value := p.byCol.Vec(j)
		for k, i := range index {
			a.reach[i] = math.Max(a.reach[i], math.Abs(value[k])*width)
		}
		if c := p.cost[j]; c != 0 {
			a.reach[p.rows] = math.Max(a.reach[p.rows], math.Abs(c)*width)
		}
	}
	return a
}

// recompute adds up all rows over the bounds.
func (a *activities) recompute(lower, upper []float64) {
	clear(a.min)
	clear(a.max)
	clear(a.minInf)
	clear(a.maxInf)
	clear(a.errors)

	// Each entry of the matrix is a term of its row; the objective row, which is not in the matrix, follows.
	for j := range a.p.n {
		index, value := a.p.byCol.Vec(j)
		for k, i := range index {
			a.include(i, value[k], lower[j], upper[j])
		}
	}
	a.recomputeCosts(lower, upper)
}

// recomputeCosts adds up the objective row over the bounds.
func (a *activities) recomputeCosts(lower, upper []float64) {
	row := int32(a.p.rows)
	a.clearRow(row)
	for j, c := range a.p.cost {
		if c != 0 {
			a.include(row, c, lower[j], upper[j])
		}
	}
}

// recomputeRow adds up row i of the model over the bounds.
func (a *activities) recomputeRow(i int32, lower, upper []float64) {
	a.clearRow(i)
	index, value := a.p.byRow.Vec(int(i))
	for k, j := range index {
		a.include(i, value[k], lower[j], upper[j])
	}
}

// clearRow makes row i empty.
func (a *activities) clearRow(i int32) {
	a.min[i], a.max[i] = 0, 0
	a.minInf[i], a.maxInf[i] = 0, 0
	a.errors[i] = 0
}

// addError counts the rounding errors of a step in which the terms coef*b and coef*c enter or leave row i. The error of
// a term stays when the term has left: for a bound of 1e16 it is more than 1.
func (a *activities) addError(i int32, coef, b, c float64) {
	size := math.Abs(a.min[i]) + math.Abs(a.max[i])

	// Each addition rounds by at most one ulp of the sum or of the term. An infinite bound is counted, not added.
	if b = math.Abs(b); b <= math.MaxFloat64 {
		size += 2 * math.Abs(coef) * b
	}
	if c = math.Abs(c); c <= math.MaxFloat64 {
		size += 2 * math.Abs(coef) * c
	}
	a.errors[i] += ulp * size
}

// of returns the range of row i.
func (a *activities) of(i int32) rowActivity {
	r := rowActivity{min: a.min[i], max: a.max[i], minInf: a.minInf[i], maxInf: a.maxInf[i]}
	r.scale = math.Abs(r.min) + math.Abs(r.max)
	return r
}

// setCutoff sets the side of the objective row.
func (a *activities) setCutoff(costUpper float64) { a.costUpper = costUpper }

// include adds the term of a column with coefficient v and these bounds to row i.
func (a *activities) include(i int32, v, lo, up float64) {
	// With a negative coefficient the least value of the term is at the upper bound.
	if v < 0 {
		lo, up = up, lo
	}
	addTerm(&a.min[i], &a.minInf[i], v, lo, 1)
	addTerm(&a.max[i], &a.maxInf[i], v, up, 1)
	a.addError(i, v, lo, up)
}

// addTerm adds (sign 1) or removes (sign -1) the term v*x.
func addTerm(sum *float64, infinite *int32, v, x float64, sign int32) {
	if x > math.MaxFloat64 || x < -math.MaxFloat64 {
		*infinite += sign
	} else {
		*sum += float64(sign) * v * x
	}
}

// replaceTerm replaces the term v*old by v*value.
func replaceTerm(sum *float64, infinite *int32, v, old, value float64) {
	addTerm(sum, infinite, v, old, -1)
	addTerm(sum, infinite, v, value, 1)
}

// moved follows a bound of column j from old to value.
func (a *activities) moved(j int32, upper bool, old, value float64) {
	index, coef := a.p.byCol.Vec(int(j))
	for k, i := range index {
		a.shift(i, coef[k], upper, old, value)
	}
	if c := a.p.cost[j]; c != 0 {
		a.shift(int32(a.p.rows), c, upper, old, value)
	}
}

// shift follows a bound of a column in row i, where its coefficient is v.
func (a *activities) shift(i int32, v float64, upper bool, old, value float64) {
	// The upper bound of the column is in the largest activity if its coefficient is positive, else in the least one.
	if (v > 0) == upper {
		replaceTerm(&a.max[i], &a.maxInf[i], v, old, value)
	} else {
		replaceTerm(&a.min[i], &a.minInf[i], v, old, value)
	}
	a.addError(i, v, old, value)
}

// idle reports whether row i can neither fail nor tighten a bound.
func (a *activities) idle(i int32) bool {
	lower := -inf
	upper := a.costUpper
	if int(i) < a.p.rows {
		lower, upper = a.p.sides(int(i))
	}

	// An infinite side leaves infinite room, which never binds.
	byUpper := mayBind(upper-a.min[i], a.minInf[i], a.reach[i])
	return !byUpper && !mayBind(a.max[i]-lower, a.maxInf[i], a.reach[i])
}
