package verify

import (
	"math"
	"math/big"
)

// num is an exact number m * 2^e. All float64 are such numbers, and so are their sums and products, which need no
// common divisors as rationals do.
type num struct {
	m big.Int
	e int
}

// of returns the exact value of a finite float64.
func of(v float64) *num {
	z := new(num)
	if v == 0 {
		return z
	}
	f, e := math.Frexp(v)
	z.m.SetInt64(int64(f * (1 << 53)))
	z.e = e - 53
	return z
}

// clone returns a copy.
func (z *num) clone() *num {
	c := &num{e: z.e}
	c.m.Set(&z.m)
	return c
}

// add adds x to z and returns z.
func (z *num) add(x *num) *num { return z.combine(x, false) }

// sub subtracts x from z and returns z.
func (z *num) sub(x *num) *num { return z.combine(x, true) }

func (z *num) combine(x *num, negative bool) *num {
	if x.m.Sign() == 0 {
		return z
	}
	if z.m.Sign() == 0 {
		z.e = x.e
	}
	y := &x.m
	switch {
	case z.e > x.e:
		z.m.Lsh(&z.m, uint(z.e-x.e))
		z.e = x.e
	case z.e < x.e:
		y = new(big.Int).Lsh(y, uint(x.e-z.e))
	}
	if negative {
		z.m.Sub(&z.m, y)
	} else {
		z.m.Add(&z.m, y)
	}
	return z
}

// times returns x*y.
func times(x, y *num) *num {
	z := &num{e: x.e + y.e}
	z.m.Mul(&x.m, &y.m)
	return z
}

// product returns the exact product of two finite float64.
func product(a, b float64) *num { return times(of(a), of(b)) }

// addProduct adds a*b to z.
func (z *num) addProduct(a, b float64) *num { return z.add(product(a, b)) }

// addLeast adds the least value of d*v over lower <= v <= upper to z; false says that there is none.
func (z *num) addLeast(d *num, lower, upper float64) bool {
	at := lower
	if d.sign() < 0 {
		at = upper
	}
	switch {
	case d.sign() == 0:
		return true
	case math.IsInf(at, 0):
		return false
	}
	z.add(times(d, of(at)))
	return true
}

func (z *num) sign() int { return z.m.Sign() }

func (z *num) cmp(x *num) int { return z.clone().sub(x).sign() }

// rat returns the number as a rational.
func (z *num) rat() *big.Rat {
	r := new(big.Rat).SetInt(&z.m)
	scale := new(big.Int).Lsh(big.NewInt(1), uint(max(z.e, -z.e)))
	if z.e >= 0 {
		return r.Mul(r, new(big.Rat).SetInt(scale))
	}
	return r.Quo(r, new(big.Rat).SetInt(scale))
}

// float returns the nearest float64, for messages.
func (z *num) float() float64 {
	v, _ := z.rat().Float64()
	return v
}

func finite(v ...float64) bool {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
