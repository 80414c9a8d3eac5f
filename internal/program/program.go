// Package program is a linear program that a presolve reduces: its entries by rows and by columns, bounds and sides,
// the ranges of its rows, and queues of what has changed and must be visited again. Rows and columns keep the numbers
// that they have in the given model. Both presolves are built on it: that of the simplex method, which must return a
// basis, and that of branch and cut, which must return only a point.
package program

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/f64"
	"github.com/proxybd/proxybd/internal/sparse"
	"github.com/proxybd/proxybd/lp"
)

// A good pivot has an absolute value of at least
const (
	PivotRow = 1e-3 // times the largest entry of its row,
	PivotCol = 1e-2 // times the largest entry of its column, and
	PivotAbs = 1e-4 // this
)

const (
	// RoundTol is the relative rounding error that is assumed of a sum.
	RoundTol = 1e-14

	unit = 0x1p-53 // relative rounding error of a number
)

// Limits of a substitution.
const (
	tiny     = 1e-9 // least absolute value of an entry that it makes
	farApart = 1e-8 // least ratio of the smallest to the largest entry of a row that it changes
	maxFill  = 4    // largest number of entries that it adds
)

// maxDrift limits the number of updates of a range times its size, before it is computed anew.
const maxDrift = 1e6

// Program is the linear program of the current stage:
//
//	min Cost'x + Offset   subject to   RowLo <= A x <= RowUp,   Lo <= x <= Up.
//
// Rows and columns that are gone have no entries.
type Program struct {
	A                sparse.Linked
	Cost             []float64
	Lo, Up           []float64
	RowLo, RowUp     []float64
	Offset           float64
	GoneCol, GoneRow []bool
	RowQueue         sparse.Queue // rows to visit
	ColQueue         sparse.Queue // columns to visit
	Work             int          // number of entries touched
	Removed          int          // number of rows and columns that are gone

	Pad   float64 // absolute distance by which an implied bound may be outside the bound that it replaces
	Noise float64 // largest relative difference that counts as zero

	ranges         []rowRange
	restLo, restUp []rest    // of the sides
	loss           []float64 // absolute errors of the sides
}

// rowRange is the range of a row's activity. It is valid if ok holds; terms were moved in it moves times.
type rowRange struct {
	activity.Range
	moves int32
	ok    bool
}

// exact reports whether the rounding errors of the moves are too small to matter.
func (t *rowRange) exact() bool { return t.moves == 0 || t.Size*float64(t.moves) < maxDrift }

// New returns the program of the valid model m, whose matrix is a, as a minimisation. The queues are empty.
func New(m *lp.Model, a *sparse.Matrix) Program {
	nr, nc := len(m.Rows), len(m.Cols)
	p := Program{
		Cost:     make([]float64, nc),
		Lo:       make([]float64, nc),
		Up:       make([]float64, nc),
		RowLo:    make([]float64, nr),
		RowUp:    make([]float64, nr),
		GoneCol:  make([]bool, nc),
		GoneRow:  make([]bool, nr),
		RowQueue: sparse.NewQueue(nr),
		ColQueue: sparse.NewQueue(nc),
		Noise:    RoundTol,
		ranges:   make([]rowRange, nr),
		restLo:   make([]rest, nr),
		restUp:   make([]rest, nr),
		loss:     make([]float64, nr),
	}

	// A maximisation has its costs negated.
	sense := Sense(m)
	p.Offset = sense * m.Offset
	for j := range m.Cols {
		c := &m.Cols[j]
		p.Cost[j] = sense * c.Cost
		p.Lo[j] = c.Lower
		p.Up[j] = c.Upper
	}
	for i := range m.Rows {
		p.RowLo[i] = m.Rows[i].Lower
		p.RowUp[i] = m.Rows[i].Upper
	}
	p.A.Load(a)
	return p
}

// Sense is the factor that turns the costs of the model into those of a minimisation: 1 or -1.
func Sense(m *lp.Model) float64 {
	if m.Maximize {
		return -1
	}
	return 1
}

// Drain visits the queued rows and columns that are not gone, and those that the visits queue, while running returns
// true.
func (p *Program) Drain(running func() bool, row, col func(int32)) {
	// The visits of rows queue columns, and the other way round, so that both take turns.
	var rows, cols []int32
	for running() && p.RowQueue.Len()+p.ColQueue.Len() > 0 {
		rows = p.RowQueue.Take(rows)
		for _, i := range rows {
			if !p.GoneRow[i] && running() {
				row(i)
			}
		}

		cols = p.ColQueue.Take(cols)
		for _, j := range cols {
			if !p.GoneCol[j] && running() {
				col(j)
			}
		}
	}
}

// RowRatio returns the factor scale by which row i must be multiplied to give row r. ok is false unless the rows are
// parallel, and their difference by rounding changes the activity of neither by more than tol within the bounds of the
// columns.
func (p *Program) RowRatio(i, r int32, tol float64) (scale float64, ok bool) {
	p.Work += 2 * int(p.A.RowLen[i])
	scale, ok = p.A.RowRatio(i, r)
	if !ok {
		return 0, false
	}

	// The difference of the rows matters in proportion to the values of the columns.
	size := func(j int32) float64 { return max(math.Abs(p.Lo[j]), math.Abs(p.Up[j])) }
	gap := p.A.RowGap(i, r, scale, size)
	return scale, gap <= tol*min(1, math.Abs(scale))
}

// ParallelRows calls try for pairs of rows that may be parallel, while running returns true.
func (p *Program) ParallelRows(running func() bool, try func(i, r int32)) {
	p.pairs(p.A.RowLines(p.GoneRow), p.GoneRow, running, try)
}

// ParallelCols calls try for pairs of columns that may be parallel, while running returns true.
func (p *Program) ParallelCols(running func() bool, try func(j, k int32)) {
	p.pairs(p.A.ColLines(p.GoneCol), p.GoneCol, running, try)
}

// pairs calls try for pairs of lines that may be parallel and are not gone.
func (p *Program) pairs(lines []sparse.Line, gone []bool, running func() bool, try func(a, b int32)) {
	p.Work += 2*p.A.NNZ + 4*len(lines)
	sparse.Pairs(lines, gone, func(a, b int32) {
		if running() {
			try(a, b)
		}
	})
}

// DropRow removes row i and queues its columns.
func (p *Program) DropRow(i int32) {
	p.Work += int(p.A.RowLen[i])

	// The row leaves the columns entry by entry.
	for k := p.A.RowHead[i]; k >= 0; k = p.A.RowHead[i] {
		p.ColQueue.Add(p.A.E[k].Col)
		p.A.Remove(k)
	}
	p.GoneRow[i] = true
	p.Removed++
}

// DropCol removes column j and queues its rows.
func (p *Program) DropCol(j int32) {
	p.Work += int(p.A.ColLen[j])
	for k := p.A.ColHead[j]; k >= 0; k = p.A.ColHead[j] {
		p.TouchRow(p.A.E[k].Row)
		p.A.Remove(k)
	}
	p.GoneCol[j] = true
	p.Removed++
}

// ShiftRow decreases the sides of row i by a*x. The rounding error of a side is kept for the next shift: if large terms
// cancel, the remaining column, which may have a small entry, would otherwise take on their rounding error divided by
// that entry.
func (p *Program) ShiftRow(i int32, a, x float64) {
	// The product is rounded, unless x is an integer.
	if x != math.Round(x) {
		p.AddLoss(i, unit*math.Abs(a*x))
	}
	p.RowLo[i] = p.shift(&p.restLo[i], p.RowLo[i], a, x)
	p.RowUp[i] = p.shift(&p.restUp[i], p.RowUp[i], a, x)
}

// AddLoss records an error in the sides of row i.
func (p *Program) AddLoss(i int32, err float64) { p.loss[i] += err }

// Loss is the error of the sides of row i: those recorded, and the rounding of the sides themselves.
func (p *Program) Loss(i int32) float64 {
	return p.loss[i] + unit*max(activity.FiniteSize(p.RowLo[i]), activity.FiniteSize(p.RowUp[i]))
}

// RangeNoise is the error of the range t of row i, apart from the rounding of its sides.
func (p *Program) RangeNoise(i int32, t *activity.Range) float64 {
	return max(RoundTol*t.Size, p.loss[i])
}

// rangeNoises are the errors of the two ends of the range t of row i. The error of an exact sum is not counted:
// otherwise the upper bound of one arc at a node of a network would not be recognised as implied by that of another.
func (p *Program) rangeNoises(i int32, t *activity.Range) (low, high float64) {
	low = p.loss[i]
	high = low

	if !t.ExactMin() {
		low = p.RangeNoise(i, t)
	}
	if !t.ExactMax() {
		high = p.RangeNoise(i, t)
	}
	return low, high
}

// rest is the rounding error left of a side; it is valid while the side has this value.
type rest struct{ side, left float64 }

// Rounds returns the rounding error that the sides of row i would have after a shift by a*x.
func (p *Program) Rounds(i int32, a, x float64) float64 {
	worst := 0.0

	// On a copy of the errors, so that nothing changes.
	for k, side := range [2]float64{p.RowLo[i], p.RowUp[i]} {
		r := [2]rest{p.restLo[i], p.restUp[i]}[k]
		if !math.IsInf(side, 0) {
			p.shift(&r, side, a, x)
			worst = max(worst, math.Abs(r.left))
		}
	}
	return worst
}

// RowMin returns the smallest absolute value in row i outside column j, +Inf if there is none.
func (p *Program) RowMin(i, j int32) float64 {
	v := math.Inf(1)
	for k := p.A.RowHead[i]; k >= 0; k = p.A.E[k].NextR {
		if e := &p.A.E[k]; e.Col != j {
			v = min(v, math.Abs(e.Val))
		}
	}
	p.Work += int(p.A.RowLen[i])
	return v
}

// shift returns side - a*x, computed with the rounding error r that the side has, and updates r. A result that is a
// rounding error of a*x becomes zero.
func (p *Program) shift(r *rest, side, a, x float64) float64 {
	// An infinite side stays infinite.
	if math.IsInf(side, 0) || math.IsInf(a*x, 0) {
		return side - a*x
	}

	// The rest belongs to the side only if that has not been set since.
	var sum f64.Double
	sum.Add(side)
	if r.side == side {
		sum.Add(r.left)
	}
	sum.AddProduct(-a, x)

	v, left := sum.Split()
	if math.Abs(v) <= 4*unit*math.Abs(a*x) {
		v = 0
		left = 0
	}

	*r = rest{v, left}
	return v
}

// Minus returns a - b, or zero if the difference is a rounding error.
func (p *Program) Minus(a, b float64) float64 {
	if c := a - b; math.IsInf(c, 0) || math.Abs(c) > p.Noise*math.Abs(b) {
		return c
	}
	return 0
}

// RowMax returns the largest absolute value in row i.
func (p *Program) RowMax(i int32) float64 {
	v := 0.0
	for k := p.A.RowHead[i]; k >= 0; k = p.A.E[k].NextR {
		v = max(v, math.Abs(p.A.E[k].Val))
	}
	p.Work += int(p.A.RowLen[i])
	return v
}

// ColMax returns the largest absolute value in column j.
func (p *Program) ColMax(j int32) float64 {
	v := 0.0
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		v = max(v, math.Abs(p.A.E[k].Val))
	}
	p.Work += int(p.A.ColLen[j])
	return v
}
