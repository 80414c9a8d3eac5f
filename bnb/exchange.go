package bnb

import "slices"

// What a worker has found since it was with the coordinator last is collected in the shared updates, and distributed
// to the others when they come.

// sharedUpdates is what workers have exported and not all of them have imported.
type sharedUpdates struct {
	observations []update[observation]
	conflicts    []update[conflict]
	clauses      []update[*clause]
	moved        []update[int] // places in the pool of cuts that have changed
}

// update is an item and the worker that it is from.
type update[T any] struct {
	from int
	item T
}

// position is the place in the shared updates up to which a worker has imported them.
type position struct{ observations, conflicts, clauses, moved int }

// end is the position behind all updates.
func (u *sharedUpdates) end() position {
	return position{len(u.observations), len(u.conflicts), len(u.clauses), len(u.moved)}
}

// collect takes what the worker exports.
func (u *sharedUpdates) collect(w *worker, into *search) {
	// Each update carries the worker that it is from, which does not import it.
	for _, o := range w.s.costs.export() {
		u.observations = append(u.observations, update[observation]{w.place, o})
	}
	for _, c := range w.s.learnt.export() {
		u.conflicts = append(u.conflicts, update[conflict]{w.place, *c})
	}
	for _, c := range w.s.clauses.export() {
		u.clauses = append(u.clauses, update[*clause]{w.place, c})
	}

	central := into.pool

	// New cuts get their places in the central pool first, which the changed ones refer to.
	fresh, moved := w.s.pool.export(central)
	for _, c := range fresh {
		central.addCopy(c)
	}
	for _, c := range moved {
		// The central LP follows where it holds the cut.
		if own := central.cuts[c.id]; central.mergeSides(own, c) && own.row >= 0 {
			into.lp.tightened(own)
		}
		u.moved = append(u.moved, update[int]{w.place, c.id})
	}
	w.fresh = fresh
}

// distribute gives the worker what the others have exported.
func (u *sharedUpdates) distribute(w *worker, central *pool) {
	s := w.s
	for _, o := range u.observations[w.read.observations:] {
		if o.from != w.place {
			s.costs.add(o.item)
		}
	}

	// A conflict is long, so that it is copied only once.
	for k := w.read.conflicts; k < len(u.conflicts); k++ {
		if o := &u.conflicts[k]; o.from != w.place {
			s.learnt.addCopy(&o.item, s.effort.nodes)
		}
	}
	for _, o := range u.clauses[w.read.clauses:] {
		if o.from != w.place {
			s.clauses.addCopy(o.item, s.effort.nodes)
		}
	}

	// New cuts come before the changed ones, whose places may be those of new ones.
	s.pool.importFrom(central, w.fresh)
	w.fresh = nil
	for _, o := range u.moved[w.read.moved:] {
		if c := s.pool.cuts[o.item]; o.from != w.place && s.pool.mergeSides(c, central.cuts[o.item]) && c.row >= 0 {
			s.lp.tightened(c)
		}
	}
	s.pool.clearMoved()
	w.read = u.end()
}

// trim drops the updates once all workers have imported them.
func (u *sharedUpdates) trim(all []*worker) {
	// An update must stay while one worker has not imported it.
	for _, w := range all {
		if w.read != u.end() {
			return
		}
	}
	*u = sharedUpdates{u.observations[:0], u.conflicts[:0], u.clauses[:0], u.moved[:0]}
	for _, w := range all {
		w.read = position{}
	}
}

// fork returns the pool of a worker: copies of all cuts, in the same places.
func (q *pool) fork() *pool {
	f := newPool(q.p)

	// All cuts keep their places, so that the lists of cuts refer to the same ones.
	for _, c := range q.cuts {
		f.appendCopy(c)
	}
	for _, c := range q.hooked.cuts {
		f.hooked.add(f.cuts[c.id])
	}
	for _, c := range q.others.cuts {
		f.others.add(f.cuts[c.id])
	}
	f.flagged = q.flagged
	f.common = len(f.cuts)
	return f
}

// appendCopy appends a copy of a cut of another pool, which is in no LP. The coefficients, which never change, are
// shared.
func (q *pool) appendCopy(c *cut) *cut {
	own := *c
	own.row = -1
	q.append(&own, own.hash(), own.ratio())
	return &own
}

// addCopy appends a copy of a cut of another pool and lists it among the cuts that points are checked against.
func (q *pool) addCopy(c *cut) {
	own := q.appendCopy(c)
	if own.generated {
		q.others.add(own)
		return
	}
	q.hook(own)
}

// mergeSides takes over what has changed of a cut in another pool, and reports whether that tightened it.
func (q *pool) mergeSides(own, other *cut) bool {
	// Both have the same coefficients: the factor is one.
	tighter := own.merge(other, 1)

	// A cut that a hook has given elsewhere is a constraint here too.
	if !other.generated {
		q.refine(own, other)
		q.give(own)
	}
	q.tighten(own, tighter)
	return tighter
}

// change notes that a cut has changed that other pools hold too.
func (q *pool) change(c *cut, changed bool) {
	if changed && c.id < q.common {
		q.moved = append(q.moved, c)
	}
}

// export returns the cuts that are new since the last call, and those that have changed, and adds its counts to those
// of the central pool. The places of the new ones are those that they will have there, if they are appended next.
func (q *pool) export(central *pool) (fresh, moved []*cut) {
	// The exported slice is a copy, since the pool is rebuilt in the order of the central one.
	fresh = slices.Clone(q.cuts[q.common:])
	for k, c := range fresh {
		c.id = len(central.cuts) + k
	}
	central.user += q.user
	central.lazy += q.lazy
	q.user, q.lazy = 0, 0

	moved = q.moved
	q.moved = nil
	return fresh, moved
}

// importFrom makes the cuts those of the central pool, in its places. fresh are the own ones among them.
func (q *pool) importFrom(central *pool, fresh []*cut) {
	// The first cuts are the same in all pools. Behind them come those of all workers in the central order.
	q.cuts = q.cuts[:q.common]
	for _, c := range central.cuts[q.common:] {
		if len(fresh) > 0 && fresh[0].id == c.id {
			q.cuts = append(q.cuts, fresh[0])
			fresh = fresh[1:]
			continue
		}
		q.addCopy(c)
	}
	q.common = len(q.cuts)
}

// clearMoved forgets the changed cuts: all other pools have the changes.
func (q *pool) clearMoved() { q.moved = nil }
