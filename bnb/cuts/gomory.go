package cuts

import (
	"cmp"
	"math"
	"slices"
)

// gomory tries the tableau rows of the most fractional basic integer columns. Its cuts must be shorter and deeper than
// others: most of them are dense, and what they cost in every LP was more than they saved. Where there are few others
// they may be longer and shallower.
func (g *Generator) gomory() {
	x := g.v.x
	longest, least := g.v.longest, g.mir.least
	defer func() { g.v.longest, g.mir.least, g.mir.tableau = longest, least, false }()
	free, deep, patience := gomoryFree, gomoryEfficacy, gomoryFailures
	if g.dry {
		free, deep, patience = dryFree, dryEfficacy, maxGomory
	}
	g.v.longest, g.mir.least, g.mir.tableau = min(longest, free+len(x)/gomoryPart), max(least, deep), true
	list := slices.Clone(g.fractional)
	slices.SortStableFunc(list, func(a, b int32) int {
		return cmp.Compare(math.Abs(x[a]-math.Floor(x[a])-0.5), math.Abs(x[b]-math.Floor(x[b])-0.5))
	})
	g.y = slices.Grow(g.y[:0], len(g.v.rows))[:len(g.v.rows)]
	failures := 0 // in a row
	for _, j := range list[:min(len(list), maxGomory)] {
		if g.v.spent() || failures > patience {
			return
		}
		failures++
		g.v.work += len(g.y)
		if g.v.lp.Multipliers(j, g.y) && g.combine() && g.round(Gomory) {
			failures = 0
		}
	}
}

// combine aggregates the rows with the weights y, leaving out weights far below the largest: the sum
// is no tableau row then, but as valid.
func (g *Generator) combine() bool {
	largest := 0.0
	for _, v := range g.y {
		largest = math.Max(largest, math.Abs(v))
	}
	g.agg.clear()
	for i, v := range g.y {
		if math.Abs(v) > largest/weightRange {
			g.v.work += 2 * len(g.v.rows[i].Index)
			g.agg.add(&g.v.rows[i], int32(i), v)
		}
	}
	return largest > 0
}
