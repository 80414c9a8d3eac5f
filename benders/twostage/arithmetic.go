package twostage

import (
	"math"
	"math/big"

	"github.com/proxybd/proxybd/benders"
)

// tiny is the least product whose rounding error math.FMA gives exactly, with a margin.
const tiny = 0x1p-900

// dot is a running sum of products in doubled precision (Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26, 2005,
// algorithm 5.3) with a rigorous bound on its error. The zero value is an empty sum.
type dot struct {
	sum, low  float64
	magnitude float64 // sum of the absolute products
	terms     int
	underflow float64 // bound on what products too small to be exact have lost
}

// add adds a*b.
func (d *dot) add(a, b float64) {
	p := a * b
	if p == 0 && (a == 0 || b == 0) {
		return
	}
	e := math.FMA(a, b, -p)
	if math.Abs(p) < tiny {
		d.underflow += 2 * math.SmallestNonzeroFloat64
	}
	s := d.sum + p
	t := s - d.sum
	d.low += (d.sum - (s - t)) + (p - t) + e
	d.sum = s
	d.magnitude += math.Abs(p)
	d.terms++
}

// value returns the sum and a bound on its distance from the exact one.
func (d *dot) value() (v, err float64) {
	v = d.sum + d.low
	if d.terms == 0 {
		return v, 0
	}
	n := float64(d.terms + 2)
	const u = benders.UnitRoundoff
	err = u*math.Abs(v) + 8*n*n*u*u*d.magnitude + d.underflow
	if v == d.sum && d.low == 0 && err <= u*math.Abs(v) {
		return v, err
	}
	return v, err * (1 + 16*u)
}

// interval returns bounds on the exact sum.
func (d *dot) interval() (low, high float64) {
	v, err := d.value()
	if err == 0 {
		return v, v
	}
	return down(v - err), up(v + err)
}

func down(v float64) float64 { return math.Nextafter(v, math.Inf(-1)) }
func up(v float64) float64   { return math.Nextafter(v, math.Inf(1)) }

func rational(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// floatDown returns a float64 that is at most r and nearly r; floatUp one that is at least r.
func floatDown(r *big.Rat) float64 {
	f, exact := r.Float64()
	if exact {
		return f
	}
	if math.IsInf(f, 0) || rational(f).Cmp(r) > 0 {
		f = down(f)
	}
	return f
}

func floatUp(r *big.Rat) float64 { return -floatDown(new(big.Rat).Neg(r)) }
