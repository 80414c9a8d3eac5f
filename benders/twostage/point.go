package twostage

// Point fills x, which has the columns of Compact, with a design and the optimal recourse that the last Recourse found
// for it; see Exact.Recourse.
func (e *Exact) Point(y, x []float64) {
	// The design comes first in Compact; each component fills the values of its own columns.
	clear(x)
	copy(x, y)
	for _, q := range e.pieces {
		values := q.recourse.solver.x()
		for k, j := range q.c.cols {
			x[j] = values[k]
		}
	}
}

// Point fills x, which has the columns of the skeleton, with a design and the optimal recourse of the scenario that the
// last Value found for it.
func (v *View) Point(y, x []float64) { v.e.Point(y, x) }
