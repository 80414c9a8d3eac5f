// Package activity bounds the activity of a row, the sum of its coefficients times its columns, by the bounds of the
// columns.
package activity

import "math"

// Range is the range of the activity of a row; infinite terms are counted apart. Sums of integers are exact while they
// are small enough, and are recognised.
type Range struct {
	Min, Max         float64 // sums of the finite terms of the least and of the largest activity
	InfMin, InfMax   int32   // number of infinite terms of each
	Size             float64 // sum of the absolute values of all finite terms, a measure of the rounding errors
	fracMin, fracMax bool    // the sum has a term with a coefficient or bound that is not an integer
}

// Terms returns the range [low, high] of v x for lo <= x <= up. An end at which v x overflows is infinite.
func Terms(v, lo, up float64) (low, high float64) {
	// A negative coefficient exchanges the ends.
	if v > 0 {
		return v * lo, v * up
	}
	return v * up, v * lo
}

// Least returns the bound of a column at which its term v x is least. The same rule gives the side of a row that a dual
// multiplier v prices: the lower one for v >= 0, else the upper one.
func Least(v, lo, up float64) float64 {
	if v < 0 {
		return up
	}
	return lo
}

// End returns the upper one of two bounds if upper is set, else the lower one; also of what belongs to each of them.
func End[T any](upper bool, lo, up T) T {
	if upper {
		return up
	}
	return lo
}

// FiniteSize returns the absolute value of v, 0 if v is infinite.
func FiniteSize(v float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return math.Abs(v)
}

// Divide returns the range of x for which v x is in [lo, up].
func Divide(lo, up, v float64) (float64, float64) {
	if v < 0 {
		return up / v, lo / v
	}
	return lo / v, up / v
}

// Add adds the term v x with lo <= x <= up.
func (r *Range) Add(v, lo, up float64) {
	// Each end of the term is added to its sum, or counted if it is infinite.
	low, high := Terms(v, lo, up)
	if low < -math.MaxFloat64 {
		r.InfMin++
	} else {
		r.Min += low
		r.Size += math.Abs(low)
		r.fracMin = r.fracMin || low != 0 && !wholeTerm(v, lo, up)
	}

	if high > math.MaxFloat64 {
		r.InfMax++
	} else {
		r.Max += high
		r.Size += math.Abs(high)
		r.fracMax = r.fracMax || high != 0 && !wholeTerm(v, up, lo)
	}
}

// Move replaces the bounds of the term v x. Size never decreases, since it measures the errors of all sums made.
func (r *Range) Move(v, lo, up, newLo, newUp float64) {
	// The difference of the two terms is added, since the sums of the others are not known.
	var old, now Range
	old.Add(v, lo, up)
	now.Add(v, newLo, newUp)

	r.Min = r.Min - old.Min + now.Min
	r.Max = r.Max - old.Max + now.Max
	r.InfMin += now.InfMin - old.InfMin
	r.InfMax += now.InfMax - old.InfMax
	r.Size += now.Size

	r.fracMin = r.fracMin || now.fracMin
	r.fracMax = r.fracMax || now.fracMax
}

// wholeTerm reports whether the coefficient v and its bound are integers; the bound is the first for v > 0, the second
// for v < 0.
func wholeTerm(v, first, second float64) bool {
	bound := Least(v, first, second)
	return v == math.Trunc(v) && bound == math.Trunc(bound)
}

// exactSize is the sum of absolute integers below which double arithmetic is exact, with a bit to spare.
const exactSize = 1 << 52

// ExactMin reports whether Min has no rounding error.
func (r *Range) ExactMin() bool { return !r.fracMin && r.Size < exactSize }

// ExactMax reports whether Max has no rounding error.
func (r *Range) ExactMax() bool { return !r.fracMax && r.Size < exactSize }

// Lower returns the least activity, -Inf if a term of it is infinite.
func (r *Range) Lower() float64 {
	if r.InfMin > 0 {
		return math.Inf(-1)
	}
	return r.Min
}

// Upper returns the largest activity, +Inf if a term of it is infinite.
func (r *Range) Upper() float64 {
	if r.InfMax > 0 {
		return math.Inf(1)
	}
	return r.Max
}

// MinWithout returns the least activity of the row without a term whose least value is term.
func (r *Range) MinWithout(term float64) float64 { return without(r.Min, r.InfMin, term, math.Inf(-1)) }

// MaxWithout returns the largest activity of the row without a term whose largest value is term.
func (r *Range) MaxWithout(term float64) float64 { return without(r.Max, r.InfMax, term, math.Inf(1)) }

// without removes one term from a sum with inf infinite terms. The sum is infinity while infinite terms remain.
func without(sum float64, inf int32, term, infinity float64) float64 {
	// The term itself may be one of the infinite ones.
	if math.IsInf(term, 0) {
		inf--
		term = 0
	}

	if inf > 0 {
		return infinity
	}
	return sum - term
}
