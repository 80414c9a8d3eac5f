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
	shorter, deeper := min(longest, free+len(x)/gomoryPart), max(least, deep)
	defer func() {
		for _, part := range g.parts {
			part.limitCuts(longest, least, false)
		}
	}()

	// The columns whose value is nearest to one half come first.
	list := slices.Clone(g.fractional)
	slices.SortStableFunc(list, func(a, b int32) int {
		return cmp.Compare(math.Abs(x[a]-math.Floor(x[a])-0.5), math.Abs(x[b]-math.Floor(x[b])-0.5))
	})
	list = list[:min(len(list), maxGomory)]

	// The rows of the tableau come from the LP one at a time. Their weights have a place for every row of it, cuts
	// included.
	rows := make([]tableauRow, g.batch())
	for k := range rows {
		rows[k].y = make([]float64, len(g.v.rows))
	}
	prepare := func(k int) {
		r := &rows[k%len(rows)]
		g.v.work += len(r.y)
		r.cut = nil
		r.ok = g.v.lp.Multipliers(list[k], r.y)
	}

	// Such a row is a sum of rows of the LP, and is rounded like any other aggregation.
	look := func(part *Generator, k int) {
		part.limitCuts(shorter, deeper, true)
		if r := &rows[k%len(rows)]; r.ok && part.combine(r.y) && part.round(Gomory) {
			r.cut = part.take()
		}
	}
	failures := 0 // consecutive ones
	accept := func(k int) bool {
		failures++
		if r := &rows[k%len(rows)]; r.cut != nil {
			g.found = append(g.found, *r.cut)
			failures = 0
		}
		return failures <= patience
	}
	g.inOrder(len(list), prepare, look, accept)
}

// limitCuts sets the largest number of entries of a cut and its least efficacy. tableau holds for rows of the tableau.
func (g *Generator) limitCuts(longest int, least float64, tableau bool) {
	g.v.longest = longest
	g.mir.least = least
	g.mir.tableau = tableau
}

// tableauRow is a row of the tableau as a sum of rows of the LP.
type tableauRow struct {
	y   []float64 // weights of the rows
	ok  bool      // the column is basic
	cut *Cut      // nil if the row gives none
}

// combine aggregates the rows with weights, leaving out weights far below the largest. The sum is then not exactly the
// row of the tableau, but as valid. It returns false if all weights are 0.
func (g *Generator) combine(y []float64) bool {
	// Small weights are left out: they add entries and rounding errors.
	largest := sparse.Largest(y)
	g.agg.clear()
	for i, v := range y {
		if math.Abs(v) > largest/weightRange {
			g.v.work += 2 * len(g.v.rows[i].Index)
			g.agg.add(&g.v.rows[i], int32(i), v)
		}
	}
	return largest > 0
}
