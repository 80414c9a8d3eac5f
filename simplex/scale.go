package simplex

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/sparse"
)

// findScales equilibrates: a few geometric-mean passes over rows and columns, then columns to largest
// entry 1, all rounded to powers of two, so that scaling is exact. A matrix whose entries lie within
// [scaleLow, scaleHigh] is left alone. Where a cost is smaller than smallCost, costs count as entries of their
// columns in the passes, so that reduced costs are not lost below the tolerance. The columns are scaled in place.
func (a *matrix) findScales(cost []float64) {
	a.colScale = slices.Repeat([]float64{1}, a.n)
	a.rowScale = slices.Repeat([]float64{1}, a.m)
	if !a.scaling || a.wellScaled() {
		return
	}

	isSmall := func(c float64) bool { return c != 0 && math.Abs(c) < smallCost }
	if !slices.ContainsFunc(cost, isSmall) {
		cost = nil
	}

	// Each pass takes rows and columns in turn nearer to a geometric mean of 1.
	ranges := make([]spread, a.m)
	for range scalePasses {
		a.scaleRows(ranges)
		a.scaleCols(cost)
	}

	// Under the rounded scales of the rows the largest entry of every column becomes about 1.
	for i, r := range a.rowScale {
		a.rowScale[i] = powerOfTwo(r)
	}
	for j := range a.n {
		index, value := a.cols.Vec(j)
		a.colScale[j] = 1
		if hi := spreadOf(index, value, a.rowScale).hi; hi > 0 {
			a.colScale[j] = powerOfTwo(1 / hi)
		}
		for p, i := range index {
			value[p] *= a.rowScale[i] * a.colScale[j]
		}
	}
}

const (
	scalePasses = 4       // passes over rows and columns
	scaleLow    = 0.2     // a matrix with entries of this size or more ...
	scaleHigh   = 5.0     // ... and this size at most needs no scaling
	scaleMax    = 1 << 20 // scale factors stay within [1/scaleMax, scaleMax]

	// A cost below smallCost makes costs count in the scales: pilot87 takes 8399 pivots instead of 10946, stocfor3 6099
	// instead of 7688; in all of 84 models 10.5 s instead of 11.7.
	smallCost = 0.1
)

// spread is the range of absolute values: [lo, hi], or lo = +Inf and hi = 0 without one.
type spread struct{ lo, hi float64 }

// noSpread is the range of no values.
var noSpread = spread{lo: math.Inf(1)}

// add widens the range to v, which is finite and not negative. Comparisons are cheaper here than min and max, which
// look for NaN.
func (r *spread) add(v float64) {
	if v < r.lo {
		r.lo = v
	}
	if v > r.hi {
		r.hi = v
	}
}

// spreadOf returns the range of the entries of a vector under the scales of their places.
func spreadOf(index []int32, value, scale []float64) spread {
	r := noSpread
	for p, i := range index {
		r.add(math.Abs(value[p]) * scale[i])
	}
	return r
}

// wellScaled reports whether all entries need no scaling.
func (a *matrix) wellScaled() bool {
	for j := range a.n {
		_, value := a.cols.Vec(j)
		for _, v := range value {
			if v = math.Abs(v); v < scaleLow || v > scaleHigh {
				return false
			}
		}
	}
	return true
}

// wideRatio is the ratio of the largest entry of a row to its smallest from which on the rounding error of a term, as
// large as the other, is more than what counts in a column: 1e-8 of its unit.
const wideRatio = 1e8

// isWide reports a row of the matrix, by row, whose entries are so far apart.
func isWide(rows *sparse.Dynamic) bool {
	for i := range rows.Major() {
		_, value := rows.Vec(i)
		r := noSpread
		for _, v := range value {
			r.add(math.Abs(v))
		}

		if r.hi > wideRatio*r.lo {
			return true
		}
	}
	return false
}

// scaleRows makes the geometric mean of the smallest and the largest entry of every row 1. The matrix is by column, so
// ranges is work space, one a row.
func (a *matrix) scaleRows(ranges []spread) {
	fill(ranges, noSpread)
	for j := range a.n {
		index, value := a.cols.Vec(j)
		for p, i := range index {
			ranges[i].add(math.Abs(value[p]) * a.colScale[j])
		}
	}

	for i, r := range ranges {
		if r.hi > 0 {
			a.rowScale[i] = 1 / math.Sqrt(r.lo*r.hi)
		}
	}
}

// scaleCols makes the geometric mean of the smallest and the largest entry of every column 1; costs count where cost is
// not nil.
func (a *matrix) scaleCols(cost []float64) {
	// The range of the column is under the scales of the rows, its cost included where costs count.
	for j := range a.n {
		index, value := a.cols.Vec(j)
		r := spreadOf(index, value, a.rowScale)
		if cost != nil && cost[j] != 0 {
			r.add(math.Abs(cost[j]))
		}

		if r.hi > 0 {
			a.colScale[j] = 1 / math.Sqrt(r.lo*r.hi)
		}
	}
}

// scaleFor returns the scale of a new row, from its entries under the column scales, or the other way round.
func (a *matrix) scaleFor(index []int32, value, scale []float64) float64 {
	if !a.scaling {
		return 1
	}

	// Entries in the usual range need no scale.
	r := spreadOf(index, value, scale)
	if r.hi == 0 || r.lo >= scaleLow && r.hi <= scaleHigh {
		return 1
	}
	return powerOfTwo(1 / math.Sqrt(r.lo*r.hi))
}

// powerOfTwo rounds v > 0 to the nearest power of two, within the limits.
func powerOfTwo(v float64) float64 {
	v = min(max(v, 1.0/scaleMax), scaleMax)
	return math.Ldexp(1, int(math.Round(math.Log2(v))))
}

// unscale takes the scales out of the columns and makes them 1.
func (a *matrix) unscale() {
	for j := range a.n {
		index, value := a.cols.Vec(j)
		for p, i := range index {
			value[p] /= a.rowScale[i] * a.colScale[j]
		}
	}

	fill(a.colScale, 1)
	fill(a.rowScale, 1)
	a.shape++
	a.renumbered()
}
