package bnb

import (
	"math"

	"github.com/proxybd/proxybd/internal/f64"
)

const (
	ulp       = 0x1p-52 // the relative distance of a float64 from the next one, at most
	exactFrom = 1e-9    // rounding error above which the activity of a row is added up in doubled precision; by hand
)

// violation returns the largest violation of a row, bound or implication of the caller's model at x, absolute, in
// the model's units.
func (p *problem) violation(x []float64) float64 {
	worst := p.boundViolation(x)
	for i := range p.rows {
		worst = math.Max(worst, p.rowViolation(i, x))
	}
	return worst
}

// boundViolation returns the largest violation of a bound at x, those of implications among them, 0 inside.
func (p *problem) boundViolation(x []float64) float64 {
	worst := p.implicationViolation(x)

	// The bounds are those of the model as given, not rounded inward.
	for j := range p.n {
		c := &p.m.Cols[j]
		worst = math.Max(worst, math.Max(c.Lower-x[j], x[j]-c.Upper))
	}
	return worst
}

// rowViolation returns the violation of row i, negative inside. A sum whose rounding error matters is made in doubled
// precision.
func (p *problem) rowViolation(i int, x []float64) float64 {
	index, value := p.byRow.Vec(i)

	// The sum of the sizes of the terms bounds the rounding error of the activity.
	var act, size float64
	for k, j := range index {
		t := value[k] * x[j]
		act += t
		size += math.Abs(t)
	}
	lower, upper := p.sides(i)
	if !(ulp*size*float64(len(index)) > exactFrom) || math.IsInf(size, 1) {
		return math.Max(lower-act, act-upper)
	}

	// The sides are subtracted from the exact sum: rounding it first could hide the violation.
	var sum f64.Double
	for k, j := range index {
		sum.AddProduct(value[k], x[j])
	}

	// An infinite side has no violation.
	over := math.Inf(-1)
	if !math.IsInf(lower, -1) {
		d := sum
		d.Add(-lower)
		over = -d.Value()
	}
	if !math.IsInf(upper, 1) {
		d := sum
		d.Add(-upper)
		over = math.Max(over, d.Value())
	}
	return over
}

// holds reports whether x satisfies the rows to the tolerance and the rounding error of its continuous columns: where
// they are large, no point in float64 may do better. Bounds hold to the tolerance.
func (p *problem) holds(x []float64, tol float64) bool {
	// The comparison is written such that NaN fails.
	if !(p.boundViolation(x) <= tol) {
		return false
	}
	for i := range p.rows {
		if over := p.rowViolation(i, x); !(over <= tol || over <= tol+p.rounding(i, x)) {
			return false
		}
	}
	return true
}

// rounding is the error of the activity of row i that the rounding of the continuous columns of x causes.
func (p *problem) rounding(i int, x []float64) float64 {
	index, value := p.byRow.Vec(i)
	sum := 0.0

	// Integer columns have exact values, so that only the continuous ones contribute.
	for k, j := range index {
		if !p.integer[j] {
			sum += math.Abs(value[k] * x[j])
		}
	}
	return ulp * sum
}
