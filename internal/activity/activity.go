// Package activity bounds the activity of a row by the bounds of its columns.
package activity

import "math"

// Range holds the finite parts of the least and the largest activity, how many of their terms are infinite,
// and the sum of the absolute finite terms, which measures the rounding error of the sums. A sum over whole
// coefficients and bounds has none.
type Range struct {
	Min, Max         float64
	InfMin, InfMax   int32
	Size             float64
	fracMin, fracMax bool // a coefficient or a bound of that sum is no whole number
}

// Terms returns the range [low, high] of v x for lo <= x <= up. A bound at which v x overflows counts as infinite.
func Terms(v, lo, up float64) (low, high float64) {
	if v > 0 {
		return v * lo, v * up
	}
	return v * up, v * lo
}

// Add adds the term v x with lo <= x <= up.
func (r *Range) Add(v, lo, up float64) {
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

// Move replaces the bounds of the term v x. Size only grows, since it measures the error of all sums made.
func (r *Range) Move(v, lo, up, newLo, newUp float64) {
	var old, now Range
	old.Add(v, lo, up)
	now.Add(v, newLo, newUp)
	r.Min, r.Max = r.Min-old.Min+now.Min, r.Max-old.Max+now.Max
	r.InfMin, r.InfMax = r.InfMin-old.InfMin+now.InfMin, r.InfMax-old.InfMax+now.InfMax
	r.Size += now.Size
	r.fracMin, r.fracMax = r.fracMin || now.fracMin, r.fracMax || now.fracMax
}

// wholeTerm reports whether the coefficient v and its bound, the first for v > 0 and else the second, are whole.
func wholeTerm(v, first, second float64) bool {
	if v < 0 {
		first = second
	}
	return v == math.Trunc(v) && first == math.Trunc(first)
}

// ExactMin reports whether Min has no rounding error.
func (r *Range) ExactMin() bool { return !r.fracMin && r.Size < 1<<52 }

// ExactMax reports whether Max has none.
func (r *Range) ExactMax() bool { return !r.fracMax && r.Size < 1<<52 }

// Lower returns the least activity, -Inf where a term is infinite.
func (r *Range) Lower() float64 {
	if r.InfMin > 0 {
		return math.Inf(-1)
	}
	return r.Min
}

// Upper returns the largest activity, +Inf where a term is infinite.
func (r *Range) Upper() float64 {
	if r.InfMax > 0 {
		return math.Inf(1)
	}
	return r.Max
}

// MinWithout returns the least activity of the row without a term whose least value is term.
func (r *Range) MinWithout(term float64) float64 {
	return without(r.Min, r.InfMin, term, math.Inf(-1))
}

// MaxWithout returns the largest activity of the row without a term whose largest value is term.
func (r *Range) MaxWithout(term float64) float64 {
	return without(r.Max, r.InfMax, term, math.Inf(1))
}

// without takes one term out of a sum with inf infinite terms, whose value is then infinity.
func without(sum float64, inf int32, term, infinity float64) float64 {
	if math.IsInf(term, 0) {
		inf--
		term = 0
	}
	if inf > 0 {
		return infinity
	}
	return sum - term
}
