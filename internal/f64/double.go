package f64

import "math"

// Double is a sum of numbers and products in about twice the precision of float64 (T. Ogita, S. M. Rump, S. Oishi,
// Accurate sum and dot product, SIAM Journal on Scientific Computing 26 (2005), algorithms Sum2 and Dot2): its error is
// below n*n*2^-104 of the sum of the absolute values of n terms, to which the rounding of the value is added. The zero
// value is zero.
type Double struct{ hi, lo float64 }

// Add adds x. Its body is TwoSum of Knuth: t is the rounded sum, and the two differences are its rounding error.
func (s *Double) Add(x float64) {
	t := float64(s.hi + x)
	z := float64(t - s.hi)
	s.lo += float64(s.hi-float64(t-z)) + float64(x-z)
	s.hi = t
}

// AddProduct adds x*y; the fused operation gives the rounding error of the product.
func (s *Double) AddProduct(x, y float64) {
	// The rounded product is added, and its rounding error goes to the low part.
	p := float64(x * y)
	s.Add(p)
	s.lo += math.FMA(x, y, -p)
}

// AddTimes adds x*t.
func (s *Double) AddTimes(x float64, t *Double) {
	s.AddProduct(x, t.hi)
	s.AddProduct(x, t.lo)
}

// Value returns the sum, rounded.
func (s *Double) Value() float64 { return s.hi + s.lo }

// Split returns the rounded sum and the remainder that rounding took away.
func (s *Double) Split() (value, rest float64) {
	value = float64(s.hi + s.lo)
	return value, float64(s.hi-value) + s.lo
}
