package bnb

import "slices"

// trail is the sequence of the bound changes from the root to a node, in the order in which they were made. The level
// of a change is the depth of its node. Changes of level 0 hold wherever the root's do, in the whole tree.
type trail struct {
	d       *domain
	entries []trailEntry
	last    [2][]int32 // by direction of the bound, upper or not, and by column: the last entry, -1 for none
	levels  int        // that the changes have
	path    []*node    // scratch
}

// trailEntry is a bound change.
type trailEntry struct {
	change
	before int32 // the entry that moved the same bound before, -1 for none
	level  int32
	why    reason
}

// set makes the trail that of node nd, whose own changes are those on the stack of the domain.
func (t *trail) set(d *domain, nd *node) {
	t.clear(len(d.lower))
	t.d = d
	t.path = t.path[:0]
	for p := nd.parent; p != nil; p = p.parent {
		t.path = append(t.path, p)
	}

	// An ancestor holds all changes made there, and their reasons.
	for _, p := range slices.Backward(t.path) {
		for k, c := range p.changes {
			t.push(c, p.depth, p.reasons[k])
		}
	}
	// A bound of a probe or a dive begins a level of its own.
	level := nd.depth
	for k, u := range d.stack {
		if d.probing >= 0 && k >= d.probing && u.why == assumed {
			level++
		}
		t.push(u.change, level, u.why)
	}
	t.levels = level + 1
}

// clear removes all entries.
func (t *trail) clear(cols int) {
	if t.last[0] == nil {
		t.last[0] = slices.Repeat([]int32{-1}, cols)
		t.last[1] = slices.Repeat([]int32{-1}, cols)
	}
	for _, e := range t.entries {
		t.last[direction(e.upper)][e.col] = -1
	}
	t.entries = t.entries[:0]
}

// push appends a change, unless the bound is as tight already.
func (t *trail) push(c change, level int, why reason) {
	last := &t.last[direction(c.upper)][c.col]
	bound := *c.of(t.d.globalLower, t.d.globalUpper)
	if *last >= 0 {
		bound = t.entries[*last].value
	}
	if c.tightens(bound) {
		t.entries = append(t.entries, trailEntry{c, *last, int32(level), why})
		*last = int32(len(t.entries) - 1)
	}
}

// at returns the last entry that moves a bound before position p; -1 for none.
func (t *trail) at(col int32, upper bool, p int32) int32 {
	e := t.last[direction(upper)][col]
	for e >= p {
		e = t.entries[e].before
	}
	return e
}

// value returns a bound at an entry of it, the global one for -1.
func (t *trail) value(col int32, upper bool, e int32) float64 {
	if e >= 0 {
		return t.entries[e].value
	}
	c := change{col: col, upper: upper}
	return *c.of(t.d.globalLower, t.d.globalUpper)
}

// base returns a bound as it holds in the whole tree: at the last change of level 0 up to entry e.
func (t *trail) base(col int32, upper bool, e int32) float64 {
	for e >= 0 && t.entries[e].level > 0 {
		e = t.entries[e].before
	}
	return t.value(col, upper, e)
}

// first returns the first entry from which on the bound holds, looking back from entry e at which it does; -1 if it
// holds in the whole tree.
func (t *trail) first(c change, e int32) int32 {
	if !c.tightens(t.base(c.col, c.upper, e)) {
		return -1
	}
	for {
		before := t.entries[e].before
		if before < 0 || c.tightens(t.entries[before].value) {
			return e
		}
		e = before
	}
}
