package bnb

import "github.com/proxybd/proxybd/simplex"

// warmStart is a basis that survives the coming and going of cut rows: the statuses of columns and
// model rows, and the cuts that were tight. All other cut rows are basic.
type warmStart struct {
	cols, rows []simplex.VarStatus
	tight      []*cut
	side       []simplex.VarStatus
}

// save records the current basis.
func (r *relaxation) save() *warmStart {
	r.s.GetBasis(&r.basis)
	tight, n, m := 0, len(r.basis.Cols), r.p.rows
	for _, st := range r.basis.Rows[m:] {
		if st != simplex.Basic {
			tight++
		}
	}
	all := make([]simplex.VarStatus, n+m+tight) // one allocation for the three: a node of a small LP is made of them
	w := &warmStart{cols: all[:n], rows: all[n : n+m], side: all[n+m:], tight: make([]*cut, 0, tight)}
	copy(w.cols, r.basis.Cols)
	copy(w.rows, r.basis.Rows)
	for k, st := range r.basis.Rows[m:] {
		if st != simplex.Basic {
			w.side[len(w.tight)] = st
			w.tight = append(w.tight, r.cuts[k])
		}
	}
	return w
}

// restore makes a recorded basis the current one. Cuts that were tight there and have left the LP
// come back, so the basis fits exactly.
func (r *relaxation) restore(w *warmStart) error {
	for _, c := range w.tight {
		if c = r.mine(c); c.row < 0 {
			r.add(c)
		}
	}
	b := &r.basis
	b.Cols = append(b.Cols[:0], w.cols...)
	b.Rows = append(b.Rows[:0], w.rows...)
	for range r.cuts {
		b.Rows = append(b.Rows, simplex.Basic)
	}
	for k, c := range w.tight {
		b.Rows[r.p.rows+r.mine(c).row] = w.side[k]
	}
	if err := r.s.SetBasis(b); err != nil {
		return r.slackBasis()
	}
	return nil
}

// mine is the cut of this search for one of a basis, which another may have recorded.
func (r *relaxation) mine(c *cut) *cut {
	if r.pool == nil {
		return c
	}
	return r.pool.cuts[c.id]
}

// slackBasis makes all logicals basic and puts every column at a bound.
func (r *relaxation) slackBasis() error {
	b := &r.basis
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
	switch {
	case hasLower && (cost >= 0 || !hasUpper):
		return simplex.AtLower
	case hasUpper:
		return simplex.AtUpper
	}
	return simplex.AtZero
}
