package twostage

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
)

// This file makes predicted multipliers of one scenario dual feasible without a linear program. Rows with one recourse
// column, such as x <= u y, are bounds of the column at a point, and their multipliers are what is left of its reduced
// cost (singles.go), so that they are not predicted. The reduced cost of a column with both bounds is priced in closed
// form. For columns that lack a bound the multipliers take a step towards a point inside the dual, the middle; a ratio
// test gives the length of the step.

// Problem returns the skeleton as a problem. It must not be changed.
func (s *Scenarios) Problem() *Problem { return s.base }

// Predicted returns the positions, among the recourse rows, of those whose multipliers are predicted: all, without
// those that have one recourse column alone, unless coefficients of recourse columns are random. It must not be
// changed.
func (v *View) Predicted() []int32 {
	if v.predicted == nil {
		// With random recourse coefficients a row may have one column in some scenarios only.
		c := &v.p.parts[0]
		for k := range c.rows {
			if v.s.span.random.Matrix || len(c.recourse[k].index) != 1 || c.recourse[k].value[0] == 0 {
				v.predicted = append(v.predicted, int32(k))
			}
		}

		// Room for the multipliers of all rows, and for the bounds of all columns.
		v.full, v.middle = make([]float64, len(c.rows)), make([]float64, len(c.rows))
		v.low, v.high = make([]float64, len(c.cols)), make([]float64, len(c.cols))
		if !v.s.span.random.Matrix {
			v.closing = findSingles(c).cols
		}
	}
	return v.predicted
}

// spread puts predicted multipliers where the recourse rows have them, with zero for the others.
func (v *View) spread(full *[]float64, predicted []float64) {
	rows := v.Predicted() // makes room for them
	clear(*full)
	for t, i := range rows {
		(*full)[i] = predicted[t]
	}
}

// bounds finds the bounds that columns have at y, and the activity of the first stage in the predicted rows.
func (v *View) bounds(y []float64) {
	c := &v.p.parts[0]
	same := slices.Equal(v.point, y)
	if same && v.bounded {
		return
	}

	// The activity depends on the scenario only where first-stage coefficients are random.
	if !same || v.s.span.random.Links || v.taken == nil {
		v.taken = v.taken[:0]
		for _, i := range v.Predicted() {
			v.taken = append(v.taken, c.at[i].dot(y))
		}
	}
	v.point, v.bounded = append(v.point[:0], y...), true

	// The columns' own bounds, and for those with rows of their own the tighter ones that the rows have at y.
	for k, j := range c.cols {
		v.low[k], v.high[k] = v.p.Compact.Cols[j].Lower, v.p.Compact.Cols[j].Upper
	}
	for t := range v.closing {
		q := &v.closing[t]
		v.low[q.col], v.high[q.col] = q.bounds(v.e.pieces[0].recourse, y, 0)
	}
}

// Numbers appends to x the numbers in which points and scenarios differ: the finite sides of the recourse rows less the
// activity of the first stage in them, equal ones once, and where these are random the costs and the finite bounds of
// the recourse columns. All scenarios have the same count of numbers, unless some sides or bounds are finite in a part
// of them (stoch.Random.Infinite).
func (v *View) Numbers(x, y []float64) []float64 {
	m := v.p.Compact
	c := &v.p.parts[0]
	skeleton := v.s.base.Compact

	// The sides are those that are finite in the skeleton, so that a position is the same side in every scenario.
	for k, i := range c.rows {
		taken := c.at[k].dot(y)
		lower, upper := skeleton.Rows[i].Lower, skeleton.Rows[i].Upper
		if !math.IsInf(lower, -1) {
			x = append(x, m.Rows[i].Lower-taken)
		}
		if !math.IsInf(upper, 1) && upper != lower {
			x = append(x, m.Rows[i].Upper-taken)
		}
	}

	// The recourse columns, where the scenarios differ in them.
	for _, j := range c.cols {
		col := &m.Cols[j]
		if v.s.span.random.Costs {
			x = append(x, col.Cost)
		}
		if v.s.span.random.Bounds {
			for _, b := range []float64{col.Lower, col.Upper} {
				if !math.IsInf(b, 0) {
					x = append(x, b)
				}
			}
		}
	}
	return x
}

// Closed reports whether every column has both bounds at a point, so that Inside moves nothing.
func (v *View) Closed() bool {
	// Which bounds are finite does not depend on the point, so that zero will do.
	v.Predicted()
	v.bounds(make([]float64, v.p.First))
	for k := range v.low {
		if math.IsInf(v.low[k], 0) || math.IsInf(v.high[k], 0) {
			return false
		}
	}
	return true
}

// Inside makes predicted multipliers of the scenario dual feasible, to rounding, and completes them at y. Entries
// that are not finite and those of a sign that their row has no side for become zero, and the rest goes as far
// towards the middle as columns that lack a bound require. Bounds that other rows imply do not count: they are far
// off, and make a certificate weak. It returns the multipliers of all recourse rows, valid until the next call, and
// false where not even the middle is dual feasible.
func (v *View) Inside(predicted, middle, y []float64) (lambda []float64, ok bool) {
	c := &v.p.parts[0]
	s := v.inside(predicted, middle, y)

	// The rows that bound a column take its reduced cost.
	for t := range v.closing {
		q := &v.closing[t]
		q.assign(v.p.Compact.Cols[c.cols[q.col]].Cost-c.columns[q.col].dot(v.full), v.full)
	}
	return v.full, s.length <= 1
}

// rounding is what a reduced cost may lack, relative to its terms: certificates make up for that.
const rounding = 1e-11

// step is how far multipliers were moved towards the middle.
type step struct {
	length float64 // share of the way: 0 for not at all, above 1 where even the middle is not dual feasible
	column int     // the column that decides the length
	z, far float64 // its reduced cost before the step, and in the middle
}

// inside makes predicted multipliers dual feasible by a step towards the middle, which it returns. It leaves them in
// v.full, those of the middle in v.middle, and the bounds at y in v.low and v.high.
func (v *View) inside(predicted, middle, y []float64) (s step) {
	const largest = 1e50 // a larger prediction counts as not finite
	c := &v.p.parts[0]

	// What is not finite becomes zero, and signs that no side of a row allows too.
	v.spread(&v.full, predicted)
	v.spread(&v.middle, middle)
	v.bounds(y)
	lambda := v.full
	for i, l := range lambda {
		if math.IsNaN(l) || math.Abs(l) > largest {
			lambda[i] = 0
		}
	}
	v.p.prepare(c, lambda)
	v.p.prepare(c, v.middle)

	// A reduced cost z of a column without the bound that it prices has to become zero. On the way to the middle, where
	// it is far and has the right sign, that is so after z / (z - far) of the way; the longest of these ways counts.
	for k := range c.cols {
		z, lacking := v.lacks(k, lambda)
		if !lacking {
			continue
		}

		// A middle on the same side of zero does not help, and neither does one that is not zero where both bounds lack.
		// What may be rounding is zero: then the step goes all the way.
		far, size := v.reducedCost(k, v.middle)
		if math.Abs(far) <= rounding*size {
			far = 0
		}
		free := math.IsInf(v.low[k], -1) && math.IsInf(v.high[k], 1)
		if far*z > 0 || free && far != 0 {
			s.length = math.Inf(1)
			return s
		}
		if t := z / (z - far); t > s.length {
			s = step{t, k, z, far}
		}
	}
	if s.length == 0 {
		return s
	}

	// With random costs the middle may not be dual feasible in this scenario: a column that lacks its bound there may lack
	// it after the step. The reduced cost is linear on the way.
	for k := range c.cols {
		far, lacking := v.lacks(k, v.middle)
		if !lacking {
			continue
		}
		z, size := v.reducedCost(k, lambda)
		if after := z + s.length*(far-z); after*far > 0 && math.Abs(after) > rounding*(size+math.Abs(far)) {
			s.length = math.Inf(1)
			return s
		}
	}

	// The step is taken by all multipliers, and rounding may give some of them a sign that their row has no side for.
	for i := range lambda {
		lambda[i] += s.length * (v.middle[i] - lambda[i])
	}
	v.p.prepare(c, lambda)
	return s
}

// lacks returns the reduced cost of a column, and whether it prices a bound that the column does not have; what may be
// rounding prices none.
func (v *View) lacks(k int, lambda []float64) (z float64, lacking bool) {
	noLower, noUpper := math.IsInf(v.low[k], -1), math.IsInf(v.high[k], 1)
	if !noLower && !noUpper {
		return 0, false
	}
	z, size := v.reducedCost(k, lambda)
	return z, noUpper && z < -rounding*size || noLower && z > rounding*size
}

// reducedCost is the cost of column k of the recourse less the product with the multipliers, as a plain sum, and the
// sum of absolute terms, which measures its rounding.
func (v *View) reducedCost(k int, lambda []float64) (z, size float64) {
	c := &v.p.parts[0]
	z = v.p.Compact.Cols[c.cols[k]].Cost
	size = math.Abs(z)
	for t, i := range c.columns[k].index {
		term := c.columns[k].value[t] * lambda[i]
		z -= term
		size += math.Abs(term)
	}
	return z, size
}

// Supergradient makes multipliers dual feasible as Inside does, and returns the lower bound that they certify for the
// scenario's recourse at y, to rounding. It fills slope with the slope of that value in the predicted multipliers,
// through the step towards the inside; at a multiplier of zero the slope is the residual of least magnitude. The value
// is NaN where the middle is not dual feasible. A nil slope is not filled.
func (v *View) Supergradient(slope, predicted, middle, y []float64) float64 {
	s := v.inside(predicted, middle, y)
	if s.length > 1 {
		clear(slope)
		return math.NaN()
	}
	c := &v.p.parts[0]
	lambda := v.full
	activity := v.activity
	clear(activity)
	value := 0.0

	// The columns are at the bounds that their reduced costs price; the activity of the rows is that of this point.
	for k, j := range c.cols {
		l, u := v.low[k], v.high[k]
		noLower, noUpper := math.IsInf(l, -1), math.IsInf(u, 1)
		zeroLower := noUpper && (l == 0 || noLower)
		if zeroLower || noLower && u == 0 {
			continue // at zero, whatever the reduced cost
		}
		z := v.p.cost(benders.Optimality, j) - c.columns[k].dot(lambda)
		x := v.priced(k, z)
		if x == 0 {
			continue
		}
		value += z * x
		if slope == nil {
			continue
		}
		for t, i := range c.columns[k].index {
			activity[i] += c.columns[k].value[t] * x
		}
	}

	// The slope in a multiplier is the side that it prices, less the activity of both stages in the row.
	for t, i := range v.predicted {
		r, taken := &v.p.Compact.Rows[c.rows[i]], v.taken[t]
		side := min(max(taken+activity[i], r.Lower), r.Upper)
		if lambda[i] != 0 {
			side = pick(lambda[i] > 0, r.Lower, r.Upper)
			value += lambda[i] * (side - taken)
		}
		if slope != nil {
			slope[t] = side - taken - activity[i]
		}
	}
	if s.length == 0 || slope == nil {
		return value
	}

	// The multipliers are those after the step towards the middle, lambda + t (middle - lambda): the chain rule through
	// the step and its length t = z / (z - far), with dt/dz = -far / (z - far)^2 and dz/dlambda_i minus the coefficient of
	// the column in row i.
	along := 0.0 // the slope of the value in the length of the step, and then in minus the reduced cost z
	for t, i := range v.predicted {
		if s.length < 1 {
			along += slope[t] * (v.middle[i] - lambda[i]) / (1 - s.length)
		}
		slope[t] *= 1 - s.length
	}
	along *= s.far / ((s.z - s.far) * (s.z - s.far))
	for t, i := range v.predicted {
		slope[t] += along * v.coefficient(s.column, i)
	}
	return value
}

// priced returns the bound of column k that a reduced cost prices, 0 where that bound is infinite: the reduced cost is
// then zero but for rounding.
func (v *View) priced(k int, z float64) float64 {
	l, u := v.low[k], v.high[k]
	if x := pick(math.IsInf(u, 1) || z > 0 && !math.IsInf(l, -1), l, u); !math.IsInf(x, 0) {
		return x
	}
	return 0
}

// coefficient returns the coefficient of a column in a row, both by position in the recourse.
func (v *View) coefficient(column int, row int32) float64 {
	s := &v.p.parts[0].columns[column]
	if at := slices.Index(s.index, row); at >= 0 {
		return s.value[at]
	}
	return 0
}
