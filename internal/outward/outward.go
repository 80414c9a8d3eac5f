// Package outward rounds float64 results to the safe side: its functions return bounds on the exact result, from the
// side in their names. Coefficients of cuts, bounds and fixing tests are rigorous because they are computed with it.
package outward

import (
	"math"
	"math/big"
)

// UnitRoundoff is u, half the distance from 1 to the next float64.
const UnitRoundoff = 0x1p-53

// Ulp returns the distance from v to the next float64 above it.
func Ulp(v float64) float64 { return Up(v) - v }

// Down and Up return the neighbours of v. They bound every number that rounds to v.
func Down(v float64) float64 { return math.Nextafter(v, math.Inf(-1)) }
func Up(v float64) float64   { return math.Nextafter(v, math.Inf(1)) }

// AddDown and AddUp bound a + b.
func AddDown(a, b float64) float64 { return Down(a + b) }
func AddUp(a, b float64) float64   { return Up(a + b) }

// MulDown and MulUp bound a b.
func MulDown(a, b float64) float64 { return Down(a * b) }
func MulUp(a, b float64) float64   { return Up(a * b) }

// Exceeds reports whether the exact a + b is above c for certain.
func Exceeds(a, b, c float64) bool { return a+b > c && AddDown(a, b) > c }

// SubUp returns the least float64 that is at least a - b, for a > b >= 0. The error of the rounded difference is
// exact (Dekker 1971, as a >= b), and the result is the next float64 if the error is positive.
func SubUp(a, b float64) float64 {
	// The rounded difference and its error are exact together.
	s := a - b
	if (a-s)-b > 0 {
		return math.Float64frombits(math.Float64bits(s) + 1) // s > 0
	}
	return s
}

// RatDown and RatUp bound a rational number, and nearly equal it.
func RatDown(r *big.Rat) float64 {
	// A float64 that the number equals needs no rounding. Package big also calls the float64 of numbers far below the
	// least one exact, which is 0 or that one.
	f, exact := r.Float64()
	if exact && math.Abs(f) > math.SmallestNonzeroFloat64 || r.Sign() == 0 {
		return f
	}

	// The nearest float64 may be the one above.
	if math.IsInf(f, 0) || Rat(f).Cmp(r) > 0 {
		f = Down(f)
	}
	return f
}

// RatUp is the upper bound of RatDown's pair.
func RatUp(r *big.Rat) float64 { return -RatDown(new(big.Rat).Neg(r)) }

// Rat returns v as a rational number.
func Rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
