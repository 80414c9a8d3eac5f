package bnb

import "slices"

// What a worker has found since it was with the team last goes into the journal of the team, and from there to the
// others when they come.

// journal is what workers have told and not all of them have heard.
type journal struct {
	observations []told[observation]
	conflicts    []told[conflict]
	moved        []told[int] // places in the pool of cuts that have changed
}

// told is an item and the worker that it is from.
type told[T any] struct {
	by   int
	item T
}

// heard says up to where a worker knows the journal.
type heard struct{ observations, conflicts, moved int }

// collect takes what the worker has to tell.
func (j *journal) collect(w *worker, into *search) {
	s, central := w.s, into.pool
	for _, o := range s.costs.tell() {
		j.observations = append(j.observations, told[observation]{w.place, o})
	}
	for _, c := range s.learnt.tell() {
		j.conflicts = append(j.conflicts, told[conflict]{w.place, *c})
	}
	fresh, moved := s.pool.tell(central)
	for _, c := range fresh {
		central.take(c)
	}
	for _, c := range moved {
		if own := central.cuts[c.id]; central.takeSides(own, c) && own.row >= 0 {
			into.lp.tightened(own)
		}
		j.moved = append(j.moved, told[int]{w.place, c.id})
	}
	w.fresh = fresh
}

// spread tells the worker what the others have told.
func (j *journal) spread(w *worker, central *pool) {
	s := w.s
	for _, o := range j.observations[w.heard.observations:] {
		if o.by != w.place {
			s.costs.hear(o.item)
		}
	}
	for k := w.heard.conflicts; k < len(j.conflicts); k++ {
		if o := &j.conflicts[k]; o.by != w.place {
			s.learnt.hear(&o.item, s.effort.nodes)
		}
	}
	s.pool.hear(central, w.fresh)
	w.fresh = nil
	for _, o := range j.moved[w.heard.moved:] {
		if c := s.pool.cuts[o.item]; o.by != w.place && s.pool.takeSides(c, central.cuts[o.item]) && c.row >= 0 {
			s.lp.tightened(c)
		}
	}
	s.pool.clearMoved()
	w.heard = heard{len(j.observations), len(j.conflicts), len(j.moved)}
}

// trim drops what all have heard.
func (j *journal) trim(all []*worker) {
	for _, w := range all {
		if w.heard != (heard{len(j.observations), len(j.conflicts), len(j.moved)}) {
			return
		}
	}
	j.observations, j.conflicts, j.moved = j.observations[:0], j.conflicts[:0], j.moved[:0]
	for _, w := range all {
		w.heard = heard{}
	}
}

// fork returns the pool of a worker: copies of all cuts, in the same places.
func (q *pool) fork() *pool {
	f := newPool(q.p)
	for _, c := range q.cuts {
		own := c.outside()
		f.append(own, own.hash(), own.ratio())
	}
	for _, c := range q.hooked.cuts {
		f.hooked.add(f.cuts[c.id])
	}
	for _, c := range q.others.cuts {
		f.others.add(f.cuts[c.id])
	}
	f.flagged, f.common = q.flagged, len(f.cuts)
	return f
}

// outside returns a copy that is in no LP. The coefficients, which never change, are shared.
func (c *cut) outside() *cut {
	own := *c
	own.row = -1
	return &own
}

// take appends a copy of a cut of another pool.
func (q *pool) take(c *cut) {
	own := c.outside()
	q.append(own, own.hash(), own.ratio())
	q.list(own)
}

// list puts a cut of another pool among those to look at.
func (q *pool) list(c *cut) {
	if c.own {
		q.others.add(c)
		return
	}
	q.hook(c)
}

// takeSides takes over what has changed of a cut in another pool, and reports whether that tightened it.
func (q *pool) takeSides(own, other *cut) bool {
	if !other.own {
		q.give(own)
	}
	tighter := own.merge(other, 1)
	q.tighten(own, tighter)
	return tighter
}

// change notes that a cut has changed that other pools hold too.
func (q *pool) change(c *cut, changed bool) {
	if changed && c.id < q.common {
		q.moved = append(q.moved, c)
	}
}

// tell returns the cuts that are new since the last call, and those that have changed, and books its counts in the
// central pool. The places of the new ones are those that they will have there, if they are the next.
func (q *pool) tell(central *pool) (fresh, moved []*cut) {
	fresh, moved = slices.Clone(q.cuts[q.common:]), q.moved
	for k, c := range fresh {
		c.id = len(central.cuts) + k
	}
	central.user += q.user
	central.lazy += q.lazy
	q.moved, q.user, q.lazy = nil, 0, 0
	return fresh, moved
}

// hear makes the cuts those of the central pool, in its places. fresh are the own ones among them.
func (q *pool) hear(central *pool, fresh []*cut) {
	q.cuts = q.cuts[:q.common]
	for _, c := range central.cuts[q.common:] {
		if len(fresh) > 0 && fresh[0].id == c.id {
			q.cuts, fresh = append(q.cuts, fresh[0]), fresh[1:]
			continue
		}
		q.take(c)
	}
	q.common = len(q.cuts)
}

// clearMoved says that no cut has changed that the others do not know of.
func (q *pool) clearMoved() { q.moved = nil }
