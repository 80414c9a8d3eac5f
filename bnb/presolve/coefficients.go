package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/program"
)

// tightenCoefficients reduces coefficients of integer columns in row i if it has one side. If the row cannot be
// violated with column j one step away from the bound where its term is largest, the coefficient may be reduced to the
// violation at that bound; the side changes so that the row is the same at the bound (Savelsbergh 1994, section 1.2).
func (p *problem) tightenCoefficients(i int32) {
	lower := !math.IsInf(p.RowLo[i], -1)
	upper := !math.IsInf(p.RowUp[i], 1)
	if lower == upper {
		return
	}

	// The largest violation is known only where the largest activity is finite.
	t := p.Activity(i)
	unbounded := upper && t.InfMax > 0
	if lower {
		unbounded = t.InfMin > 0
	}
	if unbounded || p.holdsFixed(i) {
		return
	}

	// s times the row is a'x <= side.
	t = p.Afresh(i)
	s := 1.0
	maxActivity := t.Upper()
	side := p.RowUp[i]
	if lower {
		s = -1
		maxActivity = -t.Lower()
		side = -p.RowLo[i]
	}

	// The largest violation does not change when a coefficient does.
	excess := maxActivity - side
	noise := program.RoundTol * t.Size
	negligible := excess <= exactTol*(1+math.Abs(side)) || excess <= noiseFactor*noise
	if math.IsInf(maxActivity, 1) || negligible {
		return
	}

	p.Work += int(p.A.RowLen[i])
	changed := false

	for e := range p.A.Row(i) {
		// The coefficient falls to the excess. The gain must be a share of it, far from the rounding error of the activity.
		gain := math.Abs(e.Val) - excess
		worth := gain >= coefGain*math.Abs(e.Val) && gain > noiseFactor*noise
		if !worth || !p.integer[e.Col] || p.Lo[e.Col] == p.Up[e.Col] {
			continue
		}

		at := activity.Least(-s*e.Val, p.Lo[e.Col], p.Up[e.Col])

		// The row is the same at the bound where the term is largest.
		side -= math.Copysign(gain, s*e.Val) * at
		e.Val = math.Copysign(excess, e.Val)
		p.ColQueue.Add(e.Col)
		p.count.Coefficients++
		p.changed++
		changed = true
	}
	if !changed {
		return
	}

	// Compared with the smaller coefficients the rounding error of the activity would matter.
	side += noise
	if lower {
		p.RowLo[i] = -side
	} else {
		p.RowUp[i] = side
	}
	p.TouchRow(i)
}

// holdsFixed reports whether row i has a fixed column, which will be removed. Its term may be so large that the side
// has lost the digits on which the smaller coefficients depend.
func (p *problem) holdsFixed(i int32) bool {
	// A column that is fixed at zero has no term.
	for e := range p.A.Row(i) {
		if p.Lo[e.Col] == p.Up[e.Col] && p.Lo[e.Col] != 0 {
			return true
		}
	}
	return false
}

// divide rounds the sides of a row over integer columns whose coefficients have a common divisor, to values that they
// can add up to.
func (p *problem) divide(i int32) {
	unit, ok := p.commonDivisor(i)
	if !ok {
		return
	}
	lo := p.RowLo[i]
	up := p.RowUp[i]
	largest := math.Max(activity.FiniteSize(lo), activity.FiniteSize(up))

	// A divisor within the tolerances, or a side of too many units, does not decide which multiples are allowed. Nor do
	// coefficients that are multiples only to rounding errors, beside large values.
	drift := p.drift(i, unit)
	if unit < unitMin*p.opt.Feasibility || largest > maxSide*unit || drift > sidePart*p.opt.Feasibility {
		return
	}
	if drift <= sideMin || lo == up {
		drift = 0 // an equation remains one
	}

	// The sides move inward to multiples of the unit, then to sums that the columns can attain.
	first, last := p.integral(lo/unit, up/unit, unit)
	if first <= last {
		first, last = p.attainable(i, unit, first, last)
	}
	if first > last {
		p.infeasible = true
		return
	}

	// A side that moves by less than its rounding error stays.
	if v := unit * first; math.Abs(v-lo) > exactTol*(1+math.Abs(lo)) {
		lo = math.Max(v-drift, math.Min(v, lo))
	}
	if v := unit * last; math.Abs(v-up) > exactTol*(1+math.Abs(up)) {
		up = math.Min(v+drift, math.Max(v, up))
	}
	if lo == p.RowLo[i] && up == p.RowUp[i] {
		return
	}
	p.RowLo[i] = math.Min(lo, up) // they may be the same multiple, but for rounding
	p.RowUp[i] = up
	p.count.Sides++
	p.changed++
	p.TouchRow(i)
}

// drift bounds the distance of the activity of row i from a multiple of the unit. Its coefficients are multiples but
// for rounding errors, which count in proportion to the columns. Beside an infinite bound they do not.
func (p *problem) drift(i int32, unit float64) float64 {
	p.Work += int(p.A.RowLen[i])
	sum := 0.0
	for e := range p.A.Row(i) {
		off := math.Abs(math.FMA(-unit, math.Round(e.Val/unit), e.Val))
		far := math.Max(math.Abs(p.Lo[e.Col]), math.Abs(p.Up[e.Col]))
		rounding := math.IsInf(far, 1) && off <= p.Noise*math.Abs(e.Val)
		if off > 0 && !rounding {
			sum += off * far
		}
	}
	return sum
}

// commonDivisor returns the largest unit found such that the coefficients of row i are multiples of it; ok
// is false where a column is continuous or a coefficient is no multiple of a reasonable unit.
func (p *problem) commonDivisor(i int32) (unit float64, ok bool) {
	p.Work += int(p.A.RowLen[i])
	least := math.Inf(1)

	// Only a row whose columns are all integer has an activity that is a multiple of a unit.
	for e := range p.A.Row(i) {
		if !p.integer[e.Col] {
			return 0, false
		}
		least = math.Min(least, math.Abs(e.Val))
	}

	// The scales try the coefficients as they are, in multiples of the smallest one, and as short decimals.
	for _, scale := range [...]float64{1, 1 / least, 2 / least, 3 / least, 10, 1000} {
		if g := p.divisor(i, scale); g > 0 {
			return g / scale, true
		}
	}
	return 0, false
}

// divisor returns the greatest common divisor of the coefficients of row i times scale, or 0 where one of
// them is not integer.
func (p *problem) divisor(i int32, scale float64) float64 {
	g := 0.0
	p.Work += int(p.A.RowLen[i])
	for e := range p.A.Row(i) {
		v := math.Abs(e.Val) * scale
		// A coefficient that is not an integer at this scale, or a large one, ends the attempt.
		r := math.Round(v)
		if r == 0 || r > maxGCD || math.Abs(v-r) > 1e-12*r {
			return 0
		}

		// Euclid's algorithm, with the divisor of the coefficients so far.
		for r != 0 {
			g, r = r, math.Mod(g, r)
		}
	}
	return g
}
