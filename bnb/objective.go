package bnb

import "math"

// Limits of the search for a common step of the costs.
const (
	maxDenominator = 10000 // of one cost as a fraction
	maxCommon      = 1e9   // of the common denominator, and of a cost in units of the step
	rationalTol    = 1e-11 // relative, for a cost to equal its fraction
)

// objectiveStep returns the largest step found such that the objective of every integer point is a
// multiple of it (plus the offset), or 0: all costs must sit on integer columns and be rational.
func (p *problem) objectiveStep() float64 {
	common := 1.0
	for j, c := range p.cost {
		if c == 0 || p.lower[j] == p.upper[j] && p.integer[j] && p.lower[j] == 0 {
			continue
		}
		if !p.integer[j] {
			return 0
		}
		_, den, ok := rational(c)
		if !ok {
			return 0
		}
		common = common / gcd(common, den) * den
		if common > maxCommon {
			return 0
		}
	}
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

// rational writes v as num/den with a small denominator, by continued fractions.
func rational(v float64) (num, den float64, ok bool) {
	n0, d0, n1, d1 := 0.0, 1.0, 1.0, 0.0
	r := v
	for range 40 {
		a := math.Floor(r)
		n0, d0, n1, d1 = n1, d1, a*n1+n0, a*d1+d0
		if d1 > maxDenominator {
			return 0, 0, false
		}
		if math.Abs(v-n1/d1) <= rationalTol*math.Abs(v) {
			return n1, d1, true
		}
		r = 1 / (r - a)
	}
	return 0, 0, false
}

// gcd of two nonnegative integers held as floats.
func gcd(a, b float64) float64 {
	for b != 0 {
		a, b = b, math.Mod(a, b)
	}
	return a
}

// stepTolerance is how far (in units of the step) a value may lie from a multiple of the step and
// still be taken for it; above 0.1 the step is of no use at this magnitude.
func (p *problem) stepTolerance(v float64) float64 {
	return math.Max(1e-6, 1e-9*math.Abs(v)/p.step)
}

// roundUp raises a lower bound on the objective of integer points to the next multiple of the step.
func (p *problem) roundUp(bound float64) float64 {
	if p.step == 0 || math.IsInf(bound, 0) {
		return bound
	}
	tol := p.stepTolerance(bound)
	if tol > 0.1 {
		return bound
	}
	return p.offset + p.step*math.Ceil((bound-p.offset)/p.step-tol)
}
