package bnb

import (
	"math"
	"slices"
)

// change is one bound change of a node, relative to its parent.
type change struct {
	col   int32
	upper bool
	value float64
}

// of returns the place of the bound that the change moves, among those of all columns.
func (c *change) of(lower, upper []float64) *float64 {
	if c.upper {
		return &upper[c.col]
	}
	return &lower[c.col]
}

// tightens reports whether the change moves a bound inward.
func (c *change) tightens(bound float64) bool {
	return c.upper && c.value < bound || !c.upper && c.value > bound
}

// opposite is the bound that holds where the change does not: that of the other child of a branching on an integer
// column.
func (c change) opposite(integer bool) change {
	step := 0.0
	if integer {
		step = 1
	}
	if c.upper {
		return change{c.col, false, c.value + step}
	}
	return change{c.col, true, c.value - step}
}

// holds reports whether the bound is in force where columns have the bounds lower and upper.
func (c *change) holds(lower, upper []float64) bool { return !c.tightens(*c.of(lower, upper)) }

// undo is one entry of the bounds stack.
type undo struct {
	change
	old float64
	why reason
}

// domain holds the bounds of the columns at the current node, the global ones that every node
// starts from, and the stack of the changes since the node was entered. Bounds of continuous columns
// serve propagation only; the LP keeps those of the model and of implications whose literals are fixed.
type domain struct {
	lower, upper             []float64 // at the current node
	globalLower, globalUpper []float64
	stack                    []undo
	touched                  []int32 // columns changed since the last propagation
	isTouched                []bool
	acts                     *activities
	jumped                   bool // the last change led to another part of the tree; see arrived
	version                  int  // grows with every change of a bound
	breaks                   int  // grows when bounds are given back, or changes are not propagated
	entered                  int  // grows with every node that is entered,
	jumps                    int  // and with those that are not entered from their parent

	probing int    // stack entries below the first bound of a probe or a dive; -1 outside
	why     reason // of the next changes; see because
	failed  reason // by which the last propagation that failed has ended
}

// newDomain has the bounds of the problem.
func newDomain(p *problem) *domain {
	d := &domain{
		lower:       slices.Clone(p.lower),
		upper:       slices.Clone(p.upper),
		globalLower: slices.Clone(p.lower),
		globalUpper: slices.Clone(p.upper),
		acts:        newActivities(p),
		isTouched:   make([]bool, p.n),
		probing:     -1,
	}
	d.acts.recompute(d.lower, d.upper)
	return d
}

// fork returns a domain with the same global bounds.
func (d *domain) fork(p *problem) *domain {
	// The activities keep the reach of the rows at the root, and follow the tightened bounds.
	f := newDomain(p)
	copy(f.globalLower, d.globalLower)
	copy(f.globalUpper, d.globalUpper)
	copy(f.lower, d.globalLower)
	copy(f.upper, d.globalUpper)
	f.acts.recompute(f.lower, f.upper)
	return f
}

// enter makes the bounds those of node nd and records its own changes on the empty stack. After
// a plunge from the parent only those are applied. It returns false if they leave a domain empty.
func (d *domain) enter(nd *node, plunged bool) bool {
	d.stack = d.stack[:0]
	d.entered++
	d.because(assumed)
	ok := true

	// After a plunge the bounds of the parent are in place already.
	if !plunged {
		d.jumped = true
		d.jumps++
		d.version++
		d.breaks++
		copy(d.lower, d.globalLower)
		copy(d.upper, d.globalUpper)
		ok = d.replay(nd.parent)
		d.acts.recompute(d.lower, d.upper)
	}
	return d.tightenAll(nd.changes) && ok
}

// arrived reports whether the bounds are of another part of the tree than at the last call.
func (d *domain) arrived() bool {
	jumped := d.jumped
	d.jumped = false
	return jumped
}

// replay applies the changes of nd and its ancestors, without stack and activities.
func (d *domain) replay(nd *node) bool {
	ok := true

	// The order does not matter: of all changes of a bound the tightest one counts.
	for ; nd != nil; nd = nd.parent {
		for _, c := range nd.changes {
			if bound := c.of(d.lower, d.upper); c.tightens(*bound) {
				*bound = c.value
			}
			ok = ok && d.lower[c.col] <= d.upper[c.col]
		}
	}
	return ok
}

// tighten applies a change if it tightens, and returns false if the domain becomes empty.
func (d *domain) tighten(c change) bool {
	// The activities follow before the bound changes, since they need both values.
	if bound := c.of(d.lower, d.upper); c.tightens(*bound) {
		d.stack = append(d.stack, undo{c, *bound, d.why})
		d.acts.moved(c.col, c.upper, *bound, c.value)
		*bound = c.value
		d.touch(c.col)
	}
	return d.lower[c.col] <= d.upper[c.col]
}

// beginProbe marks the changes that follow as those of a probe or a dive, where each bound without a reason is one that
// is tried.
func (d *domain) beginProbe() { d.probing = len(d.stack) }

// endProbe ends a probe or a dive.
func (d *domain) endProbe() { d.probing = -1 }

// because sets the reason of the changes that follow.
func (d *domain) because(r reason) { d.why = r }

// endPropagation keeps the reason that propagation has come to, for the case that it has failed.
func (d *domain) endPropagation() {
	d.failed = d.why
	d.why = assumed
}

// tightenAll applies changes, and returns false if the domain becomes empty.
func (d *domain) tightenAll(changes []change) bool {
	// All changes are applied, even behind an empty domain, so that the stack is complete.
	ok := true
	for _, c := range changes {
		ok = d.tighten(c) && ok
	}
	return ok
}

// touch notes a changed column for propagation.
func (d *domain) touch(j int32) {
	d.version++
	if !d.isTouched[j] {
		d.isTouched[j] = true
		d.touched = append(d.touched, j)
	}
}

// untouch drops the columns that propagation would visit.
func (d *domain) untouch() {
	// The changes of these columns are not propagated; cutLines.setDomain reads the count.
	if len(d.touched) > 0 {
		d.breaks++
	}
	d.clearTouched()
}

// clearTouched is called when propagation has visited the touched columns.
func (d *domain) clearTouched() {
	for _, j := range d.touched {
		d.isTouched[j] = false
	}
	d.touched = d.touched[:0]
}

// backtrack undoes the changes beyond the first mark entries of the stack.
func (d *domain) backtrack(mark int) {
	if len(d.stack) > mark {
		d.version++
		d.breaks++
	}

	// The changes are undone from the last to the first, so that the oldest value of a bound is the one that remains.
	for k := len(d.stack) - 1; k >= mark; k-- {
		u := d.stack[k]
		d.acts.moved(u.col, u.upper, u.value, u.old)
		*u.of(d.lower, d.upper) = u.old
	}
	d.stack = d.stack[:mark]
}

// undo takes back the changes beyond the first mark entries of the stack; propagation does not visit their columns.
func (d *domain) undo(mark int) {
	d.backtrack(mark)
	d.untouch()
}

// changes returns a copy of the stack without the old values and without superseded entries, and the reasons: what the
// children of the current node inherit.
func (d *domain) changes() ([]change, []reason) {
	out := make([]change, 0, len(d.stack))
	why := make([]reason, 0, len(d.stack))

	// An entry was superseded if its column has got a still tighter bound since.
	for _, u := range d.stack {
		if *u.of(d.lower, d.upper) == u.value {
			out = append(out, u.change)
			why = append(why, u.why)
		}
	}
	return out, why
}

// least returns the global bound of column j at which a term with that coefficient is least.
func (d *domain) least(j int32, coef float64) float64 {
	if coef < 0 {
		return d.globalUpper[j]
	}
	return d.globalLower[j]
}

// tightenGlobal applies a change that holds in the whole tree.
func (d *domain) tightenGlobal(c change) bool {
	// The global bounds are no part of the stack, so that they remain when the node is left.
	if bound := c.of(d.globalLower, d.globalUpper); c.tightens(*bound) {
		*bound = c.value
	}
	return d.tighten(c) && d.globalLower[c.col] <= d.globalUpper[c.col]
}

// keepGlobally takes the bounds of the root for the whole tree.
func (d *domain) keepGlobally(cols []int32) {
	for _, j := range cols {
		d.globalLower[j] = math.Max(d.globalLower[j], d.lower[j])
		d.globalUpper[j] = math.Min(d.globalUpper[j], d.upper[j])
	}
}

// bounds returns the bounds of column j.
func (d *domain) bounds(j int32) (lower, upper float64) { return d.lower[j], d.upper[j] }

// clamp returns the value in the bounds of column j that is nearest to v.
func (d *domain) clamp(j int32, v float64) float64 {
	return math.Min(math.Max(v, d.lower[j]), d.upper[j])
}

// fixed reports whether column j has one value left.
func (d *domain) fixed(j int32) bool { return d.lower[j] >= d.upper[j] }

// equal reports whether columns i and j have one value left, the same.
func (d *domain) equal(i, j int32) bool {
	return d.lower[i] == d.upper[i] && d.lower[j] == d.upper[j] && d.lower[i] == d.lower[j]
}

// allFixed reports whether all those columns have one value left.
func (d *domain) allFixed(cols []int32) bool {
	return !slices.ContainsFunc(cols, func(j int32) bool { return !d.fixed(j) })
}
