package verify

import (
	"math"
	"math/big"
	"slices"
)

// num is an exact number m * 2^e / d. All float64 are such numbers with d = 1, and so are their sums and products,
// which need no common divisors as rationals do.
type num struct {
	m big.Int
	e int

	// Positive and never changed; nil for 1.
	d *big.Int
}

// of returns the exact value of a finite float64.
func of(v float64) *num {
	z := new(num)
	// Zero has no exponent of its own.
	if v == 0 {
		return z
	}

	// A float64 is a fraction of at least 1/2 with 53 bits, times a power of two.
	f, e := math.Frexp(v)
	z.m.SetInt64(int64(f * (1 << 53)))
	z.e = e - 53
	return z
}

// clone returns a copy.
// The denominator is shared, since nothing changes it.
func (z *num) clone() *num {
	c := &num{e: z.e, d: z.d}
	c.m.Set(&z.m)
	return c
}

// add adds x to z and returns z.
func (z *num) add(x *num) *num { return z.combine(x, false) }

// sub subtracts x from z and returns z.
func (z *num) sub(x *num) *num { return z.combine(x, true) }

// combine adds x to z, or subtracts it.
func (z *num) combine(x *num, negative bool) *num {
	// A zero leaves z as it is, whatever its exponent and denominator.
	if x.m.Sign() == 0 {
		return z
	}

	// The exponent of a zero z is free, so that the one of x saves a shift.
	if z.m.Sign() == 0 {
		z.e = x.e
		z.d = x.d
	}

	// Both over one denominator, and with the smaller of the exponents.
	y := &x.m
	if z.d != x.d {
		y = z.onto(x)
	}
	switch {
	case z.e > x.e:
		z.m.Lsh(&z.m, uint(z.e-x.e))
		z.e = x.e
	case z.e < x.e:
		y = new(big.Int).Lsh(y, uint(x.e-z.e))
	}

	// The denominator is common by now, so that the numerators are added.
	if negative {
		z.m.Sub(&z.m, y)
	} else {
		z.m.Add(&z.m, y)
	}
	return z
}

// onto brings z to the least common denominator of z and x and returns what m of x is over it.
func (z *num) onto(x *num) *big.Int {
	zd := z.denominator()
	xd := x.denominator()
	if zd.Cmp(xd) == 0 {
		return &x.m
	}

	// With the greatest common divisor g the least common denominator is zd xd / g.
	g := new(big.Int).GCD(nil, nil, zd, xd)
	zf := new(big.Int).Quo(xd, g)
	xf := new(big.Int).Quo(zd, g)
	z.m.Mul(&z.m, zf)
	z.d = new(big.Int).Mul(zd, zf)
	return xf.Mul(xf, &x.m)
}

// denominator is d as a number of its own.
func (z *num) denominator() *big.Int {
	if z.d == nil {
		return big.NewInt(1)
	}
	return z.d
}

// times returns x*y.
func times(x, y *num) *num {
	// Exponents add up, and numerators and denominators are multiplied.
	z := &num{e: x.e + y.e, d: x.d}
	z.m.Mul(&x.m, &y.m)
	switch {
	case x.d == nil:
		z.d = y.d
	case y.d != nil:
		z.d = new(big.Int).Mul(x.d, y.d)
	}
	return z
}

// product returns the exact product of two finite float64.
func product(a, b float64) *num { return times(of(a), of(b)) }

// addLeast adds the least value of d*v over lower <= v <= upper to z; it returns false if there is none.
func (z *num) addLeast(d *num, lower, upper float64) bool {
	// A positive d has its least value at the lower bound, a negative one at the upper bound.
	at := lower
	if d.sign() < 0 {
		at = upper
	}

	// A zero d has the value 0 also on an infinite bound.
	if d.sign() == 0 {
		return true
	}

	// The value decreases without limit.
	if math.IsInf(at, 0) {
		return false
	}
	z.add(times(d, of(at)))
	return true
}

// sign is -1, 0 or 1.
func (z *num) sign() int { return z.m.Sign() }

// cmp compares z with x: it is the sign of their difference.
func (z *num) cmp(x *num) int { return z.clone().sub(x).sign() }

// rat returns the number as a rational.
func (z *num) rat() *big.Rat {
	r := new(big.Rat).SetInt(&z.m)
	// A negative exponent divides by the power of two.
	scale := new(big.Int).Lsh(big.NewInt(1), uint(max(z.e, -z.e)))
	if z.e >= 0 {
		r.Mul(r, new(big.Rat).SetInt(scale))
	} else {
		r.Quo(r, new(big.Rat).SetInt(scale))
	}
	return r.Quo(r, new(big.Rat).SetInt(z.denominator()))
}

// float returns the nearest float64, for messages.
func (z *num) float() float64 { return nearest(z.rat()) }

// nearest returns the float64 nearest to a rational, for messages.
func nearest(r *big.Rat) float64 {
	v, _ := r.Float64()
	return v
}

// finite reports whether all numbers are finite.
func finite(v ...float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}
