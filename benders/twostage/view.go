package twostage

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/simplex"
)

// View is the recourse of one scenario of a program at a time: the skeleton with the scenario's differences, which also
// its linear program gets as differences, so that it stays warm. Costs, cuts and values are those of the scenario, not
// weighted by its probability. It is for one goroutine.
type View struct {
	s  *Scenarios
	p  *Problem // its own numbers
	e  *Exact
	at int // scenario, -1 for the skeleton

	// The changes of the scenario, a buffer for those of the next one, and scratch.
	shown   []stoch.Change
	entries []int32
	buffers [2]changeList
	stale   changeList

	predicted []int32  // see Predicted; nil until it is needed
	closing   []single // columns with rows of their own, whose multipliers are not predicted

	// Scratch over the recourse rows, and over the recourse columns.
	activity, full, middle []float64
	low, high              []float64

	point   []float64 // at which taken is, and if bounded low, high and the rows of closing
	taken   []float64 // activity of the first stage in the predicted rows
	bounded bool      // low and high are those of the scenario at point
}

// View returns a view, which shows the skeleton.
func (s *Scenarios) View() (*View, error) {
	// Costs, sides and bounds are a copy of the view's own; so are the coefficients, if some of them are random.
	p := *s.base
	p.Compact = s.base.Compact.Clone()
	if s.span.random.Links || s.span.random.Matrix {
		p.parts = []component{s.base.parts[0].own()}
	}
	e, err := NewExact(&p, DefaultExactOptions())
	if err != nil {
		return nil, err
	}

	// There are many scenarios: if another one has a deeper cut, the next point is cut off by that. Where a first-stage
	// column lacks a bound, a series of shallow cuts may lead the master far out.
	e.quick = true
	for j := range p.First {
		c := &p.Compact.Cols[j]
		e.quick = e.quick && !math.IsInf(c.Lower, -1) && !math.IsInf(c.Upper, 1)
	}
	return &View{s: s, p: &p, e: e, at: -1, activity: make([]float64, len(p.parts[0].rows))}, nil
}

// own returns the component with coefficients that may be changed.
func (c *component) own() component {
	// The positions of the coefficients are the same in all scenarios, and stay shared.
	q := *c
	for _, list := range []*[]segment{&q.at, &q.recourse, &q.columns, &q.first} {
		copied := make([]segment, len(*list))
		for k, s := range *list {
			copied[k] = segment{index: s.index, value: append([]float64(nil), s.value...)}
		}
		*list = copied
	}
	return q
}

// Scenario returns the scenario that the view shows, -1 for the skeleton.
func (v *View) Scenario() int { return v.at }

// Set shows a scenario.
func (v *View) Set(s int) error {
	if s == v.at {
		return nil
	}

	// The numbers of the skeleton come back before those of the scenario take their places.
	changes, entries := v.s.changes(s, &v.buffers[1])
	old, oldEntries := v.dropped()
	matrix := v.show(old, oldEntries, true)
	matrix = v.show(changes, entries, false) || matrix

	// The sides, costs and bounds that differ go to the linear programs: those of both scenarios, since a number of the
	// last one may be that of the skeleton again.
	v.passAll(old)
	v.passAll(changes)
	v.shown, v.entries = changes, entries
	v.buffers[0], v.buffers[1] = v.buffers[1], v.buffers[0]

	// The result and the proof of the last scenario do not hold for this one; the interior point of the dual stays where
	// no scenario changes the dual.
	v.at, v.bounded = s, false
	q := v.e.pieces[0]
	q.recourse.solved, q.proof = false, nil
	if !v.s.span.random.FixedDual() {
		q.certify.inner = [2]*interior{}
	}

	// The program for Farkas certificates has no row for a side that is infinite in the scenario it was made for.
	if v.s.span.random.Infinite {
		q.relaxed = nil
	}
	if matrix {
		return v.rebuild()
	}
	return nil
}

// dropped returns the changes of the scenario that the view shows, and the spots of the coefficients among them, but
// for those in places which the scenario of the second buffer changes too, where these are known by position.
func (v *View) dropped() ([]stoch.Change, []int32) {
	if v.s.compact == nil || v.at < 0 {
		return v.shown, v.entries
	}
	out := &v.stale
	out.list = out.list[:0]
	out.entries = out.entries[:0]
	next := v.buffers[1].at
	for k, at := range v.buffers[0].at {
		for len(next) > 0 && next[0] < at {
			next = next[1:]
		}
		if len(next) > 0 && next[0] == at {
			continue
		}
		out.list = append(out.list, v.shown[k])
		if e := v.s.entry[at]; e >= 0 {
			out.entries = append(out.entries, e)
		}
	}
	return out.list, out.entries
}

// show puts the numbers of a scenario in their places, or back those of the skeleton, and reports whether there are
// coefficients of recourse columns among them.
func (v *View) show(changes []stoch.Change, entries []int32, back bool) (matrix bool) {
	for _, c := range changes {
		if c.Kind == stoch.Entry {
			s := &v.s.spots[entries[0]]
			entries = entries[1:]
			v.p.parts[0].put(s, pick(back, s.base, c.Value))
			matrix = matrix || !s.first
			continue
		}
		v.change(c, back)
	}
	return matrix
}

// put sets a coefficient in the matrix by rows and in that by columns.
func (c *component) put(s *spot, value float64) {
	rows, cols := c.recourse, c.columns
	if s.first {
		rows, cols = c.at, c.first
	}
	rows[s.row].value[s.inRow], cols[s.col].value[s.inCol] = value, value
}

// change puts a number that is no coefficient in its place, or back that of the skeleton. Costs are negated where the
// program was a maximisation.
func (v *View) change(c stoch.Change, back bool) {
	value := pick(c.Kind == stoch.Cost && v.p.Maximize, -c.Value, c.Value)
	*number(v.p.Compact, c) = pick(back, *number(v.s.base.Compact, c), value)
}

// passAll gives the linear programs the numbers that the view now has in the places of a scenario's changes.
func (v *View) passAll(changes []stoch.Change) {
	for _, c := range changes {
		v.pass(c)
	}
}

// pass gives the linear programs the number that the view now has in the place of a change. Rows with first-stage
// columns get theirs when they are solved, since their sides depend on the point.
func (v *View) pass(c stoch.Change) {
	// A relaxation measures infeasibility and has no costs; it exists only after an infeasible point.
	q := v.e.pieces[0]
	switch c.Kind {
	case stoch.Cost:
		q.recourse.solver.setCost(lp.Var(int(c.Col)-v.p.First), v.p.Compact.Cols[c.Col].Cost)
	case stoch.ColLower, stoch.ColUpper:
		col := &v.p.Compact.Cols[c.Col]
		q.recourse.setBounds(int(c.Col) - v.p.First)
		if q.relaxed != nil {
			q.relaxed.solver.setCol(lp.Var(int(c.Col)-v.p.First), col.Lower, col.Upper)
		}
	case stoch.RowLower, stoch.RowUpper:
		k := int(v.s.local[c.Row])
		if len(q.c.at[k].index) > 0 {
			return
		}
		row := &v.p.Compact.Rows[c.Row]
		q.recourse.setSide(k)
		if q.relaxed != nil {
			q.relaxed.solver.setRow(q.relaxed.lowers[k], row.Lower, row.Upper)
		}
	}
}

// rebuild makes the linear programs anew, since a solver's coefficients cannot change; the basis is kept.
func (v *View) rebuild() error {
	q := v.e.pieces[0]
	r, err := newRecourse(v.p, q.c)
	if err != nil {
		return err
	}

	// The relaxation is made anew when a point is infeasible.
	if err := r.follow(q.recourse); err != nil {
		return err
	}
	q.recourse, q.relaxed = r, nil
	return nil
}

// manyRows is the number of rows from which on a recourse begins at the basis of another scenario: the optimum of a
// smaller one is as near from the slack basis, whose dual edge weights are exact. From this number of rows on it
// also pays to make a program smaller before it is solved.
const manyRows = 1500

// Follow makes a view that has not been solved yet begin at the basis where another one ended, if it is large.
func (v *View) Follow(other *View) error {
	if !v.Follows() || !other.Begun() {
		return nil
	}
	return v.e.pieces[0].recourse.follow(other.e.pieces[0].recourse)
}

// follow makes the next solve begin at the basis of another program, where that has the same rows.
func (r *recourse) follow(other *recourse) error {
	s, t := r.singles, other.singles
	if len(s.kept) != len(t.kept) || len(s.cols) != len(t.cols) {
		return nil
	}

	// A basis is one status for each variable; the new solver factorises it with its own coefficients.
	if err := r.solver.solver.SetBasis(other.statuses()); err != nil {
		return prefixed(err)
	}
	r.begun = other.begun
	return nil
}

// Separate returns the separation of the scenario at y by an exact separator: an optimality cut, or a feasibility cut.
func (v *View) Separate(ctx context.Context, y []float64) (benders.Separation, error) {
	return v.e.Separate(ctx, benders.Point{Y: y})
}

// Value returns the cost of the scenario's recourse at y, and false if it has none.
func (v *View) Value(ctx context.Context, y []float64) (cost float64, feasible bool, err error) {
	var q [1]float64
	feasible, err = v.e.Recourse(ctx, y, q[:])
	return q[0], feasible, err
}

// Lowest returns a proven lower bound on the scenario's recourse cost over the bounds of the first stage, -Inf if none
// is found. like is the certificate that gave a bound for a scenario before, nil for none; that of this one is
// returned.
func (v *View) Lowest(ctx context.Context, like *Certificate) (low float64, by *Certificate, err error) {
	// The certificate of another scenario gives a bound without a linear program.
	if like != nil {
		if cut, err := v.Again(like); err == nil {
			if low := v.p.minOverBounds(&cut); !math.IsInf(low, 0) {
				return low, like, nil
			}
		}
	}
	cut, err := v.e.lowest(ctx, 0)
	if err != nil || cut.Certificate == nil {
		return math.Inf(-1), nil, err
	}
	return cut.Alpha, cut.Certificate.(*Certificate), nil
}

// Again returns the cut of another scenario's certificate: as it is where the dual-feasible set is the same.
func (v *View) Again(c *Certificate) (benders.Cut, error) {
	if v.s.span.random.FixedDual() {
		return v.p.cut(c.kind, 0, c.parts)
	}
	return v.Certify(c.kind, c.Vector())
}

// Certify returns the cut of multipliers of the recourse rows, in their order, made dual feasible for the scenario. The
// error wraps ErrCertificate where that fails.
func (v *View) Certify(kind benders.Kind, lambda []float64) (benders.Cut, error) {
	own := slices.Clone(lambda) // certify changes it
	if kind == benders.Feasibility {
		return v.e.pieces[0].certify.feasibilityCut(own)
	}
	one, err := v.e.pieces[0].certify.certify(kind, own)
	if err != nil {
		return benders.Cut{}, err
	}
	return v.p.cut(kind, 0, []part{one})
}

// Begin makes the next linear program of the scenario begin at a basis that Basis returned, of this view or of another
// one of the same program.
func (v *View) Begin(b *simplex.Basis) error {
	r := v.e.pieces[0].recourse
	if err := r.solver.solver.SetBasis(b); err != nil {
		return prefixed(err)
	}
	r.begun, r.solved = true, false
	return nil
}

// Basis returns the basis with which the last linear program ended.
func (v *View) Basis() *simplex.Basis { return v.e.pieces[0].recourse.statuses() }

// statuses returns the basis of the recourse without its edge weights: they take eight bytes a row, and belong to one
// solver, while every process must start in the same way.
func (r *recourse) statuses() *simplex.Basis {
	var b simplex.Basis
	r.solver.solver.GetBasis(&b)
	b.Weights = nil
	return &b
}

// Pivots returns how many iterations the last linear program took.
func (v *View) Pivots() int { return v.e.pieces[0].recourse.result.Iterations }
