package cflp

import "math"

// unitRoundoff is u, half the distance from 1 to the next float64.
const unitRoundoff = 0x1p-53

// compensated is a running sum with Neumaier's correction term (1974).
type compensated struct{ sum, correction float64 }

func (c *compensated) add(v float64) {
	t := c.sum + v
	if math.Abs(c.sum) >= math.Abs(v) {
		c.correction += (c.sum - t) + v
	} else {
		c.correction += (v - t) + c.sum
	}
	c.sum = t
}

func (c *compensated) value() float64 { return c.sum + c.correction }

// up and down bound the exact sum of at most 2^26 nonnegative floats: the error of value is at most
// u |s| + gamma^2 s with gamma = 2^26 u / (1 - 2^26 u) (Ogita, Rump and Oishi 2005, proposition 4.5),
// that is 1.6 u |s|, and four units in the last place cover it.
func (c *compensated) up() float64 {
	v := c.value()
	return math.Nextafter(v+4*ulp(v), math.Inf(1))
}

func (c *compensated) down() float64 {
	v := c.value()
	return max(0, math.Nextafter(v-4*ulp(v), math.Inf(-1)))
}

func ulp(v float64) float64 { return math.Nextafter(v, math.Inf(1)) - v }

// addDown and addUp return a float64 on the safe side of the exact a + b.
func addDown(a, b float64) float64 { return math.Nextafter(a+b, math.Inf(-1)) }
func addUp(a, b float64) float64   { return math.Nextafter(a+b, math.Inf(1)) }

// mulDown and mulUp return a float64 on the safe side of the exact a b.
func mulDown(a, b float64) float64 { return math.Nextafter(a*b, math.Inf(-1)) }
func mulUp(a, b float64) float64   { return math.Nextafter(a*b, math.Inf(1)) }
