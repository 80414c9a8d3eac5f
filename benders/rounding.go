package benders

import "math"

// UnitRoundoff is u, half the distance from 1 to the next float64.
const UnitRoundoff = 0x1p-53

// Sum is a running sum of nonnegative floats with Neumaier's correction term (1974), and rigorous bounds on the
// exact sum, from which families round the coefficients of their cuts outward. The zero value is an empty sum.
type Sum struct{ sum, correction float64 }

// Add adds a term.
func (s *Sum) Add(v float64) {
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
	return math.Nextafter(v+4*Ulp(v), math.Inf(1))
}

// Down is the lower bound of Up's pair; it is not negative.
func (s *Sum) Down() float64 {
	v := s.Value()
	return max(0, math.Nextafter(v-4*Ulp(v), math.Inf(-1)))
}

// Ulp returns the distance from v to the next float64 above it.
func Ulp(v float64) float64 { return math.Nextafter(v, math.Inf(1)) - v }
