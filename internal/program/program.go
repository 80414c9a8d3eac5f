// Package program is a linear program that a presolve takes apart: its entries by rows and by columns, bounds and
// sides, the ranges of its rows, and what has changed and must be looked at again. Rows and columns keep the numbers
// that they have in the model given. The two presolves, that of the simplex method, which must hand back a basis, and
// that of branch and cut, which must hand back a point only, put their reductions on top of it.
package program

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/f64"
	"github.com/proxybd/proxybd/internal/sparse"
	"github.com/proxybd/proxybd/lp"
)

// What makes a good pivot. The tests are relative to the largest entry of its row and of its column, and absolute.
const (
	PivotRow = 1e-3
	PivotCol = 1e-2
	PivotAbs = 1e-4
)

// RoundTol is the relative error of a sum, unit that of a number.
const (
	RoundTol = 1e-14
	unit     = 0x1p-53
)

// What a substitution may not make.
const (
	tiny     = 1e-9 // a coefficient below this size
	farApart = 1e-8 // ... or below this share of the largest in its row
)

const (
	maxFill  = 4   // entries that one substitution may add
	maxDrift = 1e6 // magnitude times number of the updates of a range before it is computed anew
)

// Program is the program of the present stage.
type Program struct {
	A                sparse.Linked
	Cost             []float64 // minimised
	Lo, Up           []float64 // columns
	RowLo, RowUp     []float64
	Offset           float64 // minimised
	GoneCol, GoneRow []bool
	RowQueue         sparse.Queue // to be looked at
	ColQueue         sparse.Queue
	Work             int // entries touched
	Removed          int // rows and columns

	Pad   float64 // by which the bounds that rows imply may miss those that they stand for
	Noise float64 // a difference smaller than this, relative, is zero

	ranges         []rowRange
	restLo, restUp []rest // of the sides
	loss           []float64
}

// rowRange is the range of a row's activity, if ok says that it is known, after so many moves of terms.
type rowRange struct {
	activity.Range
	moves int32
	ok    bool
}

// exact reports whether the moves cannot have left a rounding error that matters.
func (t *rowRange) exact() bool { return t.moves == 0 || t.Size*float64(t.moves) < maxDrift }

// New returns the program of a valid model with the matrix a, as a minimisation. Nothing is queued.
func New(m *lp.Model, a *sparse.Matrix) Program {
	nr, nc := len(m.Rows), len(m.Cols)
	p := Program{Cost: make([]float64, nc), Lo: make([]float64, nc), Up: make([]float64, nc), RowLo: make([]float64, nr),
		RowUp:   make([]float64, nr),
		GoneCol: make([]bool, nc), GoneRow: make([]bool, nr), RowQueue: sparse.NewQueue(nr), ColQueue: sparse.NewQueue(nc),
		Noise: RoundTol, ranges: make([]rowRange, nr), restLo: make([]rest, nr), restUp: make([]rest, nr),
		loss: make([]float64, nr)}
	sense := Sense(m)
	p.Offset = sense * m.Offset
	for j := range m.Cols {
		c := &m.Cols[j]
		p.Cost[j], p.Lo[j], p.Up[j] = sense*c.Cost, c.Lower, c.Upper
	}
	for i := range m.Rows {
		p.RowLo[i], p.RowUp[i] = m.Rows[i].Lower, m.Rows[i].Upper
	}
	p.A.Load(a)
	return p
}

// Sense is what the costs of the model are multiplied by for a minimisation: 1 or -1.
func Sense(m *lp.Model) float64 {
	if m.Maximize {
		return -1
	}
	return 1
}

// Drain visits the queued rows and columns that are left, and those that are queued on the way, while running says so.
func (p *Program) Drain(running func() bool, row, col func(int32)) {
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

// RowRatio returns the factor that makes row r of row i, if they are parallel, and what differs by rounding moves
// neither by more than tol, wherever the columns are within their bounds.
func (p *Program) RowRatio(i, r int32, tol float64) (scale float64, ok bool) {
	p.Work += 2 * int(p.A.RowLen[i])
	scale, ok = p.A.RowRatio(i, r)
	if !ok {
		return 0, false
	}
	gap := p.A.RowGap(i, r, scale, func(j int32) float64 { return max(math.Abs(p.Lo[j]), math.Abs(p.Up[j])) })
	return scale, gap <= tol*min(1, math.Abs(scale))
}

// ParallelRows calls try for pairs of rows that may be parallel, while running says so.
func (p *Program) ParallelRows(running func() bool, try func(i, r int32)) {
	p.pairs(p.A.RowLines(p.GoneRow), p.GoneRow, running, try)
}

// ParallelCols does the same for columns.
func (p *Program) ParallelCols(running func() bool, try func(j, k int32)) {
	p.pairs(p.A.ColLines(p.GoneCol), p.GoneCol, running, try)
}

func (p *Program) pairs(lines []sparse.Line, gone []bool, running func() bool, try func(a, b int32)) {
	p.Work += 2*p.A.NNZ + 4*len(lines)
	sparse.Pairs(lines, gone, func(a, b int32) {
		if running() {
			try(a, b)
		}
	})
}

// DropRow takes row i out; its columns are looked at again.
func (p *Program) DropRow(i int32) {
	p.Work += int(p.A.RowLen[i])
	for k := p.A.RowHead[i]; k >= 0; k = p.A.RowHead[i] {
		p.ColQueue.Add(p.A.E[k].Col)
		p.A.Remove(k)
	}
	p.GoneRow[i] = true
	p.Removed++
}

// DropCol takes column j out; its rows are looked at again.
func (p *Program) DropCol(j int32) {
	p.Work += int(p.A.ColLen[j])
	for k := p.A.ColHead[j]; k >= 0; k = p.A.ColHead[j] {
		p.TouchRow(p.A.E[k].Row)
		p.A.Remove(k)
	}
	p.GoneCol[j] = true
	p.Removed++
}

// ShiftRow moves the sides of row i down by a*x. What rounding leaves of a side is kept for the next shift: where large
// terms cancel, the column that is left, with a small coefficient, would otherwise get their rounding error, divided by
// that.
func (p *Program) ShiftRow(i int32, a, x float64) {
	if x != math.Round(x) {
		p.AddLoss(i, unit*math.Abs(a*x))
	}
	p.RowLo[i] = p.shift(&p.restLo[i], p.RowLo[i], a, x)
	p.RowUp[i] = p.shift(&p.restUp[i], p.RowUp[i], a, x)
}

// AddLoss accounts for an error in the sides of row i.
func (p *Program) AddLoss(i int32, err float64) { p.loss[i] += err }

// Loss is the error of the sides of row i, which that of values and factors made, and their own rounding.
func (p *Program) Loss(i int32) float64 {
	side := 0.0
	for _, v := range [2]float64{p.RowLo[i], p.RowUp[i]} {
		if !math.IsInf(v, 0) {
			side = max(side, math.Abs(v))
		}
	}
	return p.loss[i] + unit*side
}

// RangeNoise is the error of the range t of row i beside its sides.
func (p *Program) RangeNoise(i int32, t *activity.Range) float64 {
	return max(RoundTol*t.Size, p.loss[i])
}

// rangeNoises are the errors of the two ends of the range t of row i. A sum of whole numbers is exact: otherwise
// an arc of a network would not be seen to be free for the one upper bound of another at its node.
func (p *Program) rangeNoises(i int32, t *activity.Range) (low, high float64) {
	low, high = p.loss[i], p.loss[i]
	if !t.ExactMin() {
		low = p.RangeNoise(i, t)
	}
	if !t.ExactMax() {
		high = p.RangeNoise(i, t)
	}
	return low, high
}

// rest is what rounding left of a side, as long as the side is that one.
type rest struct{ side, left float64 }

// Rounds returns what rounding would leave of the sides of row i if they moved down by a*x.
func (p *Program) Rounds(i int32, a, x float64) float64 {
	worst := 0.0
	for k, side := range [2]float64{p.RowLo[i], p.RowUp[i]} {
		r := [2]rest{p.restLo[i], p.restUp[i]}[k]
		if !math.IsInf(side, 0) {
			p.shift(&r, side, a, x)
			worst = max(worst, math.Abs(r.left))
		}
	}
	return worst
}

// RowMin returns the smallest absolute entry of row i but that of column j, infinity where there is none.
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

func (p *Program) shift(r *rest, side, a, x float64) float64 {
	if math.IsInf(side, 0) || math.IsInf(a*x, 0) {
		return side - a*x
	}
	var sum f64.Double
	sum.Add(side)
	if r.side == side {
		sum.Add(r.left)
	}
	sum.AddProduct(-a, x)
	v, left := sum.Split()
	if math.Abs(v) <= 4*unit*math.Abs(a*x) {
		v, left = 0, 0
	}
	*r = rest{v, left}
	return v
}

// Minus returns a - b, zero where only rounding is left.
func (p *Program) Minus(a, b float64) float64 {
	if c := a - b; math.IsInf(c, 0) || math.Abs(c) > p.Noise*math.Abs(b) {
		return c
	}
	return 0
}

// RowMax returns the largest absolute entry of row i.
func (p *Program) RowMax(i int32) float64 {
	v := 0.0
	for k := p.A.RowHead[i]; k >= 0; k = p.A.E[k].NextR {
		v = max(v, math.Abs(p.A.E[k].Val))
	}
	p.Work += int(p.A.RowLen[i])
	return v
}

// ColMax returns the largest absolute entry of column j.
func (p *Program) ColMax(j int32) float64 {
	v := 0.0
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		v = max(v, math.Abs(p.A.E[k].Val))
	}
	p.Work += int(p.A.ColLen[j])
	return v
}
