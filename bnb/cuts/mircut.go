package cuts

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/activity"
)

// build returns the cut for a divisor in the columns of the model, cleaned up and relaxed, with its efficacy.
func (g *mir) build(delta float64) (Cut, float64, bool) {
	g.v.work += 4 * len(g.terms)
	b := g.rhs / delta
	floor := math.Floor(b)
	f0 := b - floor

	g.clearCut()

	// The right-hand side is rounded down, the terms by their fractions.
	rhs := floor
	for k := range g.terms {
		t := &g.terms[k]
		if c := t.rounded(delta, f0); c != 0 {
			rhs += g.unsubstitute(t, c)
		}
	}

	// The rounding error of the right-hand side is one more continuous term, which the rounding divides by 1 - f0.
	slices.Sort(g.cols)
	return g.clean(rhs, 2*roundingUnit*g.total/(delta*(1-f0)))
}

// clearCut clears the dense scratch.
func (g *mir) clearCut() {
	for _, j := range g.cols {
		g.cut[j] = 0
		g.cutSize[j] = 0
		g.inCut[j] = false
	}
	g.cols = g.cols[:0]
	g.rhsSize = 0
}

// put adds c to the coefficient of column j in the cut. The rounding error of c is relative to size.
func (g *mir) put(j int32, c, size float64) {
	if !g.inCut[j] {
		g.inCut[j] = true
		g.cols = append(g.cols, j)
	}
	g.cut[j] += c
	g.cutSize[j] += size
}

// unsubstitute adds c*t in terms of columns and returns what moves to the right-hand side.
func (g *mir) unsubstitute(t *mirTerm, c float64) float64 {
	// The term is the distance of a column or logical from its bound, which goes back to the right-hand side.
	sign := 1.0 // t = x - bound
	if t.upper {
		sign = -1 // t = bound - x
	}
	size := math.Abs(c)
	if t.integer && size >= tinyTerm {
		size = math.Max(size, 1) // c is a difference of fractions of 1
	}
	g.rhsSize += size * math.Abs(t.bound)

	// The logical of a row is its activity, a sum of columns.
	if t.logical {
		r := &g.v.rows[t.id]
		for k, j := range r.Index {
			g.put(j, sign*c*r.Value[k], size*math.Abs(r.Value[k]))
		}
		return sign * c * t.bound
	}

	g.put(t.id, sign*c, size)

	// A variable bound puts its own column into the cut.
	if t.vb != nil {
		g.put(t.vb.col, -sign*c*t.vb.slope, size*math.Abs(t.vb.slope))
	}
	return sign * c * t.bound
}

// cancelled bounds the rounding error of the sums that make the cut, of its activity within the bounds of the columns
// and of its side, which has rowError from the side of the row: where the terms of rows with large coefficients cancel,
// few of their digits remain. ok is false if an unbounded column has such a coefficient; largest is the largest
// coefficient of the cut.
func (g *mir) cancelled(largest, rowError float64) (lost float64, ok bool) {
	lost = rowError + 2*roundingUnit*g.rhsSize

	// The error of a coefficient is multiplied by the largest value of its column.
	for _, j := range g.cols {
		e := 2 * roundingUnit * g.cutSize[j]
		far := math.Max(math.Abs(g.m.Lower[j]), math.Abs(g.m.Upper[j]))

		// Without a bound only a negligible error is accepted.
		if math.IsInf(far, 1) {
			if e > cancelledMax*largest {
				return 0, false
			}
			continue
		}

		lost += e * far
	}
	return lost, true
}

// clean drops small coefficients, scales the largest one to [1, 2) and relaxes the side, which has the rounding error
// rowError from that of the row. It returns the cut with its efficacy, and false if the numbers are not finite, a
// dropped column has no finite bound, or the cut is too long or too weak.
func (g *mir) clean(rhs, rowError float64) (Cut, float64, bool) {
	// The rounding must have left finite numbers, not all of them zero.
	largest := 0.0
	for _, j := range g.cols {
		largest = max(largest, math.Abs(g.cut[j]))
	}
	if !(largest > 0 && largest < inf) || math.IsNaN(rhs) {
		return Cut{}, 0, false
	}

	// A power of 2 scales without rounding errors.
	_, e := math.Frexp(largest)
	scale := math.Ldexp(1, 1-e)
	out := Cut{Index: g.index[:0], Value: g.value[:0]}

	for _, j := range g.cols {
		c := g.cut[j]
		switch {
		case c == 0:
		case math.Abs(c) < largest/maxRange:
			// The bound that weakens the cut takes the place of the column.
			at := activity.Least(c, g.m.Lower[j], g.m.Upper[j])
			if math.IsInf(at, 0) {
				return Cut{}, 0, false
			}
			rhs -= c * at
		default:
			out.Index = append(out.Index, j)
			out.Value = append(out.Value, c*scale)
		}
	}

	// The side is relaxed for the rounding errors of the cut, which are much larger after cancellation.
	relaxed := relaxBy * math.Max(1, math.Abs(rhs*scale))
	lost, ok := g.cancelled(largest, rowError)
	if !ok {
		return Cut{}, 0, false
	}
	if lost *= scale; lost > relaxed {
		relaxed += lost
	}

	// The memory of the lists is used again; only a cut that is kept gets a copy.
	out.Upper = rhs*scale + relaxed
	g.index = out.Index
	g.value = out.Value
	if len(out.Index) > g.v.longest {
		return Cut{}, 0, false
	}

	eff := g.v.efficacy(&out)
	if !(eff > g.least) {
		return Cut{}, 0, false
	}
	out.Index = slices.Clone(out.Index)
	out.Value = slices.Clone(out.Value)
	return out, eff, true
}
