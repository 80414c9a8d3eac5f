package cuts

import "math"

// mirTerm is a nonnegative variable of the row: distance of a column or logical from a bound.
type mirTerm struct {
	id        int32 // column, or row if logical
	logical   bool
	integer   bool
	upper     bool           // distance from the upper bound
	unbounded bool           // there is no bound to measure from
	vb        *variableBound // the bound is variable
	bound     float64        // its value, its constant if it is variable
	coef      float64
	at        float64 // value at the LP point
	width     float64 // of an integer term, +Inf if unbounded
	priority  float64
}

// stuck reports whether the term, with coefficient c, lies at the bound where it makes the row smallest.
func (t *mirTerm) stuck(c float64) bool {
	return c > 0 && t.at <= atBound || c < 0 && t.at >= t.width-atBound
}

// rounded is the coefficient of the term in the rounded row.
func (t *mirTerm) rounded(delta, f0 float64) float64 {
	c := t.coef / delta
	if !t.integer {
		return min(c, 0) / (1 - f0)
	}
	if -tinyTerm < c && c < 0 && 1+c > f0 {
		// The fraction of c is 1+c, which has lost the digits of c. The logical of a row with large coefficients has such
		// a coefficient, and gives them back.
		return c / (1 - f0)
	}
	down := math.Floor(c + 1e-12)
	f := c - down
	if f <= f0 {
		return down
	}
	return down + (f-f0)/(1-f0)
}

// measure makes t the distance of x from its lower or its upper bound, from the other one if that is infinite. It
// returns false if both are.
func (t *mirTerm) measure(x, lower, upper float64, fromBelow bool) bool {
	switch {
	case math.IsInf(lower, 0) && math.IsInf(upper, 0):
		t.unbounded = true
		return false
	case fromBelow && !math.IsInf(lower, 0) || math.IsInf(upper, 0):
		t.bound, t.at = lower, max(x-lower, 0)
	default:
		t.upper, t.bound, t.at = true, upper, max(upper-x, 0)
	}
	t.width = upper - lower
	return true
}

// entry is a column with its coefficient.
type entry struct {
	col  int32
	coef float64
}

// measured keeps the terms of the continuous columns at the LP point, without coefficients. They are the same in all
// rows, and the walks of a round ask for the same columns again and again.
type measured struct {
	v    *view
	vb   *variableBounds
	at   []int32      // place of a column in list, -1 before it is asked for
	list [][2]mirTerm // for a positive coefficient, and for a negative one
}

func newMeasured(v *view, vb *variableBounds) measured {
	d := measured{v: v, vb: vb, at: make([]int32, len(v.m.Integer))}
	for j := range d.at {
		d.at[j] = -1
	}
	return d
}

// reset forgets the terms: the LP point is another.
func (d *measured) reset() {
	for k := range d.list {
		d.at[d.list[k][0].id] = -1
	}
	d.list = d.list[:0]
}

// of returns the term of column j for a coefficient with the sign of c.
func (d *measured) of(j int32, c float64) *mirTerm {
	k := d.at[j]
	if k < 0 {
		k = int32(len(d.list))
		d.at[j] = k
		d.list = append(d.list, [2]mirTerm{d.nearest(j, true), d.nearest(j, false)})
	}
	if c > 0 {
		return &d.list[k][0]
	}
	return &d.list[k][1]
}

// nearest measures a column from the nearer of its bounds, constant or variable. Where both are as near a term with a
// positive coefficient starts from below and leaves the row, and one with a negative coefficient starts from above:
// under a tight variable bound that leaves a coefficient of the binary column to round.
func (d *measured) nearest(j int32, positive bool) mirTerm {
	x, lower, upper := d.v.x[j], d.v.m.Lower[j], d.v.m.Upper[j]
	t := mirTerm{id: j, width: inf}
	tie := mirTie * math.Max(1, math.Abs(x))
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
	switch {
	case fromBelow && below != nil && (down > fromLower+tie || positive && down >= fromLower-tie):
		t.vb, t.bound, t.at = below, below.constant, max(x-below.at(d.v.x), 0)
	case !fromBelow && above != nil && (up > fromUpper+tie || !positive && up >= fromUpper-tie):
		t.upper, t.vb, t.bound, t.at = true, above, above.constant, max(above.at(d.v.x)-x, 0)
	default:
		t.measure(x, lower, upper, fromBelow)
	}
	return t
}
