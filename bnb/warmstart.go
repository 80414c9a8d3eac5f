package bnb

import "github.com/proxybd/proxybd/simplex"

// warmStart is a basis that stays valid while cut rows come and go: the statuses of columns, of model rows
// and of the cuts that were tight, in this order. All other cut rows are basic.
type warmStart struct {
	statuses statuses
	tight    []*cut
}

// statuses are statuses of variables, four in a byte: they are most of the memory of an open tree of a large model.
type statuses []uint8

// newStatuses has room for n statuses, all 0.
func newStatuses(n int) statuses { return make(statuses, (n+3)/4) }

// write puts a list at a place where the statuses are 0.
func (p statuses) write(at int, list []simplex.VarStatus) {
	// Each status takes two bits of its byte.
	for k, st := range list {
		p[(at+k)/4] |= uint8(st) << (2 * ((at + k) % 4))
	}
}

// read appends the n statuses at a place to a list.
func (p statuses) read(list []simplex.VarStatus, at, n int) []simplex.VarStatus {
	for k := at; k < at+n; k++ {
		list = append(list, simplex.VarStatus(p[k/4]>>(2*(k%4))&3))
	}
	return list
}

// save records the current basis.
func (r *relaxation) save() *warmStart {
	r.s.GetBasis(&r.basis)
	n := len(r.basis.Cols)
	m := r.p.rows
	cuts := r.basis.Rows[m:]

	// Only tight cuts are recorded, so that the warm start stays small while the LP has many cuts.
	tight := 0
	for _, st := range cuts {
		if st != simplex.Basic {
			tight++
		}
	}
	w := &warmStart{statuses: newStatuses(n + m + tight), tight: make([]*cut, 0, tight)}
	w.statuses.write(0, r.basis.Cols)
	w.statuses.write(n, r.basis.Rows[:m])
	for k := range cuts {
		if cuts[k] != simplex.Basic {
			w.statuses.write(n+m+len(w.tight), cuts[k:k+1])
			w.tight = append(w.tight, r.cuts[k])
		}
	}
	return w
}

// restore makes a recorded basis the current one. Cuts that were tight there and have left the LP
// come back, so the basis fits exactly.
func (r *relaxation) restore(w *warmStart) error {
	// The cuts are those of this search, which may be a worker with copies of its own.
	for _, c := range w.tight {
		if c = r.own(c); c.row < 0 {
			r.add(c)
		}
	}
	b := &r.basis
	n := r.p.n
	m := r.p.rows
	b.Cols = w.statuses.read(b.Cols[:0], 0, n)
	b.Rows = w.statuses.read(b.Rows[:0], n, m)

	// Rows of cuts that were not tight are basic.
	for range r.cuts {
		b.Rows = append(b.Rows, simplex.Basic)
	}
	for k, c := range w.tight {
		row := m + r.own(c).row
		w.statuses.read(b.Rows[row:row], n+m+k, 1)
	}

	// A basis that the simplex refuses is replaced by the slack basis, which always exists.
	if err := r.s.SetBasis(b); err != nil {
		return r.slackBasis()
	}
	return nil
}

// own is the cut of this search for a cut of a basis that another search may have recorded.
func (r *relaxation) own(c *cut) *cut {
	if r.pool == nil {
		return c
	}
	return r.pool.cuts[c.id]
}

// slackBasis makes all logicals basic and puts every column at a bound.
func (r *relaxation) slackBasis() error {
	b := &r.basis

	// A column without cost is at any bound that it has.
	b.Cols, b.Rows = b.Cols[:0], b.Rows[:0]
	for j := range r.p.n {
		b.Cols = append(b.Cols, nonbasicStatus(r.lower[j], r.upper[j], r.p.cost[j]))
	}
	for range r.p.rows + len(r.cuts) {
		b.Rows = append(b.Rows, simplex.Basic)
	}
	return r.s.SetBasis(b)
}

// nonbasicStatus picks the bound at which a nonbasic column is dual feasible, if it exists.
func nonbasicStatus(lower, upper, cost float64) simplex.VarStatus {
	hasLower, hasUpper := lower > -inf, upper < inf

	// A cost of at least zero makes the lower bound dual feasible, a negative one the upper bound.
	switch {
	case hasLower && (cost >= 0 || !hasUpper):
		return simplex.AtLower
	case hasUpper:
		return simplex.AtUpper
	}
	return simplex.AtZero
}
