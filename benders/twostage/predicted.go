package twostage

import (
	"math"

	"github.com/proxybd/proxybd/benders"
)

// Multipliers of one scenario that somebody predicts for all recourse rows become dual feasible without a linear
// program: what columns with both bounds say of them is priced in closed form, and columns that lack one hold after a
// step towards multipliers that are inside the dual, whose length a ratio test gives.

// Problem returns the skeleton as a problem. It must not be changed.
func (s *Scenarios) Problem() *Problem { return s.base }

// Rows returns how many recourse rows there are, which is how many multipliers a scenario has.
func (v *View) Rows() int { return len(v.p.parts[0].rows) }

// Numbers appends what tells points and scenarios apart: the finite sides of the recourse rows less what the first
// stage takes of them, equal ones once, and where these are random the costs and the finite bounds of the recourse
// columns. All scenarios have as many, unless some sides or bounds are finite in a part of them
// (stoch.Random.Infinite).
func (v *View) Numbers(x, y []float64) []float64 {
	m, c, skeleton := v.p.Compact, &v.p.parts[0], v.s.base.Compact
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
	for _, j := range c.cols {
		col := &m.Cols[j]
		if v.s.random.Costs {
			x = append(x, col.Cost)
		}
		if v.s.random.Bounds {
			for _, b := range []float64{col.Lower, col.Upper} {
				if !math.IsInf(b, 0) {
					x = append(x, b)
				}
			}
		}
	}
	return x
}

// Inside makes predicted multipliers of the scenario dual feasible, in place and to rounding: entries that are not
// finite and those of a sign that their row has no side for become zero, and the rest goes as far towards the middle
// as columns that lack a bound ask for. Bounds that other rows imply do not count: they are far off, and make a
// certificate weak. It reports false where not even the middle is dual feasible.
func (v *View) Inside(lambda, middle []float64) bool {
	return v.inside(lambda, middle).length <= 1
}

// rounding is what a reduced cost may lack, relative to its terms: certificates make up for that.
const rounding = 1e-11

// step is how far multipliers were moved towards the middle.
type step struct {
	length float64 // 0 for not at all, above 1 where the middle would not do
	column int     // that decides the length
	z, far float64 // its reduced cost before, and in the middle
}

func (v *View) inside(lambda, middle []float64) (s step) {
	const largest = 1e50
	c := &v.p.parts[0]
	for i, l := range lambda {
		if math.IsNaN(l) || math.Abs(l) > largest {
			lambda[i] = 0
		}
	}
	v.p.prepare(c, lambda)
	for k, j := range c.cols {
		col := &v.p.Compact.Cols[j]
		noLower, noUpper := math.IsInf(col.Lower, -1), math.IsInf(col.Upper, 1)
		if !noLower && !noUpper {
			continue
		}
		z, size := col.Cost, math.Abs(col.Cost)
		for t, i := range c.columns[k].index {
			v := c.columns[k].value[t] * lambda[i]
			z, size = z-v, size+math.Abs(v)
		}
		if !(noUpper && z < -rounding*size || noLower && z > rounding*size) {
			continue
		}
		far := col.Cost - c.columns[k].dot(middle)
		if far*z > 0 || noLower && noUpper && far != 0 {
			s.length = math.Inf(1)
			return s
		}
		if t := z / (z - far); t > s.length {
			s = step{t, k, z, far}
		}
	}
	if s.length > 0 {
		for i := range lambda {
			lambda[i] += s.length * (middle[i] - lambda[i])
		}
		v.p.prepare(c, lambda)
	}
	return s
}

// Supergradient moves multipliers inside, in place, as Inside does, and returns what they certify of the scenario's
// recourse at y, to rounding. It fills slope with the slope of that value in the multipliers given, through the step
// towards the inside; that of a multiplier that its row's sides leave no sign but zero is the residual of least
// magnitude. The value is NaN where the middle is not dual feasible.
func (v *View) Supergradient(slope, lambda, middle, y []float64) float64 {
	s := v.inside(lambda, middle)
	if s.length > 1 {
		clear(slope)
		return math.NaN()
	}
	c, value := &v.p.parts[0], 0.0
	activity := v.activity
	clear(activity)
	for k, j := range c.cols {
		l, u := v.p.Compact.Cols[j].Lower, v.p.Compact.Cols[j].Upper
		z := v.p.cost(benders.Optimality, j) - c.columns[k].dot(lambda)
		x := pick(math.IsInf(u, 1) || z > 0 && !math.IsInf(l, -1), l, u)
		if x == 0 || math.IsInf(x, 0) {
			continue
		}
		value += z * x
		for t, i := range c.columns[k].index {
			activity[i] += c.columns[k].value[t] * x
		}
	}
	for k, i := range c.rows {
		r, taken := &v.p.Compact.Rows[i], c.at[k].dot(y)
		side := min(max(taken+activity[k], r.Lower), r.Upper)
		if lambda[k] != 0 {
			side = pick(lambda[k] > 0, r.Lower, r.Upper)
			value += lambda[k] * (side - taken)
		}
		slope[k] = side - taken - activity[k]
	}
	if s.length == 0 {
		return value
	}
	along := 0.0 // the slope of the value in the length of the step, and then in the reduced cost that decides it
	for i, g := range slope {
		if s.length < 1 {
			along += g * (middle[i] - lambda[i]) / (1 - s.length)
		}
		slope[i] *= 1 - s.length
	}
	along *= s.far / ((s.z - s.far) * (s.z - s.far))
	for t, i := range c.columns[s.column].index {
		slope[i] += along * c.columns[s.column].value[t]
	}
	return value
}
