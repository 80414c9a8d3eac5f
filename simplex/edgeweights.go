package simplex

import (
	"slices"

	"github.com/proxybd/proxybd/internal/sparse"
)

const (
	minWeight = 1e-4  // no weight is smaller: updates may cancel, the true ones are squared norms
	maxWeight = 1e100 // an infinite one would exclude its row in chooseRow
	tauDrop   = 1e-9  // entries of tau below it are dropped; that is far below the error of a weight
)

// edgeWeights are the dual steepest edge weights, the squared norms of the rows of the basis inverse (Forrest and
// Goldfarb 1992). They are estimates, never invalid: a wrong one costs pivots.
type edgeWeights struct {
	at []float64 // by position
	of []float64 // by variable, while the positions change
}

// resize makes room for variables and rows.
func (w *edgeWeights) resize(variables, rows int) {
	w.at = make([]float64, rows)
	w.of = make([]float64, variables)
}

// reset makes the weights by variable 1.
func (w *edgeWeights) reset() { fill(w.of, 1) }

// resetPositions makes the weights by position 1.
func (w *edgeWeights) resetPositions() { fill(w.at, 1) }

// resetVariable makes the weight of v 1.
func (w *edgeWeights) resetVariable(v int32) { w.of[v] = 1 }

// store keeps the weights by variable for load: between the two the positions may change.
func (w *edgeWeights) store(head []int32) {
	for p, v := range head {
		w.of[v] = w.at[p]
	}
}

// load takes the weights by variable back.
func (w *edgeWeights) load(head []int32) {
	for p, v := range head {
		w.at[p] = w.of[v]
	}
}

// restore goes back to weights by position.
func (w *edgeWeights) restore(at []float64) { copy(w.at, at) }

// update follows a pivot on position r with the entering column and tau = B^-1 rho (Forrest and Goldfarb 1992): with
// alpha_p the entries of the column, w_p becomes w_p - 2 alpha_p/alpha_r tau_p + (alpha_p/alpha_r)^2 w_r.
func (w *edgeWeights) update(r int32, column, tau *sparse.Vector) {
	alpha := column.Value[r]
	wr := w.at[r] / (alpha * alpha)
	scale := -2 / alpha

	at := w.at

	// Only positions where the entering column has an entry change; the weight of r becomes that of q.
	for _, p := range column.Index[:column.N] {
		if p == r {
			continue
		}
		a := column.Value[p]
		at[p] = min(max(at[p]+a*(a*wr+scale*tau.Value[p]), minWeight), maxWeight)
	}
	at[r] = min(max(wr, minWeight), maxWeight)
}

// measure replaces the weight of position r by the true one, of the row rho of the inverse, and returns the old one.
func (w *edgeWeights) measure(r int32, rho *sparse.Vector) (old float64) {
	// The true weight is the squared norm of the row.
	sum := 0.0
	for _, i := range rho.Index[:rho.N] {
		sum += rho.Value[i] * rho.Value[i]
	}

	old = w.at[r]
	w.at[r] = sum
	return old
}

// addRow makes room for a row with a basic logical.
func (w *edgeWeights) addRow() {
	w.at = append(w.at, 1)
	w.of = append(w.of, 1)
}

// insert makes room for the new variable v.
func (w *edgeWeights) insert(v int) { w.of = slices.Insert(w.of, v, 1) }

// deleteVariables removes the variables with drop.
func (w *edgeWeights) deleteVariables(drop []bool) { w.of = keep(w.of, drop) }

// deletePositions removes the positions with drop.
func (w *edgeWeights) deletePositions(drop []bool) { w.at = keep(w.at, drop) }

// truncate leaves the first m positions.
func (w *edgeWeights) truncate(m int) { w.at = w.at[:m] }

// list appends the weights of the basic variables of b, in their order.
func (w *edgeWeights) list(dst []float64, b *basis) []float64 {
	for v, st := range b.status {
		if st != Basic {
			continue
		}

		// Without positions the weights wait by variable for the next factorisation.
		weight := w.of[v]
		if b.ok {
			weight = w.at[b.where[v]]
		}

		// An overflow leaves NaN, which SetBasis would refuse.
		if !(weight > 0) {
			weight = 1
		}
		dst = append(dst, weight)
	}
	return dst
}

// take gives the basic variables of the statuses the weights of a list that is in their order. Those behind its end get
// 1: all of them without a list, since weights that the variables had in other bases mislead more than none.
func (w *edgeWeights) take(list []float64, status []VarStatus) {
	w.reset()
	k := 0
	for v, st := range status {
		if k == len(list) {
			return
		}
		if st == Basic {
			w.of[v] = min(max(list[k], minWeight), maxWeight)
			k++
		}
	}
}
