package presolve

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/program"
	"github.com/proxybd/proxybd/lp"
)

// Counts are the numbers of reductions, by kind.
type Counts struct {
	Fixed           int // columns, including those of the next three fields
	DualFixed       int
	Dominated       int
	Merged          int // parallel columns
	Aggregated      int // columns that an equation eliminated
	Removed         int // columns that a row or an equation determines, including the aggregated ones
	Tightened       int // bounds
	Coefficients    int
	Sides           int // of rows, by their common divisor
	ParallelRows    int
	ImpliedIntegers int
	Residues        int // columns that equations modulo a prime fix, narrow or relate
	States          int // columns that are no longer carried from one equation to the next
	Probes          int // binary columns probed
	ProbeFixed      int
	ProbeBounds     int // bounds that hold for both values of a binary column
	ProbeMerged     int // columns that equal a binary column or its complement
}

// Reduced is a reduced model with the records to restore points.
type Reduced struct {
	Status lp.Status // Infeasible, or NotSolved: solve Model
	Model  *lp.Model // nil if infeasible; the given one if nothing was found
	Cols   []int32   // of the given model, by column of the reduced one
	Facts  Facts     // in columns of the reduced model
	Counts Counts
	Work   int // entries of the matrix touched

	n     int // columns of the given model
	stack []record
}

// Restore returns the point of the given model that corresponds to x, a point of the reduced one.
func (r *Reduced) Restore(x []float64) []float64 {
	// The columns of the reduced model have the values of x, the records give those of the others.
	out := make([]float64, r.n)
	for k, j := range r.Cols {
		out[j] = x[k]
	}

	for _, rec := range slices.Backward(r.stack) {
		rec.undo(out)
	}
	return out
}

// Project returns the point of the reduced model that is nearest to a point x of the given one. It need not be feasible
// if x is: a reduction may have preferred another point that is as good.
func (r *Reduced) Project(x []float64) []float64 {
	// The records are applied in the order of the reductions, so that merged columns get their sums.
	full := append([]float64(nil), x...)
	for _, rec := range r.stack {
		rec.forward(full)
	}

	// A point outside the tighter bounds is moved onto them.
	out := make([]float64, len(r.Cols))
	for k, j := range r.Cols {
		c := &r.Model.Cols[k]
		out[k] = math.Min(math.Max(full[j], c.Lower), c.Upper)
	}
	return out
}

// result builds the reduced model.
func (p *problem) result(given *lp.Model) *Reduced {
	r := &Reduced{Counts: p.count, Work: p.Work + p.probed, n: len(given.Cols)}

	// An infeasible model has no reduced one.
	if p.infeasible {
		r.Status = lp.Infeasible
		return r
	}

	// Where nothing was found the result is the given model itself.
	if p.changes() == 0 {
		r.Model = given
		r.Cols = make([]int32, len(given.Cols))
		for j := range r.Cols {
			r.Cols[j] = int32(j)
		}
		r.Facts = p.facts
		return r
	}

	// With KeepColumns the fixed columns remain, with their values.
	if !p.opt.KeepColumns {
		r.stack = p.stack
	}

	m := &lp.Model{Name: given.Name, Objective: given.Objective, Maximize: given.Maximize}
	place := p.addCols(m, given, r)
	p.addRows(m, given, place)
	if p.opt.KeepColumns {
		m.SetBranched(given.Branched())
	}
	r.Model = m
	r.Facts = p.facts.placed(place, p)
	return r
}

// addCols adds the remaining columns to m and returns the index of each column there, -1 for those that are gone.
func (p *problem) addCols(m, given *lp.Model, r *Reduced) []int32 {
	// The costs are those of the minimisation inside, and the given sense again in the model.
	sense := program.Sense(given)
	m.Offset = sense * p.Offset
	if p.opt.KeepColumns {
		m.Offset = given.Offset
	}

	// The columns keep their order.
	place := make([]int32, len(p.Lo))
	for j := range p.Lo {
		place[j] = -1
		if p.GoneCol[j] && !p.opt.KeepColumns {
			continue
		}

		place[j] = int32(len(m.Cols))
		r.Cols = append(r.Cols, int32(j))
		m.AddCol(lp.Col{
			Name:    given.Cols[j].Name,
			Cost:    sense * p.Cost[j],
			Lower:   p.Lo[j],
			Upper:   p.Up[j],
			Integer: p.integer[j],
			Hidden:  given.Cols[j].Hidden,
		})
	}
	return place
}

// addRows adds the remaining rows to m, where place has the index of each column.
func (p *problem) addRows(m, given *lp.Model, place []int32) {
	m.Grow(p.A.NNZ)
	for i := range int32(len(p.RowLo)) {
		if p.GoneRow[i] {
			continue
		}

		row := len(m.Rows)
		m.Rows = append(m.Rows, lp.Row{Name: given.Rows[i].Name, Lower: p.RowLo[i], Upper: p.RowUp[i]})
		for e := range p.A.Row(i) {
			m.AddEntry(lp.Con(row), lp.Var(place[e.Col]), e.Val)
		}
	}
}
