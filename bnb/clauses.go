package bnb

import (
	"cmp"
	"math"
	"slices"
)

// Limits of the conflicts that are kept. The length was measured on nine models: conflicts of at most 12 bounds were
// 49% of those learnt, and did 89% of what all did. The other numbers were chosen by hand.
const (
	clauseMax    = 1000 // kept; a worker keeps this number for each worker
	clauseFree   = 100  // kept where none was of use; each use makes room for one more
	clauseTrial  = 200  // derived before they must be of use: each use allows one more
	clauseAge    = 1000 // nodes without use after which one is dropped
	clauseLength = 12   // bounds of a conflict at most
)

// clause is a conflict: no point better than the objective to beat satisfies all of its bounds.
type clause struct {
	bounds []change
	strict float64 // the objective to beat when it was learnt
	id     int     // the count of conflicts when it came
	used   int     // node at which it was learnt, or last tightened a bound
	watch  [2]int  // two bounds that did not hold when the clause was looked at last; see clauses
}

// clauses are the conflicts that the search has learnt, as disjunctions of bounds. Two bounds of each one, which do not
// hold, are watched (Moskewicz, Madigan, Zhao, Zhang, Malik 2001): only where a change makes one of them hold is the
// clause looked at. Bounds that are given back leave the watched ones as they are.
type clauses struct {
	p        *problem
	list     []*clause
	watchers [2][][]*clause // by direction of the bound, upper or not, and by column
	known    map[uint64]bool
	learnt   int // conflicts that were stored, own ones and those of other searches
	own      int // short conflicts that analysis has given, known ones too
	gain     int // bounds tightened and nodes closed by conflicts

	fresh   int // the clauses from this place on were never looked at
	at      int // entries of the stack of the domain that were looked at,
	entered int // in the node with that count
	jumps   int // and in this part of the tree

	limit     int  // clauses kept
	exporting bool // new clauses are kept for export
	pending   []*clause
}

// newClauses has no conflict.
func newClauses(p *problem) clauses { return clauses{p: p, limit: clauseMax} }

// line is the conflict as a row: of its bounds at least one does not hold. It returns false unless all of its columns
// have two values in the whole tree, and each bound holds at one of them alone: the conflict may be older than the
// bounds of the whole tree.
func (c *clause) line(p *problem, d *domain) (line, bool) {
	l := line{lower: math.Inf(-1), upper: float64(len(c.bounds) - 1)}
	for _, b := range c.bounds {
		least := d.globalLower[b.col]
		if !p.integer[b.col] || d.globalUpper[b.col]-least != 1 {
			return line{}, false
		}

		// A lower bound holds at the greater value alone, an upper bound at the lesser one.
		at := least + 1
		if b.upper {
			at = least
		}
		if b.value != at {
			return line{}, false
		}

		// x - least is 1 where a lower bound holds and 0 where it does not; least + 1 - x is that for an upper bound.
		l.index = append(l.index, b.col)
		if b.upper {
			l.value = append(l.value, -1)
			l.upper -= least + 1
		} else {
			l.value = append(l.value, 1)
			l.upper += least
		}
	}
	return l, true
}

// capacity is the number of conflicts that are kept: more where they are of use, since each one costs time in every
// part of the tree.
func (q *clauses) capacity() int { return min(q.limit, clauseFree+q.gain) }

// pays reports whether conflicts have been of use often enough for more of them.
func (q *clauses) pays() bool { return q.own <= clauseTrial+q.gain }

// learn stores a conflict that is short and not known yet.
func (q *clauses) learn(bounds []change, strict float64, now int) {
	if len(bounds) > clauseLength {
		return
	}
	q.own++
	c := &clause{bounds: bounds, strict: strict, used: now}
	if q.add(c) && q.exporting {
		q.pending = append(q.pending, c)
	}
}

// add stores a conflict unless it is known. Its bounds are in a fixed order.
func (q *clauses) add(c *clause) bool {
	h := c.hash()
	if q.known[h] {
		return false
	}

	// The lists are made with the first conflict, since many searches learn none.
	if q.known == nil {
		q.known = map[uint64]bool{}
		q.watchers[0] = make([][]*clause, q.p.n)
		q.watchers[1] = make([][]*clause, q.p.n)
	}
	if len(q.list) >= q.capacity() {
		q.forget()
	}
	q.known[h] = true
	q.learnt++
	c.id = q.learnt
	q.list = append(q.list, c)
	return true
}

// hash is that of the bounds, by the steps of FNV-1a on words.
func (c *clause) hash() uint64 {
	const prime, offset = 1099511628211, 14695981039346656037
	h := uint64(offset)
	for _, b := range c.bounds {
		for _, v := range [3]uint64{uint64(b.col), uint64(direction(b.upper)), math.Float64bits(b.value)} {
			h = (h ^ v) * prime
			h ^= h >> 32
		}
	}
	return h
}

// forget drops the half of the clauses that have been of no use for the longest time.
func (q *clauses) forget() {
	// Of those of the same node the older ones stay.
	order := slices.Clone(q.list)
	slices.SortStableFunc(order, func(a, b *clause) int { return cmp.Compare(b.used, a.used) })
	for _, c := range order[q.capacity()/2:] {
		delete(q.known, c.hash())
		c.id = 0
	}

	// The order by number stays, which find needs. All clauses are looked at once more, for the bounds to watch.
	q.list = slices.DeleteFunc(q.list, func(c *clause) bool { return c.id == 0 })
	for k := range q.watchers {
		clear(q.watchers[k])
	}
	q.fresh = 0
}

// dropOld drops the clauses that have been of no use for long. The bounds to watch are found anew after it.
func (q *clauses) dropOld(now int) {
	q.list = slices.DeleteFunc(q.list, func(c *clause) bool {
		old := c.used < now-clauseAge
		if old {
			delete(q.known, c.hash())
		}
		return old
	})
	q.fresh = 0
}

// find returns the clause with that number, nil where it was forgotten.
func (q *clauses) find(id int) *clause {
	k, ok := slices.BinarySearchFunc(q.list, id, func(c *clause, id int) int { return cmp.Compare(c.id, id) })
	if !ok {
		return nil
	}
	return q.list[k]
}

// export returns the conflicts that were learnt since the last call.
func (q *clauses) export() []*clause {
	list := q.pending
	q.pending = nil
	return list
}

// addCopy stores a conflict of another search, as if it had been learnt at node now.
func (q *clauses) addCopy(c *clause, now int) {
	q.add(&clause{bounds: c.bounds, strict: c.strict, used: now})
}

// fork returns a copy for a worker, which keeps new conflicts for export.
func (q *clauses) fork(workers int) clauses {
	f := clauses{p: q.p, limit: workers * clauseMax, own: q.own, gain: q.gain, exporting: true}
	for _, c := range q.list {
		f.addCopy(c, c.used)
	}
	return f
}

// upToDate reports whether the clauses were looked at over all changes of the domain.
func (q *clauses) upToDate(d *domain) bool {
	here := q.jumps == d.jumps && q.entered == d.entered
	return len(q.list) == 0 || here && q.fresh == len(q.list) && q.at >= len(d.stack)
}

// propagate tightens the domain by the clauses until they change nothing. It returns false if one of them leaves no
// point.
func (q *clauses) propagate(d *domain, now int) bool {
	if len(q.list) == 0 {
		return true
	}
	defer d.endPropagation()
	if q.jumps != d.jumps {
		q.dropOld(now)
	}
	from := q.begin(d)

	// The clauses that were never looked at here come first. What they tighten is on the stack behind q.at.
	for k := from; k < len(q.list); k++ {
		if !q.look(d, q.list[k], now) {
			return false
		}
	}
	for ; q.at < len(d.stack); q.at++ {
		if !q.visit(d, d.stack[q.at].change, now) {
			return false
		}
	}
	return true
}

// begin takes over the place of the domain in the tree and returns the first clause that has to be looked at: the new
// ones, or all in another part of the tree, where the bounds have changed without a stack.
func (q *clauses) begin(d *domain) (from int) {
	from = q.fresh
	q.fresh = len(q.list)

	// A node that is entered has a stack of its own.
	if q.entered != d.entered {
		q.at = 0
	}
	if q.jumps != d.jumps {
		from = 0
		q.at = len(d.stack)
		for k := range q.watchers {
			for j := range q.watchers[k] {
				q.watchers[k][j] = q.watchers[k][j][:0]
			}
		}
	}
	q.entered = d.entered
	q.jumps = d.jumps
	return from
}

// look finds two bounds of a clause to watch. It returns false where all of its bounds hold. Where all but one hold,
// that one is excluded.
func (q *clauses) look(d *domain, c *clause, now int) bool {
	// The first two bounds that do not hold are watched.
	open := 0
	c.watch = [2]int{}
	for k := 0; k < len(c.bounds) && open < 2; k++ {
		if !c.bounds[k].holds(d.lower, d.upper) {
			c.watch[open] = k
			open++
		}
	}

	// The second watched bound must be another one.
	if open < 2 && c.watch[0] == c.watch[1] && len(c.bounds) > 1 {
		c.watch[1] = 1 - min(1, c.watch[0])
	}
	for k := range min(2, len(c.bounds)) {
		q.follow(c, k)
	}

	switch open {
	case 0:
		return q.fail(d, c, now)
	case 1:
		return q.exclude(d, c, c.watch[0], now)
	}
	return true
}

// follow enters a clause in the list of a bound that it watches.
func (q *clauses) follow(c *clause, k int) {
	b := &c.bounds[c.watch[k]]
	list := &q.watchers[direction(b.upper)][b.col]
	*list = append(*list, c)
}

// visit looks at the clauses that watch the bound that has changed.
func (q *clauses) visit(d *domain, changed change, now int) bool {
	list := &q.watchers[direction(changed.upper)][changed.col]
	keep := 0
	ok := true

	// Once a clause has failed the others stay in the list as they are.
	for k := 0; k < len(*list); k++ {
		c := (*list)[k]
		stays := true
		if ok {
			stays, ok = q.react(d, c, changed, now)
		}
		if stays {
			(*list)[keep] = c
			keep++
		}
	}
	*list = (*list)[:keep]
	return ok
}

// react looks at a clause one of whose watched bounds may hold now. stays is set unless another bound is watched in
// place of that one; ok is false where no point is left.
func (q *clauses) react(d *domain, c *clause, changed change, now int) (stays, ok bool) {
	// The watched bound that has changed.
	own := 0
	if b := c.bounds[c.watch[0]]; b.col != changed.col || b.upper != changed.upper {
		own = 1
	}
	if !c.bounds[c.watch[own]].holds(d.lower, d.upper) {
		return true, true
	}

	// Another bound that does not hold is watched in its place.
	other := c.watch[1-own]
	for k := range c.bounds {
		if k != other && !c.bounds[k].holds(d.lower, d.upper) {
			c.watch[own] = k
			q.follow(c, own)
			return false, true
		}
	}

	// All bounds but the other watched one hold.
	if len(c.bounds) == 1 || c.bounds[other].holds(d.lower, d.upper) {
		return true, q.fail(d, c, now)
	}
	return true, q.exclude(d, c, other, now)
}

// fail records that all bounds of a clause hold.
func (q *clauses) fail(d *domain, c *clause, now int) bool {
	q.use(d, c, now)
	return false
}

// exclude applies the opposite of the only bound of a clause that does not hold. That of the only bound at all holds in
// the whole tree.
func (q *clauses) exclude(d *domain, c *clause, k, now int) bool {
	b := c.bounds[k]
	o := b.opposite(q.p.integer[b.col])
	if !o.tightens(*o.of(d.lower, d.upper)) {
		return true
	}
	q.use(d, c, now)
	if len(c.bounds) == 1 {
		return d.tightenGlobal(o)
	}
	return d.tighten(o)
}

// use records that a clause tightens a bound or closes a node.
func (q *clauses) use(d *domain, c *clause, now int) {
	c.used = now
	q.gain++
	d.because(because(byClause, c.id))
}
