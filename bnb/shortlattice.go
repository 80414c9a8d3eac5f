package bnb

import (
	"context"
	"math"
	"math/big"

	"github.com/proxybd/proxybd/internal/lattice"
	"github.com/proxybd/proxybd/lp"
)

// Equations over integer columns are described by a lattice where there are few of them. One that has a coefficient or
// a column with a range of this size is solved in the coordinates of the lattice: with smaller ones branching on the
// columns is as good.
const (
	latticeRows        = 8       // equations
	latticeCols        = 30      // columns that they have together
	latticeCoefficient = 1000    // the largest coefficient, or ...
	latticeRange       = 1e6     // ... the largest range
	latticeExact       = 1 << 40 // entries of the lattice up to which sums of a few are exact in float64
)

// solveOverLattice solves a model whose equations over integer columns ask for it, with x = x0 + K t in place of these
// equations, t integer; ok is false for other models. A solution is taken only if it satisfies the model given.
func (j job) solveOverLattice(ctx context.Context) (r Result, ok bool) {
	// Hooks with cuts, points or branchings work with the columns of the given model, and so do inner searches.
	h := &j.hooks
	separated := h.Lazy != nil || h.User != nil
	steered := h.Heuristic != nil || h.Branch != nil || h.Node != nil
	inner := j.origin.subMIP || j.origin.restarts > 0
	if separated || steered || inner {
		return r, false
	}
	if j.opt.PoolSize > 0 || len(j.opt.Start) > 0 {
		return r, false
	}
	e, found := integerEquations(j.model)
	if !found {
		return r, false
	}

	// The equations alone may have no integer solution at all.
	solutions := lattice.Solve(e.rows, e.sides)
	if solutions == nil {
		r = failed()
		r.Status = lp.Infeasible
		r.Bound = senseOf(j.model) * inf
		return r, true
	}

	// Small coefficients are left to the tree.
	if !e.large {
		return r, false
	}

	// A short basis around the centre of the bounds makes the new columns small.
	solutions.Reduce(e.center)
	over := e.replace(j.model, solutions)
	if over == nil {
		return r, false
	}

	// Points of the new model begin with the columns of the given one.
	n := len(j.model.Cols)
	short := j
	short.model = over
	if j.hooks.Incumbent != nil {
		short.hooks.Incumbent = func(c Candidate) {
			c.X = c.X[:n]
			j.hooks.Incumbent(c)
		}
	}
	r, err := short.solvePrepared(ctx)
	if err != nil {
		return r, false
	}

	// The point is rounded and verified in the given model; where it fails the usual search takes over.
	if r.X != nil {
		if r.X, err = j.model.Rounded(r.X[:n]); err != nil {
			return r, false
		}
		r.Objective = j.model.Evaluate(r.X)
	}
	return r, true
}

// equations are those over integer columns with integer coefficients.
type equations struct {
	rows   [][]*big.Int // by equation and column of cols
	sides  []*big.Int
	cols   []int
	gone   map[int32]bool // the rows of the model that they are
	center []*big.Int     // by column of cols, in the middle of its bounds
	large  bool           // a coefficient or a range is large
}

// integerEquations returns the equations of a model; found is false where there are none or too many.
func integerEquations(m *lp.Model) (e equations, found bool) {
	a, err := m.Matrix()
	if err != nil || m.HasLogic() {
		return e, false
	}
	rows := a.Transpose()
	e.gone = map[int32]bool{}
	place := map[int]int{} // of a column in cols
	for i := range m.Rows {
		index, value := rows.Vec(i)
		if !isIntegerEquation(m, i, index, value) {
			continue
		}
		e.gone[int32(i)] = true
		// The columns are numbered in the order in which the equations name them.
		for k, j := range index {
			if _, known := place[int(j)]; !known {
				place[int(j)] = len(e.cols)
				e.cols = append(e.cols, int(j))
			}
			e.large = e.large || math.Abs(value[k]) >= latticeCoefficient
		}
		if len(e.gone) > latticeRows || len(e.cols) > latticeCols {
			return e, false
		}
	}
	if len(e.gone) == 0 {
		return e, false
	}

	// The equations as dense rows over these columns, in integers.
	for i := range m.Rows {
		if !e.gone[int32(i)] {
			continue
		}
		row := make([]*big.Int, len(e.cols))
		for k := range row {
			row[k] = new(big.Int)
		}
		index, value := rows.Vec(i)
		for k, j := range index {
			row[place[int(j)]] = exactInteger(value[k])
		}
		e.rows = append(e.rows, row)
		e.sides = append(e.sides, exactInteger(m.Rows[i].Lower))
	}
	for _, j := range e.cols {
		// The middle of the bounds is where the point of the lattice should be near; of an infinite range zero.
		c := &m.Cols[j]
		e.large = e.large || c.Upper-c.Lower >= latticeRange
		middle := min(max(0, c.Lower), c.Upper)
		if c.Upper-c.Lower < latticeExact {
			middle = math.Floor(c.Lower/2 + c.Upper/2)
		}
		e.center = append(e.center, exactInteger(math.Trunc(middle)))
	}
	return e, true
}

// isIntegerEquation reports whether row i says that an integer sum over integer columns is an integer.
func isIntegerEquation(m *lp.Model, i int, index []int32, value []float64) bool {
	side := m.Rows[i].Lower
	if side != m.Rows[i].Upper || len(index) < 2 || !isExactInteger(side) {
		return false
	}

	// Every term must be an integer multiple of an integer column.
	for k, j := range index {
		if !m.Cols[j].Integer || !isExactInteger(value[k]) {
			return false
		}
	}
	return true
}

// isExactInteger reports whether v is an integer, and so small that its neighbours are float64 too.
func isExactInteger(v float64) bool { return v == math.Trunc(v) && math.Abs(v) < 1<<53 }

// exactInteger returns a float64 that is an integer.
func exactInteger(v float64) *big.Int {
	i, _ := new(big.Float).SetFloat64(v).Int(nil)
	return i
}

// replace returns the model with the rows x - K t = x0 in place of the equations, for new free integer columns t; the
// columns x need not be declared integer any more. It returns nil where numbers are too large for float64.
func (e *equations) replace(m *lp.Model, s *lattice.Solutions) *lp.Model {
	a, err := m.Matrix()
	if err != nil {
		return nil
	}

	// The columns of the given model stay, as do all rows but the equations.
	out := &lp.Model{Name: m.Name, Maximize: m.Maximize, Offset: m.Offset}
	for _, c := range m.Cols {
		out.AddCol(c)
	}
	for _, j := range e.cols {
		out.Cols[j].Integer = false
	}
	rows := a.Transpose()
	for i, r := range m.Rows {
		if !e.gone[int32(i)] {
			index, value := rows.Vec(i)
			out.AddRow(r, index, value)
		}
	}

	// Each vector of the kernel gets a free integer column behind the given ones.
	first := len(out.Cols)
	for range s.Kernel {
		out.AddCol(lp.Col{Lower: math.Inf(-1), Upper: lp.Inf, Integer: true})
	}
	for p, j := range e.cols {
		index, value := []int32{int32(j)}, []float64{1}
		// The row is x_j - sum of the kernel's entries times t = x0_j.
		for k, vector := range s.Kernel {
			if v := vector[p]; v.Sign() != 0 {
				index = append(index, int32(first+k))
				value = append(value, -asFloat(v))
			}
		}
		side := asFloat(s.Point[p])
		// Larger numbers are not exact in sums of float64.
		for _, v := range append(value, side) {
			if math.Abs(v) > latticeExact {
				return nil
			}
		}
		out.AddRow(lp.Row{Lower: side, Upper: side}, index, value)
	}
	return out
}

func asFloat(v *big.Int) float64 {
	f, _ := v.Float64()
	return f
}
