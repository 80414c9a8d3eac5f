package f64

import "math"

// The functions below are written in operations that the assembly does in the same order, none of them fused,
// so that both give the same bits.

const (
	minExp  = -700                  // arguments of exp below are taken as this
	ln2High = 0x1.62e42feep-1       // ln 2 in two parts; n*ln2High is exact for |n| < 2^20
	ln2Low  = 0x1.a39ef35793c76p-33 // ln 2 - ln2High
	rounder = 0x1.8p52              // adding it rounds to an integer, which the low bits then hold
	oneBits = uint64(0x3ff) << 52   // the bits of 1
	root    = math.Sqrt2 - 1        // log1p above is taken of (t-1)/2
)

// expParts returns s = 2^n and q with exp(z) = s + s q, n = round(z / ln 2), for z <= 0: q = exp(r) - 1 by
// its Taylor series, |r| <= ln(2)/2.
func expParts(z float64) (s, q float64) {
	// Below this argument exp would underflow.
	if minExp > z {
		z = minExp
	}

	// Adding the large number rounds to an integer n, which the low bits of m hold then.
	m := float64(z*math.Log2E) + rounder
	n := m - rounder

	// The remainder is computed in two steps, since n times the high part is exact.
	r := z - float64(n*ln2High)
	r -= float64(n * ln2Low)

	// The Taylor series of (exp(r) - 1 - r) / r^2, from the highest power down.
	p := 1.0 / 6227020800
	p = float64(p*r) + 1.0/479001600
	p = float64(p*r) + 1.0/39916800
	p = float64(p*r) + 1.0/3628800
	p = float64(p*r) + 1.0/362880
	p = float64(p*r) + 1.0/40320
	p = float64(p*r) + 1.0/5040
	p = float64(p*r) + 1.0/720
	p = float64(p*r) + 1.0/120
	p = float64(p*r) + 1.0/24
	p = float64(p*r) + 1.0/6
	p = float64(p*r) + 1.0/2
	q = r + float64(float64(r*r)*p)

	// The bits of n become the exponent of s.
	return math.Float64frombits(math.Float64bits(m)<<52 + oneBits), q
}

// softplus1 returns log(1 + exp(x)): with t = exp(-|x|), log1p(t) = base + 2 artanh(m / (2+m)), where m is t, or
// (t-1)/2 and the base ln 2, by its Taylor series.
func softplus1(x float64) float64 {
	s, q := expParts(-math.Abs(x))
	t := float64(s*q) + s

	// The reduction of the argument keeps |a| below 0.18.
	m := t
	base := 0.0
	if t > root {
		m = (t - 1) * 0.5
		base = math.Ln2
	}

	// The series of 2 artanh in powers of w = a^2.
	a := m / (2 + m)
	w := a * a
	p := 2.0 / 19
	p = float64(p*w) + 2.0/17
	p = float64(p*w) + 2.0/15
	p = float64(p*w) + 2.0/13
	p = float64(p*w) + 2.0/11
	p = float64(p*w) + 2.0/9
	p = float64(p*w) + 2.0/7
	p = float64(p*w) + 2.0/5
	p = float64(p*w) + 2.0/3
	l := float64(float64(a*w)*p) + (a + a)
	l += base

	// The logarithm alone is the result for a negative argument.
	if !(x > 0) {
		x = 0
	}
	return x + l
}

// softplusSlope returns 1 - exp(-y) for y >= 0.
func softplusSlope(y float64) float64 {
	// 1 - exp(-y) in the two parts of the exponential, whose difference loses nothing.
	s, q := expParts(-y)
	return (1 - s) - float64(s*q)
}

// softplusGeneric is Softplus in Go.
func softplusGeneric(dst, x []float64) {
	x = x[:len(dst)]

	for i := range dst {
		dst[i] = softplus1(x[i])
	}
}

// softplusGradGeneric is SoftplusGrad in Go.
func softplusGradGeneric(dx, y, dy []float64) {
	y = y[:len(dx)]
	dy = dy[:len(dx)]

	for i := range dx {
		dx[i] += float64(softplusSlope(y[i]) * dy[i])
	}
}

// softplusMaskGeneric is SoftplusMask in Go.
func softplusMaskGeneric(dy, y []float64) {
	y = y[:len(dy)]

	for i := range dy {
		dy[i] *= softplusSlope(y[i])
	}
}
