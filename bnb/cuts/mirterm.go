package cuts

import (
	"math"
	"slices"
)

// mirTerm is a nonnegative variable of the row: the distance of a column or logical from a bound.
type mirTerm struct {
	id        int32 // column, or row if logical
	logical   bool
	integer   bool
	upper     bool           // distance from the upper bound
	unbounded bool           // no bound is finite
	vb        *variableBound // the bound, if it is variable
	bound     float64        // the value of the bound, or its constant if it is variable
	coef      float64        // in the row
	at        float64        // value at the LP point
	width     float64        // of an integer term, +Inf if unbounded
	priority  float64        // distance from the middle of its range; see flippable
}

// stuck reports whether the term, with coefficient c, lies at the bound where it makes the row smallest.
func (t *mirTerm) stuck(c float64) bool {
	if c > 0 {
		return t.at <= atBound
	}
	return c < 0 && t.at >= t.width-atBound
}

// rounded is the coefficient of the term in the rounded row, whose right-hand side divided by delta has the fraction
// f0.
func (t *mirTerm) rounded(delta, f0 float64) float64 {
	// A continuous term keeps only a negative coefficient, over 1 - f0.
	c := t.coef / delta
	if !t.integer {
		return min(c, 0) / (1 - f0)
	}

	// The fraction of a tiny c < 0 is 1+c, which has lost digits of c. The logical of a row with large coefficients has
	// such a coefficient: multiplied by the row, the lost digits would matter.
	tiny := -tinyTerm < c && c < 0
	if tiny && 1+c > f0 {
		return c / (1 - f0)
	}

	// The coefficient is rounded down, plus what its fraction exceeds that of the side by.
	down := math.Floor(c + floorTol)
	f := c - down
	if f <= f0 {
		return down
	}
	return down + (f-f0)/(1-f0)
}

// measure makes t the distance of x from its lower bound, if fromBelow holds, or from its upper bound; from the other
// one if that is infinite. It returns false if both are.
func (t *mirTerm) measure(x, lower, upper float64, fromBelow bool) bool {
	// A term measured from the bound that is given as the nearer one, if that is finite.
	switch {
	case math.IsInf(lower, 0) && math.IsInf(upper, 0):
		t.unbounded = true
		return false
	case fromBelow && !math.IsInf(lower, 0) || math.IsInf(upper, 0):
		t.bound = lower
		t.at = max(x-lower, 0)
	default:
		t.upper = true
		t.bound = upper
		t.at = max(upper-x, 0)
	}
	t.width = upper - lower
	return true
}

// entry is a column with its coefficient.
type entry struct {
	col  int32
	coef float64
}

// measured caches the terms of the continuous columns at the LP point, without coefficients. They are the same in all
// rows, and the walks of a round use the same columns many times.
type measured struct {
	v    *view
	vb   *variableBounds
	at   []int32      // by column, its index in list, -1 if it is not in the cache
	list [][2]mirTerm // for a positive coefficient, and for a negative one
}

// newMeasured returns an empty cache.
func newMeasured(v *view, vb *variableBounds) measured {
	return measured{v: v, vb: vb, at: slices.Repeat([]int32{-1}, len(v.m.Integer))}
}

// reset empties the cache for a new LP point.
func (d *measured) reset() {
	// Only the entries of the last point are reset.
	for k := range d.list {
		d.at[d.list[k][0].id] = -1
	}
	d.list = d.list[:0]
}

// of returns the term of column j for a coefficient with the sign of c.
func (d *measured) of(j int32, c float64) *mirTerm {
	k := d.at[j]
	if k < 0 {
		// The terms for both signs are computed together.
		k = int32(len(d.list))
		d.at[j] = k
		d.list = append(d.list, [2]mirTerm{d.nearest(j, true), d.nearest(j, false)})
	}

	if c > 0 {
		return &d.list[k][0]
	}
	return &d.list[k][1]
}

// nearest measures a column from the nearer of its bounds, constant or variable. If both are equally near, a term with
// a positive coefficient is measured from below and leaves the row, and one with a negative coefficient from above:
// under a tight variable bound a coefficient of its integer column then remains, to be rounded.
func (d *measured) nearest(j int32, positive bool) mirTerm {
	x, lower, upper := d.v.x[j], d.v.m.Lower[j], d.v.m.Upper[j]

	// Of bounds within the tie the sign of the coefficient decides.
	t := mirTerm{id: j, width: inf}
	tie := mirTie * math.Max(1, math.Abs(x))

	// The distances from the constant bounds, and from the nearer one on each side.
	down, up := x-lower, upper-x
	fromLower, fromUpper := down, up
	below, above := d.vb.nearestLower(j), d.vb.nearestUpper(j)
	if below != nil {
		fromLower = math.Min(fromLower, x-below.at(d.v.x))
	}
	if above != nil {
		fromUpper = math.Min(fromUpper, above.at(d.v.x)-x)
	}

	fromBelow := fromLower < fromUpper-tie || fromLower <= fromUpper+tie && positive

	// Of a constant and a variable bound that are equally near, the one that is chosen depends on the sign in the same
	// way.
	variableBelow := down > fromLower+tie || positive && down >= fromLower-tie
	variableAbove := up > fromUpper+tie || !positive && up >= fromUpper-tie
	switch {
	case fromBelow && below != nil && variableBelow:
		t.vb = below
		t.bound = below.constant
		t.at = max(x-below.at(d.v.x), 0)
	case !fromBelow && above != nil && variableAbove:
		t.upper = true
		t.vb = above
		t.bound = above.constant
		t.at = max(above.at(d.v.x)-x, 0)
	default:
		t.measure(x, lower, upper, fromBelow)
	}
	return t
}
