package cuts

import (
	"cmp"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/sparse"
)

// gomory separates Gomory mixed-integer cuts from the tableau rows of the most fractional basic integer columns. Its
// cuts must be shorter and deeper than others: most of them are dense, and their cost in every later LP was higher than
// what they saved. After a round with few other cuts they may be longer and shallower.
func (g *Generator) gomory() {
	x := g.v.x
	free := gomoryFree
	deep := gomoryEfficacy
	patience := gomoryFailures
	if g.foundFew {
		free = fewCutsFree
		deep = fewCutsEfficacy
		patience = maxGomory
	}

	// The stricter limits hold for this separator only.
	longest, least := g.v.longest, g.mir.least
	defer func() { g.v.longest, g.mir.least, g.mir.tableau = longest, least, false }()
	g.v.longest = min(longest, free+len(x)/gomoryPart)
	g.mir.least = max(least, deep)
	g.mir.tableau = true

	// The columns whose value is nearest to one half come first.
	list := slices.Clone(g.fractional)
	slices.SortStableFunc(list, func(a, b int32) int {
		return cmp.Compare(math.Abs(x[a]-math.Floor(x[a])-0.5), math.Abs(x[b]-math.Floor(x[b])-0.5))
	})

	// The weights have a place for every row of the LP, cuts included.
	g.y = slices.Grow(g.y[:0], len(g.v.rows))[:len(g.v.rows)]
	failures := 0 // consecutive ones
	for _, j := range list[:min(len(list), maxGomory)] {
		if g.v.spent() || failures > patience {
			return
		}
		failures++
		// The row of the tableau is a sum of rows of the LP, and is rounded like any other aggregation.
		g.v.work += len(g.y)
		if g.v.lp.Multipliers(j, g.y) && g.combine() && g.round(Gomory) {
			failures = 0
		}
	}
}

// combine aggregates the rows with the weights y, leaving out weights far below the largest. The sum is then not
// exactly the row of the tableau, but as valid. It returns false if all weights are 0.
func (g *Generator) combine() bool {
	// Small weights are left out: they add entries and rounding errors.
	largest := sparse.Largest(g.y)
	g.agg.clear()
	for i, v := range g.y {
		if math.Abs(v) > largest/weightRange {
			g.v.work += 2 * len(g.v.rows[i].Index)
			g.agg.add(&g.v.rows[i], int32(i), v)
		}
	}
	return largest > 0
}
