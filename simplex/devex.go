package simplex

// devex are the reference weights of the primal loop, by variable (Harris 1973).
type devex struct{ weight []float64 }

// maxDevex is the weight from which on the reference framework starts anew: the weights have then grown so far that
// they say little about the columns of the present basis.
const maxDevex = 1e8

// reset starts a reference framework of n variables.
func (w *devex) reset(n int) {
	w.weight = resize(w.weight, n)
	fill(w.weight, 1)
}

// update follows a pivot alpha in the column of q and the row of v, which leaves.
func (w *devex) update(row *pivotRow, q, v int32, alpha float64) {
	// The weight of q, scaled by the pivot, is a lower limit of the new weights of the others.
	wq := w.weight[q]
	largest := 0.0
	for k, j := range row.index {
		ratio := row.value[k] / alpha
		x := max(w.weight[j], ratio*ratio*wq)
		w.weight[j] = x
		largest = max(largest, x)
	}
	w.weight[v] = max(wq/(alpha*alpha), 1)

	// All weights return to 1, and the present nonbasic variables become the framework.
	if largest > maxDevex {
		w.reset(len(w.weight))
	}
}
