package ufl

import (
	"math"

	"github.com/proxybd/proxybd/benders"
)

// Outward rounding. All sums here have nonnegative terms, so an a-priori relative bound is rigorous
// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 4.2): with unit roundoff
// u = 2^-53, a sum of k nonnegative terms, each itself off by a factor in [1-u, 1+u], computed in any
// order is S with S = sum * (1+d), (1-u)^k <= 1+d <= (1+u)^k. Addition and subtraction of floats
// never lose accuracy by underflow (a subnormal result is exact), so nothing is added for that.
// Hence, for k(k+1)u <= 1,
//
//	S (1 - (k+1) u)  <=  exact sum  <=  S (1 + (k+1) u).

// sumUp returns a float64 that is at least the exact value of a sum that was computed as s >= 0 from
// at most k nonnegative terms, each with a relative error of at most u.
func sumUp(s float64, k int) float64 {
	if s == 0 {
		return 0
	}
	slack := math.Nextafter(float64(s*(float64(k+1)*benders.UnitRoundoff)), math.Inf(1))
	return math.Nextafter(s+slack, math.Inf(1))
}

// sumDown returns a nonnegative float64 that is at most the exact value of such a sum.
func sumDown(s float64, k int) float64 {
	if s == 0 {
		return 0
	}
	slack := math.Nextafter(float64(s*(float64(k+1)*benders.UnitRoundoff)), math.Inf(1))
	return max(0, math.Nextafter(s-slack, math.Inf(-1)))
}

// subUp returns the smallest float64 that is at least a - b, for a > b >= 0. The error of the rounded
// difference is exact (Dekker 1971, as a >= b), so its sign says whether to move up.
func subUp(a, b float64) float64 {
	s := a - b
	if (a-s)-b > 0 {
		return math.Float64frombits(math.Float64bits(s) + 1) // s > 0
	}
	return s
}

// valueDown rounds down a value that was computed from n products of a cost and a mass in each of m rows, with
// magnitude the sum of all terms taken absolutely: the relative error of sums and products as above, twice over
// to cover the rounding of the bound itself, and half a subnormal for each product that underflows.
func valueDown(value, magnitude float64, n, m int) float64 {
	slack := 2 * float64(n+m+8) * benders.UnitRoundoff * magnitude
	return max(0, value-slack-float64(n+2)*float64(m)*math.SmallestNonzeroFloat64)
}
