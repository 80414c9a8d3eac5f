package outward

import "math"

// Sum is a running sum of nonnegative floats with Neumaier's correction term (1974), and rigorous bounds on the
// exact sum. The zero value is an empty sum.
type Sum struct{ sum, correction float64 }

// Add adds a term.
func (s *Sum) Add(v float64) {
	// The correction collects the rounding error of each addition, from the larger of the two numbers.
	t := s.sum + v
	if math.Abs(s.sum) >= math.Abs(v) {
		s.correction += (s.sum - t) + v
	} else {
		s.correction += (v - t) + s.sum
	}
	s.sum = t
}

// Value returns the sum, rounded to within two units in the last place.
func (s *Sum) Value() float64 { return s.sum + s.correction }

// Up and Down bound the exact sum of at most 2^26 nonnegative floats: the error of Value is at most
// u |s| + gamma^2 s with gamma = 2^26 u / (1 - 2^26 u) (Ogita, Rump and Oishi 2005, proposition 4.5),
// that is 1.6 u |s|, and four units in the last place cover it.
func (s *Sum) Up() float64 {
	v := s.Value()
	return Up(v + 4*Ulp(v))
}

// Down is the lower bound of Up's pair; it is not negative.
func (s *Sum) Down() float64 {
	v := s.Value()
	return max(0, Down(v-4*Ulp(v)))
}

// Total returns the sum of nonnegative floats, rounded to within two units in the last place.
func Total(values []float64) float64 {
	var s Sum
	for _, v := range values {
		s.Add(v)
	}
	return s.Value()
}

// SumUp bounds from above the exact value of a plain sum, computed in any order as s >= 0 from at most k nonnegative
// terms, each with a relative error of at most u (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
// section 4.2): s = sum * (1+d) with (1-u)^k <= 1+d <= (1+u)^k, and hence for k(k+1)u <= 1
//
//	exact sum  <=  s (1 + (k+1) u).
//
// Addition and subtraction of floats never lose accuracy by underflow (a subnormal result is exact), so nothing is
// added for that.
func SumUp(s float64, k int) float64 {
	// An empty sum has no error.
	if s == 0 {
		return 0
	}
	return Up(s + Up(float64(s*(float64(k+1)*UnitRoundoff))))
}

// ProductsDown bounds from below a value >= 0 that was computed from n products in each of m rows, where magnitude is
// the sum of all terms taken absolutely: the relative error of sums and products as for SumUp, twice over to cover the
// rounding of the bound itself, and half a subnormal for each product that underflows.
func ProductsDown(value, magnitude float64, n, m int) float64 {
	// The slack covers the relative errors, the last term the products that underflow.
	slack := 2 * float64(n+m+8) * UnitRoundoff * magnitude
	return max(0, value-slack-float64(n+2)*float64(m)*math.SmallestNonzeroFloat64)
}
