package cuts

import "math"

// aggregation is a weighted sum of LP rows: with the logical s_i of row i (A x - s = 0) it reads
//
//	sum_j coef_j x_j - sum_i weight_i s_i = 0,   lower_i <= s_i <= upper_i.
type aggregation struct {
	coef   []float64 // dense over columns, zero outside cols
	in     []bool    // column is listed
	cols   []int32
	rows   []int32
	weight []float64
}

func newAggregation(n int) *aggregation {
	return &aggregation{coef: make([]float64, n), in: make([]bool, n)}
}

func (a *aggregation) clear() {
	for _, j := range a.cols {
		a.coef[j], a.in[j] = 0, false
	}
	a.cols, a.rows, a.weight = a.cols[:0], a.rows[:0], a.weight[:0]
}

// add adds weight times a row of the LP.
func (a *aggregation) add(r *Row, row int32, weight float64) {
	for k, j := range r.Index {
		if !a.in[j] {
			a.in[j] = true
			a.cols = append(a.cols, j)
		}
		a.coef[j] += weight * r.Value[k]
	}
	a.rows, a.weight = append(a.rows, row), append(a.weight, weight)
}

// uses reports whether a row is part of the sum.
func (a *aggregation) uses(row int32) bool {
	for _, i := range a.rows {
		if i == row {
			return true
		}
	}
	return false
}

// aggregate starts from every tight row of the model and from tight cuts, and adds rows that cancel continuous columns
// strictly between their bounds, until a cut is found (Marchand and Wolsey 2001, section 4). In a network that
// walks along a path of flow conservation, against the flow and with it. After a start that found nothing the row is
// only rounded alone for one round, and then for two; but where no other walk finds anything it walks at once. After a
// round with few cuts walks go farther: the paths of lot-sizing models are long, and in every round long ones crowd out
// the cuts of short ones (tr12-30).
func (g *Generator) aggregate() {
	cuts := 0
	g.resting = g.resting[:0]
	for i, starts := 0, 0; i < len(g.v.rows) && starts < maxAggregate && !g.v.spent(); i++ {
		if !g.starts(i) {
			continue
		}
		starts++
		if i < len(g.idle) && g.idle[i].until >= g.rounds {
			if !g.alone(int32(i)) {
				g.resting = append(g.resting, int32(i))
			}
		} else if g.walks(int32(i)) {
			cuts++
		}
	}
	for k := 0; cuts == 0 && k < len(g.resting) && !g.v.spent(); k++ {
		g.walks(g.resting[k])
	}
}

// starts reports whether an aggregation may start from row i of the LP: one that is tight, and more than a variable
// bound; a cut only among flows. Elsewhere cuts of cuts cost more, in separation and in LPs, than they gain.
func (g *Generator) starts(i int) bool {
	if i < len(g.idle) {
		return !g.vb.pair[i] && g.v.slack(int32(i)) <= looseRow
	}
	return (g.flows || g.dry) && g.v.slack(int32(i)) <= looseCut
}

// alone rounds a row by itself.
func (g *Generator) alone(row int32) bool {
	g.begin(row, 1)
	return g.round(Rounding)
}

// walks goes from a row with the flow and, where that finds nothing, against it.
func (g *Generator) walks(row int32) bool {
	found, walked := g.walk(row, 1)
	if !found && walked {
		found, _ = g.walk(row, -1)
	}
	if int(row) < len(g.idle) {
		g.idle[row].rest(found, g.rounds)
	}
	return found
}

// idle says how often in a row the walks from a row found nothing, and the last round in which it rests.
type idle struct{ failed, until int }

func (d *idle) rest(found bool, round int) {
	if d.failed++; found {
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

// walk goes from a row along columns with coefficients of one sign while there are any, until a cut is found; one that
// a need has given does not end it, since a longer way may find a deeper one. It reports whether there is one, and
// whether it took a step.
func (g *Generator) walk(start int32, sign float64) (found, walked bool) {
	g.begin(start, sign)
	for {
		if sign > 0 || len(g.agg.rows) > 1 { // the row alone has been tried, with both signs
			if g.round(Rounding) {
				if found = true; !g.mir.needy {
					return true, len(g.agg.rows) > 1
				}
			}
		}
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

// extend cancels the continuous column that is farthest from its bounds with another row.
func (g *Generator) extend() bool {
	a := g.agg
	g.v.work += len(a.cols)
	best, far := int32(-1), 1e-6
	against := false // there is one with a negative coefficient
	for _, j := range a.cols {
		d := g.vb.room[j]
		switch {
		case d <= 1e-6 || g.m.Integer[j] || math.Abs(a.coef[j]) < 1e-9:
		case a.coef[j] < 0 && !against:
			best, far, against = j, d, true
		case d > far && (a.coef[j] < 0) == against:
			best, far = j, d
		}
	}
	if best < 0 {
		return false
	}
	row, value := g.partner(best)
	if row < 0 {
		return false
	}
	a.add(&g.v.rows[row], row, -a.coef[best]/value)
	a.coef[best] = 0
	return true
}

// partner picks the tightest unused model row that holds column j, among equals another one in every round: a column of
// a network with several commodities is in rows of either sort, and one of them leads nowhere.
func (g *Generator) partner(j int32) (int32, float64) {
	index, value := g.m.ByCol.Vec(int(j))
	best, bestValue, least := int32(-1), 0.0, looseRow
	for k, i := range index {
		if math.Abs(value[k]) < 1e-6 || g.agg.uses(i) {
			continue
		}
		if sl := g.v.slack(i) + partnerTie*g.chance(i); sl < least {
			best, bestValue, least = i, value[k], sl
		}
	}
	return best, bestValue
}

// chance is a number below 1 that looks random, from a row and the round.
func (g *Generator) chance(i int32) float64 {
	h := uint32(i)*2654435761 + uint32(g.rounds)*2246822519
	h ^= h >> 15
	h *= 2246822519
	h ^= h >> 13
	return float64(h) / (1 << 32)
}
