package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/program"
	"github.com/proxybd/proxybd/internal/sparse"
)

// leavesRounding reports whether the fixed column j cannot leave a row: what rounding makes of its side counts in
// another column there, with a small coefficient.
func (p *problem) leavesRounding(j int32) bool {
	v := p.fixedAt(j)
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		e := &p.A.E[k]
		if left := p.Rounds(e.Row, e.Val, v); left > sideMin && left > sideMoves*p.RowMin(e.Row, j) {
			return true
		}
	}
	p.Work += int(p.A.ColLen[j])
	return false
}

// fix gives column j the value v and takes it out.
func (p *problem) fix(j int32, v float64) {
	p.Work += int(p.A.ColLen[j])
	for k := p.A.ColHead[j]; k >= 0; k = p.A.ColHead[j] {
		e := &p.A.E[k]
		p.ShiftRow(e.Row, e.Val, v)
		p.MoveTerm(e.Row, e.Val, p.Lo[j], p.Up[j], 0, 0)
		p.A.Remove(k)
	}
	p.Lo[j], p.Up[j] = v, v
	p.Offset += p.Cost[j] * v
	p.stack = append(p.stack, &fixedCol{j, v})
	p.DropCol(j)
	p.count.Fixed++
}

// locks counts the rows that keep column j from rising (up) and from falling (down).
func (p *problem) locks(j int32) (up, down int) {
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		e := &p.A.E[k]
		upper, lower := !math.IsInf(p.RowUp[e.Row], 1), !math.IsInf(p.RowLo[e.Row], -1)
		if e.Val < 0 {
			upper, lower = lower, upper
		}
		if upper {
			up++
		}
		if lower {
			down++
		}
	}
	p.Work += int(p.A.ColLen[j])
	return up, down
}

// fixDual fixes column j at a bound that neither its cost nor a row keeps it from. Where that bound is
// infinite and there is no cost, the rows of the column go with it.
func (p *problem) fixDual(j int32) bool {
	up, down := p.locks(j)
	c := p.Cost[j]
	at := math.NaN()
	switch {
	case up == 0 && down == 0 && c == 0:
		at = nearZero(p.Lo[j], p.Up[j])
	case down == 0 && c >= 0 && !math.IsInf(p.Lo[j], -1):
		at = p.Lo[j]
	case up == 0 && c <= 0 && !math.IsInf(p.Up[j], 1):
		at = p.Up[j]
	case c == 0 && down == 0:
		return p.followRay(j, false)
	case c == 0 && up == 0:
		return p.followRay(j, true)
	}
	if math.IsNaN(at) || math.IsInf(at, 0) {
		return false
	}
	p.fix(j, at)
	p.count.DualFixed++
	return true
}

// followRay takes column j out with its rows, all of which it satisfies far enough up (or down).
func (p *problem) followRay(j int32, up bool) bool {
	if p.A.ColLen[j] > maxColLen || p.A.ColLen[j] == 0 {
		return false
	}
	r := &freeRay{j: j, up: up, domain: p.domain(j)}
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		if e := &p.A.E[k]; math.Abs(e.Val) < program.PivotAbs {
			return false
		}
	}
	for k := p.A.ColHead[j]; k >= 0; k = p.A.ColHead[j] {
		e := p.A.E[k]
		side := p.RowUp[e.Row]
		if e.Val > 0 == up {
			side = p.RowLo[e.Row]
		}
		cols, vals := p.rowEntries(e.Row, j)
		r.rows = append(r.rows, raySide{e.Val, side, terms{cols, vals}})
		p.DropRow(e.Row)
	}
	p.stack = append(p.stack, r)
	p.DropCol(j)
	p.count.Removed++
	return true
}

// singletonCol deals with column j, which has one entry: a slack widens the sides of its row, a column that its cost
// drives against the row is determined by it.
func (p *problem) singletonCol(j int32) bool {
	e := p.A.E[p.A.ColHead[j]]
	i, v := e.Row, e.Val
	if p.A.RowLen[i] < 2 || math.Abs(v) < program.PivotAbs || math.Abs(v) < program.PivotRow*p.RowMax(i) {
		return false
	}
	equation := p.RowLo[i] == p.RowUp[i]
	switch {
	case p.integer[j] && !(equation && p.integralRow(i, j, v)):
		return false
	case p.Cost[j] != 0 && p.A.RowLen[i] > maxCostRow:
		return false // dense costs make for a slow ratio test
	case equation && p.has(Slacks):
		p.slackOfEquation(i, j, v, p.RowLo[i])
		return true
	case p.Cost[j] == 0 && p.has(Slacks) && !p.integer[j]:
		p.slackOfRange(i, j, v)
		return true
	case p.Cost[j] != 0 && p.has(FreeSingletons) && !p.integer[j]:
		return p.costlySlack(i, j, v)
	}
	return false
}

// costlySlack takes out column j if its cost drives row i to a side before the column gets to its bound. What stays of
// the row keeps the column within its other bound.
func (p *problem) costlySlack(i, j int32, v float64) bool {
	side, lower, ok := p.CostlySide(i, j, v)
	if !ok {
		return false
	}
	p.slackOfEquation(i, j, v, side)
	if lower {
		p.RowUp[i] = math.Inf(1)
	} else {
		p.RowLo[i] = math.Inf(-1)
	}
	return true
}

// integralRow reports whether row i says that x_j = (side - rest)/v is integer whenever the other columns
// satisfy integrality.
func (p *problem) integralRow(i, j int32, v float64) bool {
	for _, side := range [2]float64{p.RowLo[i], p.RowUp[i]} {
		if !math.IsInf(side, 0) && !integral(side/v, v) {
			return false
		}
	}
	p.Work += int(p.A.RowLen[i])
	for k := p.A.RowHead[i]; k >= 0; k = p.A.E[k].NextR {
		e := &p.A.E[k]
		if e.Col != j && (!p.integer[e.Col] || !integral(e.Val/v, v)) {
			return false
		}
	}
	return true
}

// integral reports whether a ratio of two coefficients, or of a side and a coefficient, is an integer but for rounding.
// What it misses the integer by, times the coefficient unit that it multiplies, is what calling it one may move a row
// by: that must be rounding of the row, or nothing beside its tolerance. Ratios of coefficients of 1e9 that differ by 1
// are within 1e-9 of each other.
func integral(v, unit float64) bool {
	size := math.Max(1, math.Abs(unit))
	moved := math.Abs(v-math.Round(v)) * size
	rounding := 4 * 0x1p-52 * math.Abs(v) * size
	return math.Abs(v) < hugeInteger && moved <= math.Max(integralTol, rounding)
}

// slackOfEquation takes column j out of row i, whose activity is b, and leaves the rest of the row
// between the values that the bounds of x_j allow.
func (p *problem) slackOfEquation(i, j int32, v, b float64) {
	cols, vals := p.rowEntries(i, j)
	p.stack = append(p.stack, &affineCol{j, b, v, terms{cols, vals}, p.domain(j)})
	low, high := activity.Terms(v, p.Lo[j], p.Up[j])
	p.moveCost(j, v, b, cols, vals)
	p.DropCol(j)
	p.RowLo[i], p.RowUp[i] = p.Minus(b, high), p.Minus(b, low)
	p.TouchRow(i)
	p.TouchCols(i)
	p.count.Removed++
}

// slackOfRange takes column j, which has no cost, out of row i.
func (p *problem) slackOfRange(i, j int32, v float64) {
	cols, vals := p.rowEntries(i, j)
	p.stack = append(p.stack, &slackCol{j, v, p.RowLo[i], p.RowUp[i], terms{cols, vals}, p.domain(j)})
	low, high := activity.Terms(v, p.Lo[j], p.Up[j])
	p.DropCol(j)
	p.RowLo[i], p.RowUp[i] = p.Minus(p.RowLo[i], high), p.Minus(p.RowUp[i], low)
	p.TouchRow(i)
	p.TouchCols(i)
	p.count.Removed++
}

// moveCost replaces the cost of x_j = (b - rest)/v by costs of the rest.
func (p *problem) moveCost(j int32, v, b float64, cols []int32, vals []float64) {
	f := p.Cost[j] / v
	if f == 0 {
		return
	}
	p.Offset += f * b
	for k, c := range cols {
		p.Cost[c] = sparse.Cancel(p.Cost[c], f*vals[k])
		p.ColQueue.Add(c)
	}
}

// eliminate takes column j out of the objective and all rows by means of the equation
// v x_j + rest = b; if that is a row it must be dropped by the caller, before or after.
func (p *problem) eliminate(j int32, v, b float64, rest terms) {
	p.stack = append(p.stack, &affineCol{j, b, v, rest, p.domain(j)})
	p.moveCost(j, v, b, rest.cols, rest.vals)
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		e := p.A.E[k]
		f := e.Val / v
		p.Work += p.A.SubtractRow(e.Row, rest.cols, rest.vals, f)
		p.ShiftRow(e.Row, f, b)
		p.AddLoss(e.Row, program.RoundTol*math.Abs(f*b)) // by the quotient
		p.TouchRow(e.Row)
		p.TouchCols(e.Row)
	}
	p.DropCol(j)
	for _, c := range rest.cols {
		p.ColQueue.Add(c)
	}
	p.count.Removed++
}
