package simplex

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/activity"
)

const (
	impliedPasses = 3     // most passes over the rows in search of bounds of the columns
	sumNoise      = 1e-14 // rounding error of a sum, relative to its terms
)

// impliedBounds returns bounds of all variables, scaled, where infinite ones are replaced by what the rows imply
// together with the others; and its work.
func (p *problem) impliedBounds() (lo, up []float64, work int) {
	// Implied bounds make further rows imply bounds, so that a few passes follow each other.
	lo = slices.Clone(p.lo)
	up = slices.Clone(p.up)
	ranges := make([]activity.Range, p.m)
	for pass := 0; ; pass++ {
		p.findActivities(lo, up, ranges)
		work += p.cols.NNZ()
		if pass == impliedPasses {
			break
		}
		work += p.cols.NNZ()
		if !p.implyColumns(lo, up, ranges) {
			break
		}
	}

	// A row without a side is bounded by its columns.
	for i := range p.m {
		v := p.n + i
		if isInf(lo[v]) {
			lo[v] = ranges[i].Lower()
		}
		if isInf(up[v]) {
			up[v] = ranges[i].Upper()
		}
	}
	return lo, up, work
}

// findActivities finds the ranges of the rows within the bounds of the columns.
func (p *problem) findActivities(lo, up []float64, ranges []activity.Range) {
	clear(ranges)
	for j := range p.n {
		index, value := p.cols.Vec(j)
		for k, i := range index {
			ranges[i].Add(value[k], lo[j], up[j])
		}
	}
}

// implyColumns replaces infinite bounds of columns by those that a row implies; it returns false if there is
// none.
func (p *problem) implyColumns(lo, up []float64, ranges []activity.Range) bool {
	found := false
	for j := range p.n {
		noLo, noUp := isInf(lo[j]), isInf(up[j])
		if !noLo && !noUp {
			continue
		}

		// The ranges of the rows stay those of the bounds before this pass.
		l, u := p.impliedRange(j, lo[j], up[j], ranges)
		if noLo && !isInf(l) {
			lo[j] = l
			found = true
		}
		if noUp && !isInf(u) {
			up[j] = u
			found = true
		}
	}
	return found
}

// impliedRange returns the range of column j that its rows imply, moved outward by the rounding error.
func (p *problem) impliedRange(j int, lo, up float64, ranges []activity.Range) (l, u float64) {
	l = math.Inf(-1)
	u = math.Inf(1)
	index, value := p.cols.Vec(j)
	for k, i := range index {
		// What the sides of the row leave for the term a x_j where the other terms are at their extremes.
		a := value[k]
		least, greatest := activity.Terms(a, lo, up)
		r := &ranges[i]
		lowSide := p.lo[p.n+int(i)]
		upSide := p.up[p.n+int(i)]
		lower, upper := activity.Divide(
			lowSide-r.MaxWithout(greatest)-sumNoise*(r.Size+math.Abs(lowSide)),
			upSide-r.MinWithout(least)+sumNoise*(r.Size+math.Abs(upSide)),
			a,
		)
		// The tightest of the bounds that the rows imply counts.
		l = max(l, lower)
		u = min(u, upper)
	}
	return l, u
}
