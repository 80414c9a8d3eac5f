package bnb

import "math"

// Limits of the search for a common step of the costs. The numbers were chosen by hand.
const (
	maxDenominator = 10000 // largest denominator of one cost as a fraction
	maxCommon      = 1e9   // largest common denominator, and largest cost in units of it
	rationalTol    = 1e-11 // relative difference up to which a cost equals its fraction
)

// objectiveStep returns the largest step found such that the objective of every integer point is a
// multiple of it (plus the offset), or 0: all costs must sit on integer columns and be rational.
func (p *problem) objectiveStep() float64 {
	// The least common denominator of the costs of the columns that can be other than zero.
	common := 1.0
	for j, c := range p.cost {
		zero := p.integer[j] && p.lower[j] == 0 && p.upper[j] == 0
		if c == 0 || zero {
			continue
		}
		if !p.integer[j] {
			return 0
		}
		den, ok := rational(c)
		if !ok {
			return 0
		}
		common = common / gcd(common, den) * den
		if common > maxCommon {
			return 0
		}
	}

	// All costs are integers in units of the common denominator. Their greatest common divisor is the step.
	g := 0.0
	for _, c := range p.cost {
		if c == 0 {
			continue
		}
		v := math.Round(math.Abs(c) * common)
		if v > maxCommon {
			return 0
		}
		g = gcd(g, v)
	}
	return g / common
}

// rational returns a small denominator with which v is a fraction, by continued fractions.
func rational(v float64) (denominator float64, ok bool) {
	before := [2]float64{0, 1} // numerator and denominator of the convergent before the last,
	last := [2]float64{1, 0}   // and of the last one
	r := v

	// Each convergent has a larger denominator than the last. 40 steps are more than float64 can hold.
	for range 40 {
		a := math.Floor(r)
		before, last = last, [2]float64{a*last[0] + before[0], a*last[1] + before[1]}
		if last[1] > maxDenominator {
			return 0, false
		}
		if math.Abs(v-last[0]/last[1]) <= rationalTol*math.Abs(v) {
			return last[1], true
		}
		r = 1 / (r - a)
	}
	return 0, false
}

// gcd of two nonnegative integers held as floats.
func gcd(a, b float64) float64 {
	for b != 0 {
		a, b = b, math.Mod(a, b)
	}
	return a
}

// stepTolerance is how far (in units of the step) a value may lie from a multiple of the step and
// still be taken for it; above 0.1 the step is no help at this magnitude.
func (p *problem) stepTolerance(v float64) float64 {
	return math.Max(1e-6, 1e-9*math.Abs(v)/p.step)
}

// roundUp raises a lower bound on the objective of integer points to the next multiple of the step.
func (p *problem) roundUp(bound float64) float64 {
	if p.step == 0 || math.IsInf(bound, 0) {
		return bound
	}

	// Where the step is smaller than the rounding errors of the bound, rounding up proves nothing.
	tol := p.stepTolerance(bound)
	if tol > 0.1 {
		return bound
	}
	return p.offset + p.step*math.Ceil((bound-p.offset)/p.step-tol)
}
