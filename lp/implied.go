package lp

import (
	"math"

	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/internal/sparse"
)

const (
	// impliedPasses is the largest number of passes over the rows. Chains of rows that tighten each other could go on
	// without end, by less and less.
	impliedPasses = 5
	// impliedGain is the part of a bound, or of 1 if the bound is smaller, from which on a tighter one is taken over.
	impliedGain = 1e-3
)

// ranges are bounds that every feasible point satisfies, by column. Tightening by rows is the usual bound propagation
// (Savelsbergh 1994): in a row sum_k a_k x_k <= u with the least activity L of the other columns,
//
//	x_j <= (u - L) / a_j  for a_j > 0,   x_j >= (u - L) / a_j  for a_j < 0.
//
// For 2x + y <= 8 with y >= 2 that is x <= 3.
type ranges struct {
	lower, upper []float64
	// integer marks columns whose bounds are rounded inward to integers.
	integer []bool
}

// imply tightens the ranges by the rows that are not left out. All sums are rounded outward.
func (r *ranges) imply(m *Model, byRow *sparse.Matrix, leftOut []bool) {
	for range impliedPasses {
		changed := false
		for i := range m.Rows {
			// A row that is left out need not hold, so that nothing follows from it.
			if row := &m.Rows[i]; !leftOut[i] {
				index, value := byRow.Vec(i)
				changed = r.row(index, value, row.Lower, row.Upper) || changed
			}
		}
		if !changed {
			return
		}
	}
}

// row tightens the columns of a row, by each of its sides. It reports whether it did.
func (r *ranges) row(index []int32, value []float64, lower, upper float64) bool {
	// The lower side is the upper side of the negated row.
	changed := r.side(index, value, upper)
	if math.IsInf(lower, -1) {
		return changed
	}
	return r.side(index, negative(value), -lower) || changed
}

// negative returns the negated values.
func negative(value []float64) []float64 {
	out := make([]float64, len(value))

	// The vectors of the matrix must not change.
	for k, v := range value {
		out[k] = -v
	}
	return out
}

// side tightens the columns of value'x <= upper. It reports whether it did.
func (r *ranges) side(index []int32, value []float64, upper float64) bool {
	if math.IsInf(upper, 1) {
		return false
	}

	// One sum serves all columns: room takes the term of each out again.
	changed := false
	low := r.least(index, value, -1)
	for k, j := range index {
		if v, ok := low.room(r, j, value[k], upper); ok {
			changed = r.restrict(j, value[k] > 0, v) || changed
		}
	}
	return changed
}

// restrict takes over a bound that is much tighter and leaves a value; it reports whether it did.
func (r *ranges) restrict(j int32, isUpper bool, v float64) bool {
	// An integer column has no values between the integers.
	if r.integer[j] {
		if isUpper {
			v = math.Floor(v)
		} else {
			v = math.Ceil(v)
		}
	}

	// Bounds that are hardly tighter would only cost passes.
	gain := impliedGain * math.Max(1, math.Abs(v))
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
	case isUpper && v < r.upper[j]-gain && v >= r.lower[j]:
		r.upper[j] = v
		return true
	case !isUpper && v > r.lower[j]+gain && v <= r.upper[j]:
		r.lower[j] = v
		return true
	}
	return false
}

// activity is the least value of a sum: the finite part, rounded down, and the terms without a bound.
type activity struct {
	// sum is the finite part, rounded down.
	sum float64
	// unbounded counts the terms without a least value.
	unbounded int
	// column is that of the first such term, -1 for none.
	column int32
}

// term is the least value of coef times column j, rounded down.
func (r *ranges) term(j int32, coef float64) float64 {
	// The least value is at the lower bound for a positive coefficient, at the upper one for a negative.
	at := r.lower[j]
	if coef < 0 {
		at = r.upper[j]
	}
	if math.IsInf(at, 0) {
		return -Inf
	}
	return mulDown(coef, at)
}

// least returns the least activity of a row, without the column but.
func (r *ranges) least(index []int32, value []float64, but int32) activity {
	a := activity{column: -1}
	for k, j := range index {
		if j == but || value[k] == 0 {
			continue
		}

		// A term without a least value makes the whole sum unbounded.
		t := r.term(j, value[k])
		switch {
		case math.IsInf(t, -1):
			if a.unbounded++; a.unbounded == 1 {
				a.column = j
			}
		case t != 0:
			a.sum = addDown(a.sum, t)
		}
	}
	return a
}

// room returns the bound of column j that sum <= side leaves, rounded outward: an upper one where coef > 0.
func (a activity) room(r *ranges, j int32, coef, side float64) (float64, bool) {
	// Nothing follows unless the terms of all other columns have a least value.
	t := r.term(j, coef)
	others := a.unbounded
	if math.IsInf(t, -1) {
		others--
	}
	if coef == 0 || others > 0 {
		return 0, false
	}

	// The term of the column itself goes out of the sum; both steps round down.
	rest := a.sum
	if !math.IsInf(t, -1) && t != 0 {
		rest = addDown(rest, -t)
	}
	v := side
	if rest != 0 {
		v = -addDown(-side, rest)
	}
	if coef > 0 {
		return -divDown(-v, coef), true
	}
	return divDown(v, coef), true
}

// addDown is a lower bound of a + b, the sum itself where it is exact.
func addDown(a, b float64) float64 {
	s := a + b
	t := s - a
	if e := (a - (s - t)) + (b - t); e == 0 { // the rounding error (Knuth, TAOCP 2, 4.2.2)
		return s
	}
	return outward.Down(s)
}

// normal is the least product whose rounding error is exact, with a margin.
const normal = 1e-280

// mulDown is a lower bound of a b, the product itself where it is exact.
func mulDown(a, b float64) float64 {
	// The fused product shows the rounding error, unless that is subnormal.
	p := a * b
	exact := math.Abs(p) > normal && math.FMA(a, b, -p) == 0
	if a == 0 || b == 0 || exact {
		return p
	}
	return outward.Down(p)
}

// divDown is a lower bound of a / b, the quotient itself where it is exact.
func divDown(a, b float64) float64 {
	// The quotient is exact where its product with the divisor is the dividend.
	q := a / b
	exact := math.Min(math.Abs(a), math.Abs(q)) > normal && math.FMA(q, b, -a) == 0
	if a == 0 || exact {
		return q
	}
	return outward.Down(q)
}
