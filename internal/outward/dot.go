package outward

import "math"

// tiny is the least product whose rounding error math.FMA gives exactly, with a margin.
const tiny = 0x1p-900

// Dot is a running sum of products in doubled precision (Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26, 2005,
// algorithm 5.3) with a rigorous bound on its error. The zero value is an empty sum.
type Dot struct {
	sum, low  float64
	magnitude float64 // sum of the absolute products
	terms     int
	underflow float64 // bound on the errors of products too small to be exact, and of sums that were added
}

// Add adds a*b.
func (d *Dot) Add(a, b float64) {
	// A factor of zero adds nothing, not even an error.
	p := a * b
	if p == 0 && (a == 0 || b == 0) {
		return
	}

	// TwoProduct and TwoSum: e and the terms in brackets are the exact rounding errors of the product and of the sum.
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

// AddProduct adds a*b*c.
func (d *Dot) AddProduct(a, b, c float64) {
	// A product that underflows to zero is not zero.
	p := b * c
	isZero := p == 0 && (b == 0 || c == 0)
	if a == 0 || isZero {
		return
	}
	if math.Abs(p) < tiny {
		d.underflow += 2 * (math.Abs(a) + 1) * math.SmallestNonzeroFloat64
		d.terms++
	}
	d.Add(a, p)
	d.Add(a, math.FMA(b, c, -p))
}

// AddTimes adds a times another sum.
func (d *Dot) AddTimes(a float64, x *Dot) {
	if a == 0 || x.terms == 0 {
		return
	}

	// The two parts of the other sum are added exactly; what they lack is bounded.
	d.Add(a, x.sum)
	d.Add(a, x.low)
	d.underflow += math.Abs(a)*x.lack()*(1+4*UnitRoundoff) + math.SmallestNonzeroFloat64
	d.terms++
}

// lack is a bound on the distance of sum + low from the exact sum.
func (d *Dot) lack() float64 {
	// The error of the algorithm for these terms, and what products lost by underflow.
	n := float64(d.terms + 2)
	const u = UnitRoundoff
	return (8*n*n*u*u*d.magnitude + d.underflow*(1+2*n*u)) * (1 + 16*u)
}

// Value returns the sum and a bound on its distance from the exact one.
func (d *Dot) Value() (v, err float64) {
	v = d.sum + d.low
	if d.terms == 0 {
		return v, 0
	}

	// The bound of the algorithm, with the rounding errors of its own computation.
	n := float64(d.terms + 2)
	const u = UnitRoundoff
	err = u*math.Abs(v) + 8*n*n*u*u*d.magnitude + d.underflow*(1+2*n*u)
	if v == d.sum && d.low == 0 && err <= u*math.Abs(v) {
		return v, err
	}
	return v, err * (1 + 16*u)
}

// Interval returns bounds on the exact sum.
func (d *Dot) Interval() (low, high float64) {
	// An exact sum needs no rounding.
	v, err := d.Value()
	if err == 0 {
		return v, v
	}
	return Down(v - err), Up(v + err)
}

// Terms returns the number of products added that are not zero.
func (d *Dot) Terms() int { return d.terms }
