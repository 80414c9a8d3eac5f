package simplex

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// findScales equilibrates: a few geometric-mean passes over rows and columns, then columns to largest
// entry 1, all rounded to powers of two, so that scaling is exact. A matrix whose entries lie within
// [scaleLow, scaleHigh] is left alone. Where a cost is smaller than smallCost, costs count as entries of their
// columns in the passes, so that reduced costs are not lost below the tolerance. The columns are scaled in place.
func (a *matrix) findScales(cost []float64) {
	a.colScale, a.rowScale = ones(a.n), ones(a.m)
	if !a.scaling || a.wellScaled() {
		return
	}
	rlo, rhi := make([]float64, a.m), make([]float64, a.m)
	if !anySmall(cost) {
		cost = nil
	}
	for range scalePasses {
		a.scaleRows(rlo, rhi)
		a.scaleCols(cost)
	}
	for i := range a.rowScale {
		a.rowScale[i] = powerOfTwo(a.rowScale[i])
	}
	for j := range a.n {
		index, value := a.cols.Vec(j)
		hi := 0.0
		for p, i := range index {
			hi = max(hi, math.Abs(value[p])*a.rowScale[i])
		}
		a.colScale[j] = 1
		if hi > 0 {
			a.colScale[j] = powerOfTwo(1 / hi)
		}
		for p, i := range index {
			value[p] *= a.rowScale[i] * a.colScale[j]
		}
	}
}

const (
	scalePasses = 4
	scaleLow    = 0.2
	scaleHigh   = 5.0
	scaleMax    = 1 << 20 // scale factors stay within [1/scaleMax, scaleMax]
	smallCost   = 0.1     // a cost below it makes costs count in the scales
)

// anySmall reports a cost, other than zero, below smallCost.
func anySmall(cost []float64) bool {
	for _, c := range cost {
		if c != 0 && math.Abs(c) < smallCost {
			return true
		}
	}
	return false
}

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
		lo, hi := math.Inf(1), 0.0
		for _, v := range value {
			lo, hi = min(lo, math.Abs(v)), max(hi, math.Abs(v))
		}
		if hi > wideRatio*lo {
			return true
		}
	}
	return false
}

func (a *matrix) scaleRows(lo, hi []float64) {
	for i := range lo {
		lo[i], hi[i] = math.Inf(1), 0
	}
	for j := range a.n {
		index, value := a.cols.Vec(j)
		for p, i := range index {
			v := math.Abs(value[p]) * a.colScale[j]
			lo[i], hi[i] = min(lo[i], v), max(hi[i], v)
		}
	}
	for i := range lo {
		if hi[i] > 0 {
			a.rowScale[i] = 1 / math.Sqrt(lo[i]*hi[i])
		}
	}
}

// scaleCols makes the geometric mean of the smallest and the largest entry of every column 1; costs count where cost is
// not nil.
func (a *matrix) scaleCols(cost []float64) {
	for j := range a.n {
		index, value := a.cols.Vec(j)
		lo, hi := math.Inf(1), 0.0
		if cost != nil && cost[j] != 0 {
			lo, hi = math.Abs(cost[j]), math.Abs(cost[j])
		}
		for p, i := range index {
			v := math.Abs(value[p]) * a.rowScale[i]
			lo, hi = min(lo, v), max(hi, v)
		}
		if hi > 0 {
			a.colScale[j] = 1 / math.Sqrt(lo*hi)
		}
	}
}

// rowScaleFor returns the scale of a new row, from its entries under the column scales.
func (a *matrix) rowScaleFor(index []int32, value []float64) float64 {
	if !a.scaling {
		return 1
	}
	lo, hi := math.Inf(1), 0.0
	for p, j := range index {
		v := math.Abs(value[p]) * a.colScale[j]
		if v < lo { // finite: the builtin min would ask for NaN
			lo = v
		}
		if v > hi {
			hi = v
		}
	}
	return scaleFromRange(lo, hi)
}

// colScaleFor returns the scale of a new column.
func (a *matrix) colScaleFor(index []int32, value []float64) float64 {
	if !a.scaling {
		return 1
	}
	lo, hi := math.Inf(1), 0.0
	for p, i := range index {
		v := math.Abs(value[p]) * a.rowScale[i]
		lo, hi = min(lo, v), max(hi, v)
	}
	return scaleFromRange(lo, hi)
}

func scaleFromRange(lo, hi float64) float64 {
	if hi == 0 || lo >= scaleLow && hi <= scaleHigh {
		return 1
	}
	return powerOfTwo(1 / math.Sqrt(lo*hi))
}

// powerOfTwo rounds v > 0 to the nearest power of two, within the limits.
func powerOfTwo(v float64) float64 {
	v = min(max(v, 1.0/scaleMax), scaleMax)
	return math.Ldexp(1, int(math.Round(math.Log2(v))))
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// unscale takes the scales out of the columns and makes them 1.
func (a *matrix) unscale() {
	for j := range a.n {
		c := a.colScale[j]
		index, value := a.cols.Vec(j)
		for p, i := range index {
			value[p] /= a.rowScale[i] * c
		}
		a.colScale[j] = 1
	}
	for i := range a.rowScale {
		a.rowScale[i] = 1
	}
	a.shape++
	a.renumbered()
}
