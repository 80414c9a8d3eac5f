package outward

import "math"

// Expansion is an exact sum of products, as a sum of float64 numbers whose bits do not overlap (J. R. Shewchuk,
// Adaptive precision floating-point arithmetic, Discrete & Computational Geometry 18, 1997). It is for a few products;
// the zero value is an empty sum.
type Expansion struct {
	parts [32]float64 // the first n: of increasing magnitude, none is zero
	n     int
	lost  bool // a product was too small, or there is no room
}

// Add adds a*b.
func (x *Expansion) Add(a, b float64) {
	p := a * b
	if a == 0 || b == 0 {
		return
	}

	// Below that the rounding error of the product is not a float64.
	if math.Abs(p) < tiny {
		x.lost = true
		return
	}

	// The product is the sum of its rounding error and its float64.
	x.grow(math.FMA(a, b, -p))
	x.grow(p)
}

// grow adds a number: Shewchuk's GROW-EXPANSION with elimination of zeros.
func (x *Expansion) grow(v float64) {
	n := 0

	// Each number is added by TwoSum: the rounding error stays, the sum goes on.
	for _, p := range x.parts[:x.n] {
		s := v + p
		t := s - v
		if e := (v - (s - t)) + (p - t); e != 0 {
			x.parts[n] = e
			n++
		}
		v = s
	}

	// The last sum is the largest number, unless it is zero.
	switch {
	case v == 0:
	case n == len(x.parts):
		x.lost = true
	default:
		x.parts[n] = v
		n++
	}
	x.n = n
}

// Sign returns the sign of the exact sum, and false if it is not known: with products below 2^-900, sums beyond the
// greatest float64, or too many numbers.
func (x *Expansion) Sign() (sign int, ok bool) {
	if x.lost {
		return 0, false
	}
	if x.n == 0 {
		return 0, true
	}

	// The last number is larger than the sum of the others, so its sign is that of the sum.
	switch top := x.parts[x.n-1]; {
	case math.IsNaN(top) || math.IsInf(top, 0):
		return 0, false
	case top > 0:
		return 1, true
	}
	return -1, true
}
