package bnb

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/simplex"
)

// warmStart is a basis that stays valid while cut rows come and go: the statuses of columns, of model rows
// and of the cuts that were tight, in this order. All other cut rows are basic. The edge weights are those of the basic
// columns and model rows: with weights of 1 in their place the LPs of a node take about a sixth more iterations.
type warmStart struct {
	statuses statuses
	tight    []*cut
	weights  []packedWeight
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

// packedWeight is an edge weight in two bytes, from 2^-14 to 2^114, and wrong by a thousandth at most. Updates of
// weights cancel: with errors of an eighth, in one byte, nothing was left of the gain.
type packedWeight uint16

// Of a float64 the exponent and nine bits of the mantissa are packed, less those of 2^-14.
const (
	packedShift = 43
	packedLeast = (1023 - 14) << 9
)

// packWeight packs a positive weight, which is clamped.
func packWeight(w float64) packedWeight {
	step := int(math.Float64bits(w)>>packedShift) - packedLeast
	return packedWeight(min(max(step, 0), math.MaxUint16))
}

// weight is the middle of the weights that are packed alike.
func (p packedWeight) weight() float64 {
	const half = 1 << (packedShift - 1)
	return math.Float64frombits((uint64(p)+packedLeast)<<packedShift | half)
}

// save records the current basis.
func (r *relaxation) save() *warmStart {
	r.s.GetBasis(&r.basis)
	n := len(r.basis.Cols)
	m := r.p.rows
	cuts := r.basis.Rows[m:]

	// Only tight cuts are recorded, so that the warm start stays small while the LP has many cuts. The weights of the
	// others, which are basic, come last.
	tight := 0
	for _, st := range cuts {
		if st != simplex.Basic {
			tight++
		}
	}
	weights := r.basis.Weights[:len(r.basis.Weights)-(len(cuts)-tight)]
	w := &warmStart{
		statuses: newStatuses(n + m + tight),
		tight:    make([]*cut, 0, tight),
		weights:  make([]packedWeight, 0, len(weights)),
	}
	for _, weight := range weights {
		w.weights = append(w.weights, packWeight(weight))
	}
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
	// A cut that is slack there and now keeps the weight that it has now.
	slack := r.slackWeights()

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
	r.listWeights(w, slack)

	// A basis that the simplex refuses is replaced by the slack basis, which always exists.
	if err := r.s.SetBasis(b); err != nil {
		return r.slackBasis()
	}
	return nil
}

// listWeights gives the basis of a warm start its weights: those that are recorded, then those of the slack cuts.
func (r *relaxation) listWeights(w *warmStart, slack []float64) {
	b := &r.basis
	b.Weights = b.Weights[:0]
	for _, p := range w.weights {
		b.Weights = append(b.Weights, p.weight())
	}

	// Cuts that have come back to the LP for the warm start are tight, so that they have no weight.
	for k, weight := range slack {
		if b.Rows[r.p.rows+k] == simplex.Basic {
			b.Weights = append(b.Weights, weight)
		}
	}
}

// slackWeights returns the edge weights of the cut rows that are slack now, and 1 for each of the others.
func (r *relaxation) slackWeights() []float64 {
	r.s.GetBasis(&r.basis)
	cuts := r.basis.Rows[r.p.rows:]
	list := slices.Grow(r.cutWeights[:0], len(cuts))[:len(cuts)]

	// The rows of cuts come last, and so do their weights.
	next := len(r.basis.Weights)
	for k := len(cuts) - 1; k >= 0; k-- {
		list[k] = 1
		if cuts[k] == simplex.Basic {
			next--
			list[k] = r.basis.Weights[next]
		}
	}
	r.cutWeights = list
	return list
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
	b.Cols, b.Rows, b.Weights = b.Cols[:0], b.Rows[:0], b.Weights[:0]
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
