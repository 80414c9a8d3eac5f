package cuts

import (
	"math"
	"slices"
)

// aggregation is a weighted sum of LP rows: with the logical s_i of row i (A x - s = 0) it reads
//
//	sum_j coef_j x_j - sum_i weight_i s_i = 0,   lower_i <= s_i <= upper_i.
type aggregation struct {
	coef   []float64 // dense over columns, zero outside cols
	in     []bool    // column is listed
	cols   []int32
	rows   []int32   // of the LP
	weight []float64 // of each of them
}

// newAggregation returns an empty sum over n columns.
func newAggregation(n int) *aggregation {
	return &aggregation{coef: make([]float64, n), in: make([]bool, n)}
}

// clear makes the sum empty.
func (a *aggregation) clear() {
	for _, j := range a.cols {
		a.coef[j] = 0
		a.in[j] = false
	}
	a.cols = a.cols[:0]
	a.rows = a.rows[:0]
	a.weight = a.weight[:0]
}

// add adds weight times a row of the LP.
func (a *aggregation) add(r *Row, row int32, weight float64) {
	// The sum is dense; the list of its columns makes it cheap to clear.
	for k, j := range r.Index {
		if !a.in[j] {
			a.in[j] = true
			a.cols = append(a.cols, j)
		}
		a.coef[j] += weight * r.Value[k]
	}

	a.rows = append(a.rows, row)
	a.weight = append(a.weight, weight)
}

// aggregate starts from every tight row of the model and from tight cuts, and adds rows that cancel continuous columns
// strictly between their bounds, until a cut is found (Marchand and Wolsey 2001, section 4). In a network the rows of
// an aggregation lie on a path of flow conservation rows, which is followed in both directions. After a start without a
// cut the row is only rounded alone for one round, and then for two; but a round in which no walk finds a cut walks
// from the resting rows too. After a round with few cuts walks may be longer: the paths of lot-sizing models are long,
// but if every round allows long ones they crowd out the cuts of short ones (tr12-30).
func (g *Generator) aggregate() {
	starts := g.starts()
	cuts := make([]int, len(g.parts))
	g.divide(func(part *Generator, place int) {
		part.resting = part.resting[:0]
		for k := place; k < len(starts) && !part.v.spent(); k += len(cuts) {
			if part.startAt(starts[k]) {
				cuts[place]++
			}
		}
	})

	// No walk has found a cut: the resting rows are tried until one does.
	if slices.Max(cuts) > 0 {
		return
	}
	for _, part := range g.parts {
		for k := 0; k < len(part.resting) && !g.v.spent(); k++ {
			if g.walkBoth(part.resting[k]) {
				return
			}
		}
	}
}

// starts lists the rows that aggregations start from in this round.
func (g *Generator) starts() []int32 {
	var list []int32
	for i := 0; i < len(g.v.rows) && len(list) < maxAggregate; i++ {
		if g.mayStart(i) {
			list = append(list, int32(i))
		}
	}
	return list
}

// startAt aggregates from a row, and reports whether a walk has found a cut. A row that failed lately is only rounded
// alone, unless its rest is over.
func (g *Generator) startAt(row int32) bool {
	rests := int(row) < len(g.idle) && g.idle[row].until >= g.rounds
	if !rests {
		return g.walkBoth(row)
	}
	if g.begin(row, 1); !g.round(Rounding) {
		g.resting = append(g.resting, row)
	}
	return false
}

// mayStart reports whether an aggregation may start from row i of the LP. A row of the model must be tight and more
// than a variable bound. A cut must be tight, and is a start only in models with many flows or after a round with few
// cuts: elsewhere cuts of cuts cost more, in separation and in LPs, than they gain.
func (g *Generator) mayStart(i int) bool {
	if i < len(g.idle) {
		return !g.vb.pair[i] && g.v.slack(int32(i)) <= looseRow
	}
	return (g.flows || g.foundFew) && g.v.slack(int32(i)) <= looseCut
}

// walkBoth follows the columns with negative coefficients from a row and, if that finds no cut, those with positive
// ones. It records the outcome for a row of the model, and reports whether there is a cut.
func (g *Generator) walkBoth(row int32) bool {
	// The other direction is another path of the network. A start without a partner has none.
	found, extended := g.walk(row, 1)
	if !found && extended {
		found, _ = g.walk(row, -1)
	}

	// Only rows of the model rest, since cuts come and go.
	if int(row) < len(g.idle) {
		g.idle[row].rest(found, g.rounds)
	}

	return found
}

// idle counts the consecutive failures of a start or row, and holds the last round in which it is left out.
type idle struct{ failed, until int }

// rest records the outcome of a round. A row that failed is left out for as many rounds as it has failed in succession,
// and for maxRest at most.
func (d *idle) rest(found bool, round int) {
	// A success ends the series of failures.
	d.failed++
	if found {
		d.failed = 0
	}
	d.until = round + min(d.failed, maxRest)
}

// begin makes the aggregation one row.
func (g *Generator) begin(row int32, sign float64) {
	g.agg.clear()
	g.v.work += len(g.v.rows[row].Index)
	g.agg.add(&g.v.rows[row], row, sign)
}

// walk extends the row start, times sign, with rows that cancel continuous columns, until rounding gives a cut or the
// aggregation has reached its limits. A cut from the need of the aggregation (see setNeed) does not end the walk, since
// a longer one may find a deeper cut. It reports whether there is a cut, and whether the aggregation has been extended.
func (g *Generator) walk(start int32, sign float64) (found, extended bool) {
	g.begin(start, sign)
	for {
		// The first row alone is rounded only once: a rounding tries both signs.
		fresh := sign > 0 || len(g.agg.rows) > 1
		if fresh && g.round(Rounding) {
			if found = true; !g.mir.usedNeed {
				return true, len(g.agg.rows) > 1
			}
		}

		// A longer sum has too many columns for a short cut.
		if len(g.agg.rows) >= g.far || len(g.agg.cols) > aggregateCols*g.v.longest || !g.extend() {
			return found, len(g.agg.rows) > 1
		}
	}
}

// round adds the best rounding of the aggregation, or its lifted flow cover where that is better.
func (g *Generator) round(kind Kind) bool {
	c, cover, ok := g.mir.separate(g.agg)
	if cover {
		kind = FlowCover
	}
	return ok && g.add(c, kind)
}

// extend cancels the continuous column that is farthest from its bounds with another row; columns with negative
// coefficients come first. It returns false if there is no such column or no row for it.
func (g *Generator) extend() bool {
	a := g.agg
	g.v.work += len(a.cols)

	best := int32(-1)
	far := minRoom
	negative := false // the best column has a negative coefficient

	// Columns with a negative coefficient come before all others; among equal ones the farthest counts.
	for _, j := range a.cols {
		d := g.vb.room[j]
		switch {
		case d <= minRoom || g.m.Integer[j] || math.Abs(a.coef[j]) < minPivotSum:
		case a.coef[j] < 0 && !negative:
			best = j
			far = d
			negative = true
		case d > far && (a.coef[j] < 0) == negative:
			best = j
			far = d
		}
	}
	if best < 0 {
		return false
	}

	row, value := g.partner(best)
	if row < 0 {
		return false
	}

	// The entry is 0 by construction; the sum might leave a rounding error.
	a.add(&g.v.rows[row], row, -a.coef[best]/value)
	a.coef[best] = 0
	return true
}

// partner picks the tightest unused row of the model that holds column j, and returns it with its entry; -1 if there is
// none. Between rows of nearly equal slack the choice varies with the round: a column of a network with several
// commodities is in flow rows and in capacity rows, and one of the two kinds does not lead to a cut.
func (g *Generator) partner(j int32) (int32, float64) {
	index, value := g.m.ByCol.Vec(int(j))
	best := int32(-1)
	bestValue := 0.0
	least := looseRow

	// A random part of the slack lets another row come first in the next round.
	for k, i := range index {
		// Small entries would be multiplied by large weights.
		if math.Abs(value[k]) < minPivot || slices.Contains(g.agg.rows, i) {
			continue
		}
		if sl := g.v.slack(i) + partnerTie*g.chance(i); sl < least {
			best = i
			bestValue = value[k]
			least = sl
		}
	}
	return best, bestValue
}

// chance returns a pseudo-random number in [0, 1), a hash of a row and the round (multiplicative, as in xxHash32).
func (g *Generator) chance(i int32) float64 {
	// The shifts mix the high bits of the products into the low ones.
	h := uint32(i)*2654435761 + uint32(g.rounds)*2246822519
	h ^= h >> 15
	h *= 2246822519
	h ^= h >> 13
	return float64(h) / (1 << 32)
}
