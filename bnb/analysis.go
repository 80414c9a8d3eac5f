package bnb

import (
	"cmp"
	"slices"
)

// analysis derives conflicts from nodes without a better point: sets of bounds that no better point satisfies
// (Achterberg 2007, Conflict analysis in mixed integer programming). It starts with the bounds that a contradiction
// rests on, and replaces the latest of them by those that it follows from, until one bound of the deepest level is
// left: the first unique implication point (Zhang, Madigan, Moskewicz, Malik 2001). The rows behind the same
// contradiction give a row; see resolution.
type analysis struct {
	x      explainer
	rows   resolution
	trail  trail
	marked []bool    // by entry of the trail: the bound is in the conflict
	value  []float64 // of a marked bound, not tighter than the entry
	count  []int     // by level: marked bounds
}

// explainFree is the number of terms that the explanations of one analysis may visit, in addition to the nonzeros of
// the model. Chosen by hand: about the cost of adding up the activities in another part of the tree.
const explainFree = 10000

// analyseFailure learns from the reason at which propagation has failed at the node.
func (a *analysis) analyseFailure(s *search, nd *node) {
	if !a.begin(s, nd) {
		return
	}
	defer s.clock.leave(s.clock.enter(PartConflicts))
	if a.x.contradiction(s.dom.failed) {
		a.learn(s)
	}
	if a.resolves(s) {
		a.rows.fromFailure(s.dom.failed)
	}
}

// analyseProof learns from the terms of a row with that side, which the bounds of an LP violate by room.
func (a *analysis) analyseProof(s *search, nd *node, terms []keptTerm, side, room float64) {
	if !a.begin(s, nd) {
		return
	}
	if a.x.proof(terms, s.lp.lower, s.lp.upper, room) {
		a.learn(s)
	}
	if a.resolves(s) {
		a.rows.fromProof(terms, side)
	}
}

// resolves reports whether rows are resolved too, and prepares for it.
func (a *analysis) resolves(s *search) bool {
	if s.opt.tuning.resolutionOff {
		return false
	}
	a.rows.begin(s, a)
	return true
}

// begin takes over the trail of the node. It returns false where there is nothing to learn, as at the root, for which
// no bound is assumed, or where conflicts have been of little use.
func (a *analysis) begin(s *search, nd *node) bool {
	if s.opt.tuning.conflictsOff || nd == nil || !s.clauses.pays() {
		return false
	}
	if nd.parent == nil && s.dom.probing < 0 {
		return false
	}

	a.trail.set(s.dom, nd)
	a.x.begin(s, &a.trail, s.p.byCol.NNZ()+explainFree)
	n := len(a.trail.entries)
	a.marked = append(a.marked[:0], make([]bool, n)...)
	a.value = append(a.value[:0], make([]float64, n)...)
	a.count = append(a.count[:0], make([]int, a.trail.levels)...)
	return true
}

// learn shortens the conflict that the explanation gives, and stores it.
func (a *analysis) learn(s *search) {
	a.mark(a.x.needs)
	a.reachUnique()
	a.shorten()
	s.clauses.learn(a.bounds(), s.inc.strict, s.effort.nodes)
}

// mark adds bounds to the conflict.
func (a *analysis) mark(needs []need) {
	for _, n := range needs {
		e := &a.trail.entries[n.entry]
		c := change{e.col, e.upper, n.value}
		if !a.marked[n.entry] {
			a.marked[n.entry] = true
			a.value[n.entry] = n.value
			a.count[e.level]++
		} else if c.tightens(a.value[n.entry]) {
			a.value[n.entry] = n.value
		}
	}
}

// unmark takes a bound out of the conflict.
func (a *analysis) unmark(e int) {
	a.marked[e] = false
	a.count[a.trail.entries[e].level]--
}

// explain derives the bound of an entry in the conflict from those before it, which the explanation then holds.
func (a *analysis) explain(e int) bool {
	c := a.trail.entries[e].change
	c.value = a.value[e]
	return a.x.bound(c, int32(e))
}

// reachUnique replaces bounds of the deepest level of the conflict, the latest first, until one is left. A bound whose
// reason is not kept stays.
func (a *analysis) reachUnique() {
	e := len(a.marked) - 1
	for ; e >= 0 && !a.marked[e]; e-- {
	}
	if e < 0 {
		return
	}
	level := a.trail.entries[e].level
	for ; e >= 0 && a.trail.entries[e].level == level && a.count[level] > 1; e-- {
		if a.marked[e] && a.explain(e) {
			a.unmark(e)
			a.mark(a.x.needs)
		}
	}
}

// shorten removes the bounds that follow from others of the conflict, and replaces those of a level by one of the same
// level where no bound of another level is needed in addition (Soerensson, Biere 2009; Feng, Bacchus 2020). The
// conflict never grows.
func (a *analysis) shorten() {
	for e := len(a.marked) - 1; e >= 0; e-- {
		if !a.marked[e] || !a.explain(e) {
			continue
		}
		level := a.trail.entries[e].level
		added, other := 0, false
		for _, n := range a.x.needs {
			if !a.covers(n) {
				added++
				other = other || a.marked[n.entry] || a.trail.entries[n.entry].level != level
			}
		}
		instead := added == 1 && !other && a.count[level] > 1
		if added == 0 || instead {
			a.unmark(e)
			a.mark(a.x.needs)
		}
	}
}

// covers reports whether a bound is in the conflict, as tight as it is needed.
func (a *analysis) covers(n need) bool {
	c := change{upper: a.trail.entries[n.entry].upper, value: n.value}
	return a.marked[n.entry] && !c.tightens(a.value[n.entry])
}

// bounds returns the conflict: of several bounds in the same direction of a column the tightest.
func (a *analysis) bounds() []change {
	var list []change
	for e := len(a.marked) - 1; e >= 0; e-- {
		if a.marked[e] {
			c := a.trail.entries[e].change
			c.value = a.value[e]
			list = append(list, c)
		}
	}

	// The tightest comes first of those of a column.
	slices.SortStableFunc(list, func(p, q change) int {
		order := cmp.Compare(q.value, p.value)
		if p.upper {
			order = -order
		}
		return cmp.Or(cmp.Compare(p.col, q.col), cmp.Compare(direction(p.upper), direction(q.upper)), order)
	})
	return slices.CompactFunc(list, func(p, q change) bool { return p.col == q.col && p.upper == q.upper })
}
