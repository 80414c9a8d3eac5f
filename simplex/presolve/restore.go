package presolve

import (
	"slices"

	"github.com/proxybd/proxybd/internal/program"
	"github.com/proxybd/proxybd/lp"
)

// result builds the reduced model from the remaining rows and columns.
func (p *problem) result(m *lp.Model) *Reduced {
	r := &Reduced{Status: p.status, given: m, stack: p.stack}

	// Without a model to solve there is nothing to build.
	if p.status != Reduction {
		return r
	}
	if float64(p.Removed) < p.opt.MinGain*float64(len(m.Rows)+len(m.Cols)) {
		return &Reduced{Status: Unchanged, Model: m, given: m, rows: upTo(len(m.Rows)), cols: upTo(len(m.Cols))}
	}

	sense := program.Sense(m)
	q := &lp.Model{Name: m.Name, Objective: m.Objective, Maximize: m.Maximize, Offset: sense * p.Offset}

	// The rows come first, without entries; the columns bring these.
	rows, cols := left(p.GoneRow), left(p.GoneCol)
	r.rows = make([]int32, 0, rows)
	q.Rows = make([]lp.Row, 0, rows)
	rowAt := make([]int32, len(m.Rows))
	for i := range m.Rows {
		if !p.GoneRow[i] {
			rowAt[i] = int32(q.AddRow(lp.Row{Name: m.Rows[i].Name, Lower: p.RowLo[i], Upper: p.RowUp[i]}, nil, nil))
			r.rows = append(r.rows, int32(i))
		}
	}

	// Entries are in the columns of the current stage.
	r.cols = make([]int32, 0, cols)
	q.Cols = make([]lp.Col, 0, cols)
	q.Grow(p.A.NNZ)
	for j := range m.Cols {
		if p.GoneCol[j] {
			continue
		}
		at := q.AddCol(lp.Col{Name: m.Cols[j].Name, Cost: sense * p.Cost[j], Lower: p.Lo[j], Upper: p.Up[j]})
		r.cols = append(r.cols, int32(j))
		for e := range p.A.Col(int32(j)) {
			q.AddEntry(lp.Con(rowAt[e.Row]), at, e.Val)
		}
	}

	r.Model = q
	if len(r.rows) == 0 && len(r.cols) == 0 {
		r.Status = Solved
	}
	return r
}

// left returns how many rows or columns are not gone.
func left(gone []bool) int {
	n := 0
	for _, isGone := range gone {
		if !isGone {
			n++
		}
	}
	return n
}

// upTo returns 0, ..., n-1.
func upTo(n int) []int32 {
	s := make([]int32, n)
	for k := range s {
		s[k] = int32(k)
	}
	return s
}

// Postsolve turns an optimal basic solution of the reduced model into one of the model given to Run. It may be called
// any number of times. The vectors of sol must have the lengths of the reduced model.
func (r *Reduced) Postsolve(sol Solution) Solution {
	m := r.given
	sense := program.Sense(m)
	s := restore{
		stack: &r.stack,
		x:     make([]float64, len(m.Cols)),
		d:     make([]float64, len(m.Cols)),
		col:   make([]Status, len(m.Cols)),
		y:     make([]float64, len(m.Rows)),
		row:   make([]Status, len(m.Rows)),
	}

	// Inside the package every problem is a minimisation.
	for k, j := range r.cols {
		s.place(j, sol.X[k], sol.Cols[k])
		s.d[j] = sense * sol.ReducedCost[k]
	}
	for k, i := range r.rows {
		s.y[i] = sense * sol.RowDual[k]
		s.row[i] = sol.Rows[k]
	}

	// The last reduction is undone first.
	for _, r := range slices.Backward(r.stack.records) {
		r.undo(&s)
	}

	for i := range s.y {
		s.y[i] = sense*s.y[i] + 0 // no negative zeros
	}
	out := Solution{
		X:           s.x,
		RowActivity: make([]float64, len(m.Rows)),
		RowDual:     s.y,
		ReducedCost: s.d,
		Cols:        s.col,
		Rows:        s.row,
	}
	r.recompute(&out)
	return out
}

// recompute computes activities and reduced costs from their definitions on the given model.
func (r *Reduced) recompute(out *Solution) {
	a, err := r.given.Matrix()
	if err != nil {
		panic("presolve: the model given to Run has been changed: " + err.Error())
	}

	// d = c - A'y; the reduced cost of a basic column is exactly zero.
	for j := range r.given.Cols {
		d := r.given.Cols[j].Cost
		x := out.X[j]
		index, value := a.Vec(j)
		for k, i := range index {
			d -= value[k] * out.RowDual[i]
			out.RowActivity[i] += value[k] * x
		}

		if out.Cols[j] == Basic {
			d = 0
		}
		out.ReducedCost[j] = d
	}
}
