package outward

import "math"

// DualBound is the value of a dual vector of min c'x, lower <= Ax <= upper, l <= x <= u: a lower bound on the optimum
// that holds in exact arithmetic whatever the multipliers are (A. Neumaier and O. Shcherbina, Safe bounds in linear and
// mixed-integer linear programming, Mathematical Programming 99, 2004). Rows and reduced costs are priced at the side
// that makes the bound least; what the rounding of reduced costs may cost is summed apart. The zero value is an empty
// bound; Add of the embedded sum adds what is exact.
type DualBound struct {
	Dot
	loss   float64
	losses int
}

// Multiplier returns v as a multiplier of a row: 0 where the side of the row that v prices is infinite.
func Multiplier(v, lower, upper float64) float64 {
	// A multiplier of an infinite side would make the bound worthless.
	priced := lower
	if v < 0 {
		priced = upper
	}
	if math.IsInf(priced, 0) {
		return 0
	}
	return v
}

// AddRow adds the value of a row with a multiplier that Multiplier does not change.
func (b *DualBound) AddRow(y, lower, upper float64) {
	// A multiplier prices the lower side if it is positive, else the upper one.
	switch {
	case y > 0:
		b.Add(y, lower)
	case y < 0:
		b.Add(y, upper)
	}
}

// AddColumn adds the least of z x for l <= x <= u, where the reduced cost z is within err of v. A bound is infinite
// only where z is proven to have a sign that does not price it. The least is concave in z, so it is off by no more
// than err times the larger bound.
func (b *DualBound) AddColumn(v, err, l, u float64) {
	noLower, noUpper := math.IsInf(l, -1), math.IsInf(u, 1)
	switch {
	case v == 0 && err == 0 || noLower && noUpper: // z = 0
		return
	case noUpper:
		u = l
	case noLower:
		l = u
	}

	// The reduced cost has a sign but for err: the bound that it prices gives the least.
	if v > 0 {
		b.Add(v, l)
	} else {
		b.Add(v, u)
	}
	b.Lose(Up(err * max(math.Abs(l), math.Abs(u))))
}

// Lose takes a number that is not negative off the bound.
func (b *DualBound) Lose(loss float64) {
	// Zeros are not counted, so that they do not weaken the bound.
	if loss != 0 {
		b.loss += loss
		b.losses++
	}
}

// Loss returns what Lose took off altogether, rounded up: a sum of n numbers is off by less than n units of roundoff,
// and twice as many are added.
func (b *DualBound) Loss() float64 {
	return b.loss * (1 + 2*float64(b.losses+1)*UnitRoundoff)
}

// Below returns the greatest float64 that is known to be no more than the bound.
func (b *DualBound) Below() float64 {
	// The losses come off at the end, rounded down.
	low, _ := b.Interval()
	if b.loss == 0 {
		return low
	}
	return Down(low - b.Loss())
}
