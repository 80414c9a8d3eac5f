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
	at   []float64 // by position
	of   []float64 // by variable, while the positions change
	kept keptWeights
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

// keptBases is the number of bases whose edge weights are kept. With one of them stein27 took 5.49 pivots a node, with
// eight it takes 5.19.
const keptBases = 8

// keptWeights are the edge weights of the bases that GetBasis returned last, for a SetBasis to one of them, as of a
// tree that comes back to an open node.
type keptWeights struct {
	slot [keptBases]basisWeights
	next int // slot that the next new basis takes
}

// basisWeights are the edge weights of one basis.
type basisWeights struct {
	numbering int       // of the matrix at that time
	weight    []float64 // by variable, 0 where nonbasic; rows added since are missing at the end
}

// saveBasis stores the weights of the present basis in place of the oldest, or of the same basis.
func (w *edgeWeights) saveBasis(b *basis, numbering int) {
	// Without positions the weights belong to no basis.
	if !b.ok {
		return
	}
	k := w.kept.find(b.status, numbering)
	if k == nil {
		k = &w.kept.slot[w.kept.next]
		w.kept.next = (w.kept.next + 1) % keptBases
	}

	k.numbering = numbering
	k.weight = zeroed(k.weight, len(b.status))
	for p, v := range b.head {
		k.weight[v] = w.at[p]
	}
}

// loadBasis takes the weights by variable if the basic variables of the present statuses are those of a basis that
// has been kept. Otherwise all weights become 1: those that the variables had in other bases mislead more than no
// weights.
func (w *edgeWeights) loadBasis(b *basis, numbering int) {
	// All weights are 1, unless those of the basis were kept.
	w.reset()
	k := w.kept.find(b.status, numbering)
	if k == nil {
		return
	}

	for v, x := range k.weight {
		if x > 0 {
			w.of[v] = x
		}
	}
}

// find returns the weights of the basis with the present statuses, nil if they are not kept.
func (g *keptWeights) find(status []VarStatus, numbering int) *basisWeights {
	for k := range g.slot {
		if w := &g.slot[k]; w.numbering == numbering && len(w.weight) > 0 && w.fits(status) {
			return w
		}
	}
	return nil
}

// fits reports whether the basic variables are those of the statuses; rows added since must be basic.
func (w *basisWeights) fits(status []VarStatus) bool {
	known := len(w.weight)
	if known > len(status) {
		return false
	}

	for v, x := range w.weight {
		if (status[v] == Basic) != (x > 0) {
			return false
		}
	}
	return !slices.ContainsFunc(status[known:], func(st VarStatus) bool { return st != Basic })
}
