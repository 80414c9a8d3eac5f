package interior

import (
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
	"github.com/proxybd/proxybd/simplex/presolve"
)

// point returns the current iterate as a solution of the model, in the signs of package simplex. The
// statuses are Basic for the variables whose distance from their bounds is larger than the price of these: there may be
// more of them than rows, or fewer.
func (w *method) point() *simplex.Solution {
	it := w.it
	m := w.model
	sol := &simplex.Solution{
		Result: simplex.Result{
			Status:     lp.Optimal,
			Primal:     lp.FeasiblePoint,
			Dual:       lp.FeasiblePoint,
			Iterations: w.iterations,
		},
		X:       make([]float64, len(m.Cols)),
		RowDual: make([]float64, len(m.Rows)),
		Basis: simplex.Basis{
			Cols: make([]simplex.VarStatus, len(m.Cols)),
			Rows: make([]simplex.VarStatus, len(m.Rows)),
		},
	}

	// Columns that are not in the form are fixed, and rows that are not have no side.
	for j := range m.Cols {
		sol.X[j] = m.Cols[j].Lower
	}
	for i, r := range m.Rows {
		if isInf(r.Lower) && isInf(r.Upper) {
			sol.Basis.Rows[i] = simplex.Basic
		}
	}

	for j, from := range w.from {
		if from < 0 {
			continue
		}
		sol.X[from] = w.shift[j] + w.unit[j]*(w.size*it.x[j]/it.tau)
		sol.Basis.Cols[from] = w.status(j, w.unit[j] < 0)
	}
	for j, from := range w.from {
		if from < 0 {
			row := -1 - from
			sol.Basis.Rows[row] = w.status(j, isInf(m.Rows[row].Lower))
		}
	}
	for i, row := range w.rowFrom {
		sol.RowDual[row] = w.sense * w.price * it.y[i] / it.tau * w.rowUnit[i]
	}
	complete(m, sol)
	return sol
}

// status returns whether column j of the form is between its bounds, and at which bound it is otherwise.
func (w *method) status(j int, mirrored bool) simplex.VarStatus {
	it := w.it
	atUpper := w.boxed(j) && it.w[j] < it.v[j]
	atLower := !w.free[j] && it.x[j] < it.z[j]
	switch {
	case !atUpper && !atLower:
		return simplex.Basic
	case atUpper != mirrored:
		return simplex.AtUpper
	}
	return simplex.AtLower
}

// complete computes the activities, the reduced costs and the objective from X and RowDual, by their definitions.
func complete(m *lp.Model, sol *simplex.Solution) {
	a, err := m.Matrix()
	if err != nil {
		return // the form was made of this matrix
	}
	sol.RowActivity = make([]float64, len(m.Rows))
	sol.ReducedCost = make([]float64, len(m.Cols))
	for j := range m.Cols {
		d := m.Cols[j].Cost
		index, value := a.Vec(j)
		for k, i := range index {
			d -= value[k] * sol.RowDual[i]
			sol.RowActivity[i] += value[k] * sol.X[j]
		}
		sol.ReducedCost[j] = d
	}
	sol.Objective = m.Evaluate(sol.X)
	sol.Bound = sol.Objective
}

// lift takes a solution of what presolve has left back to the given model.
func lift(p *presolve.Reduced, m *lp.Model, sol *simplex.Solution) *simplex.Solution {
	post := p.Postsolve(presolve.Solution{
		X:           sol.X,
		RowActivity: sol.RowActivity,
		RowDual:     sol.RowDual,
		ReducedCost: sol.ReducedCost,
		Cols:        convert[presolve.Status](sol.Basis.Cols),
		Rows:        convert[presolve.Status](sol.Basis.Rows),
	})
	out := &simplex.Solution{
		Result:  sol.Result,
		X:       post.X,
		RowDual: post.RowDual,
		Basis: simplex.Basis{
			Cols: convert[simplex.VarStatus](post.Cols),
			Rows: convert[simplex.VarStatus](post.Rows),
		},
	}
	complete(m, out)
	return out
}

// convert turns statuses of the one package into those of the other, which have the same numbers.
func convert[T, F ~uint8](from []F) []T {
	to := make([]T, len(from))
	for k, v := range from {
		to[k] = T(v)
	}
	return to
}
