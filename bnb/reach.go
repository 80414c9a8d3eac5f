package bnb

import (
	"cmp"
	"math"
	"slices"
)

// rowReaches are the entries of the rows, those that can move their row most first. They show without adding up a row
// that none of its columns can be tightened.
type rowReaches struct {
	p     *problem
	terms [][]reachTerm // by row
}

// reachTerm is an entry of a row and the most that its column can change the row, at the root.
type reachTerm struct {
	col   int32
	size  float64 // |coefficient|
	reach float64
}

// newRowReaches sorts the entries of each row by their reach, the largest first.
func newRowReaches(p *problem) rowReaches {
	r := rowReaches{p: p, terms: make([][]reachTerm, p.rows)}
	for i := range p.rows {
		index, value := p.byRow.Vec(i)
		// The reach is that of the root: it only shrinks in the tree.
		terms := make([]reachTerm, len(index))
		for k, j := range index {
			size := math.Abs(value[k])
			terms[k] = reachTerm{j, size, size * (p.upper[j] - p.lower[j])}
		}
		slices.SortStableFunc(terms, func(a, b reachTerm) int { return cmp.Compare(b.reach, a.reach) })
		r.terms[i] = terms
	}
	return r
}

// mayTighten reports whether row i may fail or tighten a bound. It uses the running activities, with a margin for the
// rounding errors in them.
func (r *rowReaches) mayTighten(d *domain, i int) bool {
	a := d.acts

	// With infinite terms only adding the row up shows what follows.
	if a.minInf[i] > 0 || a.maxInf[i] > 0 {
		return true
	}
	slack := math.Min(r.p.rowUpper[i]-a.min[i], a.max[i]-r.p.rowLower[i])
	slack -= reachMargin * (math.Abs(a.min[i]) + math.Abs(a.max[i]) + a.reach[i])

	// The comparison is written such that NaN leads to the exact propagation.
	if !(slack >= 0) {
		return true
	}

	// The terms are sorted: once the reach at the root is within the slack, no other term can bind.
	for k := range r.terms[i] {
		t := &r.terms[i][k]
		if t.reach <= slack {
			return false
		}
		if t.size*(d.upper[t.col]-d.lower[t.col]) > slack {
			return true
		}
	}
	return false
}
