package bnb

import (
	"cmp"
	"math"
	"slices"
)

// propagator tightens bounds from the activities of rows: those of the model, the objective once
// there is an incumbent, and pool cuts over integer columns.
type propagator struct {
	p    *problem
	pool *pool
	tol  float64

	reaches   rowReaches
	costs     []costTerm // the objective as a row, cost'x <= costUpper, largest reach first
	costUpper float64
	costIndex []int32 // the same row, in the order of the columns
	costValue []float64

	cuts   cutLines
	queue  []int32 // rows to propagate; p.rows is the objective
	queued []bool
}

// costTerm is a column in the objective and the most that it can change it.
type costTerm struct {
	col   int32
	cost  float64
	reach float64
}

// line is a row in the form that propagation uses.
type line struct {
	index        []int32
	value        []float64
	lower, upper float64
}

// newPropagator sorts the columns of the objective by what they can change it.
func newPropagator(p *problem, q *pool, tol float64) *propagator {
	pr := &propagator{
		p:         p,
		pool:      q,
		tol:       tol,
		reaches:   newRowReaches(p),
		cuts:      newCutLines(p, q),
		costUpper: inf,
		queued:    make([]bool, p.rows+1),
	}
	for j, c := range p.cost {
		if c != 0 {
			pr.costs = append(pr.costs, costTerm{int32(j), c, math.Abs(c) * (p.upper[j] - p.lower[j])})
			pr.costIndex = append(pr.costIndex, int32(j))
			pr.costValue = append(pr.costValue, c)
		}
	}
	slices.SortStableFunc(pr.costs, func(a, b costTerm) int { return cmp.Compare(b.reach, a.reach) })
	return pr
}

// objectiveLine is the objective below the cutoff as a row.
func (pr *propagator) objectiveLine() line {
	return line{pr.costIndex, pr.costValue, math.Inf(-1), pr.costUpper}
}

// setCutoff makes the objective row ask for points below strict.
func (pr *propagator) setCutoff(d *domain, strict float64) {
	// The row of the objective leaves out the constant offset.
	pr.costUpper = strict - pr.p.offset
	d.acts.setCutoff(pr.costUpper)
}

// run propagates the columns that d has touched (all rows if all is set) until nothing changes or the
// budget of row evaluations is used. It returns false if no point is left in the domain.
func (pr *propagator) run(d *domain, all bool) bool {
	defer pr.reset(d)

	// A domain that is empty from the start needs no propagation.
	for _, j := range d.touched {
		if !(d.lower[j] <= d.upper[j]) {
			return false
		}
	}
	done := len(d.stack) // entries whose implications are applied
	if q := pr.p.implied; q != nil && !q.start(d, all, pr.tol) {
		return false
	}
	if all {
		for i := range pr.p.rows {
			pr.push(d, int32(i))
		}
	}

	// The budget ends propagation that tightens bounds by less and less without end.
	budget := propagateRows*pr.p.rows + propagateMin
	for budget > 0 {
		// The cuts of the pool come first, then the rows with columns that were touched before or by the cuts.
		if len(d.touched) > 0 || all {
			n, ok := pr.cutRows(d, all, budget)
			if !ok {
				return false
			}
			budget -= n
			all = false
		}
		if q := pr.p.implied; q != nil && !q.follow(d, &done, pr.tol) {
			return false
		}
		pr.wake(d)
		if len(pr.queue) == 0 {
			return true
		}

		// Rows of columns that are tightened meanwhile wait for the next pass of the outer loop.
		for k := 0; k < len(pr.queue) && budget > 0; k++ {
			i := pr.queue[k]
			pr.queued[i] = false
			budget--
			if !pr.rowOrObjective(d, int(i)) {
				// The rows behind stay in the queue, so that reset clears their flags.
				pr.queue = pr.queue[k+1:]
				return false
			}
		}
		pr.clearQueue()
	}

	// What the last rows have fixed restricts columns even where the budget is used up.
	return pr.p.implied == nil || pr.p.implied.follow(d, &done, pr.tol)
}

// clearQueue empties the queue.
func (pr *propagator) clearQueue() {
	for _, i := range pr.queue {
		pr.queued[i] = false
	}
	pr.queue = pr.queue[:0]
}

// reset ends a propagation, whose touched columns and queued rows do not matter to the next one.
func (pr *propagator) reset(d *domain) {
	pr.clearQueue()
	d.endPropagation()
	d.untouch()
}

// wake queues the rows of the touched columns.
func (pr *propagator) wake(d *domain) {
	// A column wakes all rows in which it is.
	for _, j := range d.touched {
		index, _ := pr.p.byCol.Vec(int(j))
		for _, i := range index {
			pr.push(d, i)
		}
		if pr.p.cost[j] != 0 {
			pr.push(d, int32(pr.p.rows))
		}
	}
	d.clearTouched()
}

// push queues a row that may fail or tighten a bound, once.
func (pr *propagator) push(d *domain, i int32) {
	if !pr.queued[i] && !d.acts.idle(i) {
		pr.queued[i] = true
		pr.queue = append(pr.queue, i)
	}
}

// rowOrObjective propagates row i, or the objective for i = p.rows. It returns false if no point is left.
func (pr *propagator) rowOrObjective(d *domain, i int) bool {
	d.because(because(byRow, i))
	if i == pr.p.rows {
		return pr.objective(d)
	}

	// The running activities show for most rows that they tighten nothing.
	if !pr.reaches.mayTighten(d, i) {
		return true
	}
	index, value := pr.p.byRow.Vec(i)

	// Many changes, or large bounds, though tightened since, leave their rounding errors in the running sums. The
	// comparison is written such that NaN, which an overflow leaves, leads to new sums.
	a := d.acts.of(int32(i))
	if !(d.acts.errors[i] <= activityError*a.scale) {
		d.acts.recomputeRow(int32(i), d.lower, d.upper)
		a = d.acts.of(int32(i))
	}
	return pr.rowWithin(d, line{index, value, pr.p.rowLower[i], pr.p.rowUpper[i]}, a)
}

// objective propagates the cutoff; it visits only the terms that exceed the room left.
func (pr *propagator) objective(d *domain) bool {
	tol := pr.tol * math.Max(1, math.Abs(pr.costUpper))

	// Large bounds, though tightened since, leave their rounding error in the running sum.
	if d.acts.errors[pr.p.rows] > tol {
		d.acts.recomputeCosts(d.lower, d.upper)
	}
	if d.acts.errors[pr.p.rows] > tol {
		tol += d.acts.errors[pr.p.rows]
	}

	least := d.acts.min[pr.p.rows]
	infinite := d.acts.minInf[pr.p.rows]

	// The rounding error of the sum itself adds to the tolerance.
	tol += activityError * math.Abs(least)
	slack := pr.costUpper - least + tol
	if infinite == 0 && slack < 0 {
		return false
	}
	if infinite > 1 || slack == inf {
		return true
	}

	// With two infinite terms on the other side no lower side is propagated.
	a := rowActivity{minInf: infinite, maxInf: 2}
	for k := range pr.costs {
		// The terms are sorted by reach: behind the first one within the slack none can bind.
		t := &pr.costs[k]
		if t.reach <= slack {
			break
		}
		if !pr.entry(d, t.col, t.cost, &a, slack, inf) {
			return false
		}
	}
	return true
}

// cutRows propagates the pool's cuts over integer columns that have a touched column or are new, or all, and those
// whose columns that tightens, until nothing changes or, beyond the first ones, the limit is reached. It returns the
// number of cuts that were visited.
func (pr *propagator) cutRows(d *domain, all bool, limit int) (rows int, ok bool) {
	if pr.pool.flagged == 0 {
		return 0, true
	}
	l := &pr.cuts
	l.update()
	l.setDomain(d, all)
	var column, at int // the touched columns and the queued cuts done so far
	defer func() { l.clearQueue(column < len(d.touched)) }()

	// Cuts that new bounds concern join the end of the queue.
	for limit += len(l.queue); rows < limit; {
		for ; column < len(d.touched); column++ {
			l.touch(d, d.touched[column])
		}
		k := l.pop(&at)
		if k < 0 {
			break
		}
		rows++
		if l.idle(k, d) {
			continue
		}
		c := l.list[k]
		d.because(because(byCut, c.id))
		if !pr.row(d, line{c.index, c.value, c.lower, c.upper}) {
			return rows, false
		}
	}
	return rows, true
}

// rowActivity is the range of a row over the domain: the finite parts, and how many terms are infinite.
type rowActivity struct {
	min, max       float64
	minInf, maxInf int32
	scale          float64 // magnitude of the sums, for their accuracy
}

// activity adds up the row over the domain.
func (l *line) activity(d *domain) rowActivity {
	var a rowActivity
	for k, j := range l.index {
		v := l.value[k]
		lo, up := d.bounds(j)
		if v < 0 {
			lo, up = up, lo
		}
		addTerm(&a.min, &a.minInf, v, lo, 1)
		addTerm(&a.max, &a.maxInf, v, up, 1)
	}
	a.scale = math.Abs(a.min) + math.Abs(a.max)
	return a
}

// row propagates one row. It returns false if the row cannot be satisfied.
func (pr *propagator) row(d *domain, l line) bool { return pr.rowWithin(d, l, l.activity(d)) }

// rowWithin is row for a row with the range a over the domain, which is right to activityError of its scale.
func (pr *propagator) rowWithin(d *domain, l line, a rowActivity) bool {
	// The room above the least and below the largest activity.
	slackUp, slackDown := inf, inf
	if !math.IsInf(l.upper, 1) {
		// The tolerance is that of the side and of the rounding error of the sum.
		tol := pr.tol*math.Max(1, math.Abs(l.upper)) + activityError*a.scale
		if a.minInf == 0 && a.min > l.upper+tol {
			return false
		}
		slackUp = l.upper - a.min + tol
	}
	if !math.IsInf(l.lower, -1) {
		tol := pr.tol*math.Max(1, math.Abs(l.lower)) + activityError*a.scale
		if a.maxInf == 0 && a.max < l.lower-tol {
			return false
		}
		slackDown = a.max - l.lower + tol
	}

	// With two infinite terms none of the columns gets a bound.
	bindsUp := a.minInf <= 1 && slackUp != inf
	bindsDown := a.maxInf <= 1 && slackDown != inf
	if !bindsUp && !bindsDown {
		return true
	}

	// Without infinite terms a column is concerned only if it can use up more than the room of a side.
	spare := math.Inf(-1)
	if a.minInf == 0 && a.maxInf == 0 {
		spare = math.Min(slackUp, slackDown)
	}

	// The activities stay as they are while the row tightens bounds of its own columns: the bounds derived are valid.
	for k, j := range l.index {
		if lower, upper := d.bounds(j); math.Abs(l.value[k])*(upper-lower) <= spare {
			continue
		}
		if !pr.entry(d, j, l.value[k], &a, slackUp, slackDown) {
			return false
		}
	}
	return true
}

// entry derives bounds of column j, with coefficient v, from the rest of its row. The activities may
// be those from before the row's own tightenings, which is valid and a little weaker.
func (pr *propagator) entry(d *domain, j int32, v float64, a *rowActivity, slackUp, slackDown float64) bool {
	lower, upper := d.bounds(j)
	if v == 0 || lower == upper {
		return true
	}
	reach := math.Abs(v) * (upper - lower) // largest part of the room that the column can use up

	// The upper side limits the term from above, the lower side from below.
	if mayBind(slackUp, a.minInf, reach) {
		if rest, ok := room(slackUp, a.minInf, v, lower, upper); ok && !pr.bound(d, j, rest, v > 0) {
			return false
		}
	}
	if mayBind(slackDown, a.maxInf, reach) {
		if rest, ok := room(slackDown, a.maxInf, -v, lower, upper); ok && !pr.bound(d, j, rest, v < 0) {
			return false
		}
	}
	return true
}

// mayBind reports whether a side of a row may give a bound to a column: the side has room slack over an activity with
// that number of infinite terms, reach being what the column can use up.
func mayBind(slack float64, infinite int32, reach float64) bool {
	return slack < inf && (infinite == 1 || infinite == 0 && slack < reach)
}

// room returns the value to which a term v*x may push its column: the bound that counts in the
// activity is the lower one for v > 0 and the upper one for v < 0; slack is the room above the activity
// without its infinite terms, and infinite is their number.
func room(slack float64, infinite int32, v, lower, upper float64) (float64, bool) {
	// The bound of the column that is in the least activity.
	at := lower
	if v < 0 {
		at = upper
	}
	if math.IsInf(at, 0) {
		return slack / v, true // the only infinite term is this one
	}
	if infinite > 0 {
		return 0, false
	}
	return at + slack/v, true
}

// bound applies a derived bound; it returns false if the domain becomes empty.
func (pr *propagator) bound(d *domain, j int32, value float64, upper bool) bool {
	// Very large bounds are noise, and the LP would not gain from them.
	if math.Abs(value) > hugeBound || math.IsNaN(value) {
		return true
	}
	if pr.p.integer[j] {
		// The bound of an integer column is rounded inward, from a little outside an integer.
		if upper {
			value = math.Floor(value + integralBoundTo)
		} else {
			value = math.Ceil(value - integralBoundTo)
		}
		return d.tighten(change{j, upper, value})
	}
	return pr.boundContinuous(d, j, value, upper)
}

// boundContinuous applies a bound of a continuous column, padded by the tolerance, if it takes away a large enough part
// of the domain. It never makes the bounds cross by less than the tolerance.
func (pr *propagator) boundContinuous(d *domain, j int32, value float64, upper bool) bool {
	pad := pr.tol * math.Max(1, math.Abs(value))
	width := d.upper[j] - d.lower[j]
	if upper {
		value += pad
		// Crossing by less than the tolerance is a rounding error; the bound is dropped.
		if value < d.lower[j] {
			return value+pad >= d.lower[j]
		}

		// A bound of a continuous column counts only if it takes a share of the domain away: else there would be no end.
		if !math.IsInf(d.upper[j], 1) && d.upper[j]-value < continuousGain*width {
			return true
		}
	} else {
		value -= pad
		if value > d.upper[j] {
			return value-pad <= d.upper[j]
		}
		if !math.IsInf(d.lower[j], -1) && value-d.lower[j] < continuousGain*width {
			return true
		}
	}
	return d.tighten(change{j, upper, value})
}

// fixRounded fixes a column to the nearest integer in its domain, or to the second nearest if
// propagation refutes that.
func (pr *propagator) fixRounded(d *domain, x []float64, j int32) bool {
	// The second choice is the integer on the other side of the value.
	first := d.clamp(j, math.Round(x[j]))
	second := first + 1
	if first > x[j] {
		second = first - 1
	}
	for _, v := range []float64{first, second} {
		if v < d.lower[j] || v > d.upper[j] {
			continue
		}

		// Both bounds are set, and taken back where propagation refutes the value.
		mark := len(d.stack)
		if d.tighten(change{j, true, v}) && d.tighten(change{j, false, v}) && pr.run(d, false) {
			x[j] = v
			return true
		}
		d.undo(mark)
	}
	return false
}

// fixRest fixes the columns that are left to the nearest integer in their domain and propagates once.
func (pr *propagator) fixRest(d *domain, x []float64) bool {
	for _, j := range pr.p.ints {
		x[j] = d.clamp(j, math.Round(x[j]))
		if !d.fixed(j) && !(d.tighten(change{j, true, x[j]}) && d.tighten(change{j, false, x[j]})) {
			return false
		}
	}
	return pr.run(d, false)
}
