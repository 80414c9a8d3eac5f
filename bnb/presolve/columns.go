package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/program"
	"github.com/proxybd/proxybd/internal/sparse"
)

// leavesRounding reports whether the fixed column j must stay: if it were removed, the rounding error of a side of its
// rows, divided by the small coefficient of another column there, would matter.
func (p *problem) leavesRounding(j int32) bool {
	v := p.fixedAt(j)

	// The side gets a rounding error when the term leaves it.
	for e := range p.A.Col(j) {
		if left := p.Rounds(e.Row, e.Val, v); left > sideMin && left > sideMoves*p.RowMin(e.Row, j) {
			return true
		}
	}

	p.Work += int(p.A.ColLen[j])
	return false
}

// fix removes column j at the value v: its terms become part of the sides of its rows and of the offset.
func (p *problem) fix(j int32, v float64) {
	p.Work += int(p.A.ColLen[j])

	// The column leaves its rows one after the other; their sides and activities follow.
	for k := p.A.ColHead[j]; k >= 0; k = p.A.ColHead[j] {
		e := &p.A.E[k]
		p.ShiftRow(e.Row, e.Val, v)
		p.MoveTerm(e.Row, e.Val, p.Lo[j], p.Up[j], 0, 0)
		p.A.Remove(k)
	}

	p.Lo[j] = v
	p.Up[j] = v
	p.Offset += p.Cost[j] * v
	p.stack = append(p.stack, &fixedCol{j, v})
	p.DropCol(j)
	p.count.Fixed++
}

// locks counts the sides of rows that limit column j from above (up) and from below (down).
func (p *problem) locks(j int32) (up, down int) {
	for e := range p.A.Col(j) {
		uses, relieves := p.effects(e)
		if uses {
			up++
		}
		if relieves {
			down++
		}
	}
	p.Work += int(p.A.ColLen[j])
	return up, down
}

// fixDual fixes column j at a bound if neither its cost nor a row is worse there. If that bound is infinite and there
// is no cost, the rows of the column are removed with it. It reports whether the column is gone.
func (p *problem) fixDual(j int32) bool {
	up, down := p.locks(j)
	c := p.Cost[j]
	at := math.NaN() // no value
	switch {
	// Without costs and rows any value will do, else the bound in the direction of the cost, if no row forbids that.
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

// followRay removes column j, which has no cost, and its rows, which it satisfies all if it is large (or small)
// enough.
func (p *problem) followRay(j int32, up bool) bool {
	if p.A.ColLen[j] > maxColLen || p.A.ColLen[j] == 0 {
		return false
	}

	r := &freeRay{j: j, up: up, domain: p.domain(j)}

	// A small coefficient would make the value of the column large.
	for e := range p.A.Col(j) {
		if math.Abs(e.Val) < program.PivotAbs {
			return false
		}
	}

	// In each row the side opposite to the direction remains to be satisfied in postsolve.
	for k := p.A.ColHead[j]; k >= 0; k = p.A.ColHead[j] {
		e := p.A.E[k]
		side := activity.End(e.Val > 0 != up, p.RowLo[e.Row], p.RowUp[e.Row])
		r.rows = append(r.rows, raySide{e.Val, side, p.rowEntries(e.Row, j)})
		p.DropRow(e.Row)
	}

	p.stack = append(p.stack, r)
	p.DropCol(j)
	p.count.Removed++
	return true
}

// singletonCol removes column j, which has one entry: a slack widens the sides of its row, and a column that its cost
// drives against a side of the row is determined by it. It reports whether the column is gone.
func (p *problem) singletonCol(j int32) bool {
	e := p.A.E[p.A.ColHead[j]]

	// The column must be a good pivot of its row.
	i := e.Row
	v := e.Val
	size := math.Abs(v)
	if p.A.RowLen[i] < 2 || size < program.PivotAbs || size < program.PivotRow*p.RowMax(i) {
		return false
	}

	// An integer column is implied to be integer only by an equation of integer columns.
	equation := p.RowLo[i] == p.RowUp[i]
	switch {
	case p.integer[j] && !(equation && p.integralRow(i, j, v)):
		return false
	case p.Cost[j] != 0 && p.A.RowLen[i] > maxCostRow:
		return false // a cost on many columns makes the ratio test of the simplex method slow
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

// costlySlack removes column j if its cost drives row i to a side before the column reaches its bound. What remains of
// the row keeps the column within its other bound.
func (p *problem) costlySlack(i, j int32, v float64) bool {
	side, lower, ok := p.CostlySide(i, j, v)
	if !ok {
		return false
	}

	// The row holds with equality at the side, and the other side becomes that of the rest.
	p.slackOfEquation(i, j, v, side)
	if lower {
		p.RowUp[i] = math.Inf(1)
	} else {
		p.RowLo[i] = math.Inf(-1)
	}
	return true
}

// integralRow reports whether x_j = (side - rest)/v, by row i, is integer whenever the other columns are integers where
// they must be.
func (p *problem) integralRow(i, j int32, v float64) bool {
	// Both sides have to be multiples of the coefficient, as have the other coefficients.
	for _, side := range [2]float64{p.RowLo[i], p.RowUp[i]} {
		if !math.IsInf(side, 0) && !integral(side/v, v) {
			return false
		}
	}

	p.Work += int(p.A.RowLen[i])
	for e := range p.A.Row(i) {
		if e.Col != j && (!p.integer[e.Col] || !integral(e.Val/v, v)) {
			return false
		}
	}
	return true
}

// integral reports whether v, a ratio of two coefficients or of a side and a coefficient, is an integer but for
// rounding. Rounding it changes a row by its distance from the integer, times the coefficient unit that it multiplies:
// that must be a rounding error of the row, or negligible compared with its tolerance. Ratios of coefficients of 1e9
// that differ by 1 are within 1e-9 of each other.
func integral(v, unit float64) bool {
	size := math.Max(1, math.Abs(unit))
	moved := math.Abs(v-math.Round(v)) * size
	rounding := 4 * 0x1p-52 * math.Abs(v) * size
	return math.Abs(v) < hugeInteger && moved <= math.Max(integralTol, rounding)
}

// slackOfEquation removes column j from row i, whose activity is b. The new sides of the row are the values of its rest
// that the bounds of x_j allow.
func (p *problem) slackOfEquation(i, j int32, v, b float64) {
	rest := p.rowEntries(i, j)
	p.stack = append(p.stack, &affineCol{j, b, v, rest, p.domain(j)})

	// The rest of the row takes what the column leaves: b minus its term, which lies between low and high.
	low, high := activity.Terms(v, p.Lo[j], p.Up[j])
	p.moveCost(j, v, b, rest)
	p.DropCol(j)
	p.RowLo[i] = p.Minus(b, high)
	p.RowUp[i] = p.Minus(b, low)
	p.TouchRow(i)
	p.TouchCols(i)
	p.count.Removed++
}

// slackOfRange removes column j, which has no cost, from row i and widens the sides of the row.
func (p *problem) slackOfRange(i, j int32, v float64) {
	p.stack = append(p.stack, &slackCol{j, v, p.RowLo[i], p.RowUp[i], p.rowEntries(i, j), p.domain(j)})
	low, high := activity.Terms(v, p.Lo[j], p.Up[j])

	// The rest may exceed each side by what the column can take back.
	p.DropCol(j)
	p.RowLo[i] = p.Minus(p.RowLo[i], high)
	p.RowUp[i] = p.Minus(p.RowUp[i], low)
	p.TouchRow(i)
	p.TouchCols(i)
	p.count.Removed++
}

// moveCost replaces the cost of x_j = (b - rest)/v by costs of the rest.
func (p *problem) moveCost(j int32, v, b float64, rest terms) {
	f := p.Cost[j] / v
	if f == 0 {
		return
	}

	// The cost c x_j is c/v times the equation less the rest: a constant, and costs of the other columns.
	p.Offset += f * b
	for k, c := range rest.cols {
		p.Cost[c] = sparse.Cancel(p.Cost[c], f*rest.vals[k])
		p.ColQueue.Add(c)
	}
}

// eliminate substitutes column j in the objective and all rows by means of the equation v x_j + rest = b, and removes
// it. If the equation is a row the caller must drop it, before or after.
func (p *problem) eliminate(j int32, v, b float64, rest terms) {
	p.stack = append(p.stack, &affineCol{j, b, v, rest, p.domain(j)})
	p.moveCost(j, v, b, rest)

	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		e := p.A.E[k] // a copy: the row may get entries
		// The row less f times the equation has no entry of the column; its side falls by f b.
		f := e.Val / v
		p.Work += p.A.SubtractRow(e.Row, rest.cols, rest.vals, f)
		p.ShiftRow(e.Row, f, b)
		p.AddLoss(e.Row, program.RoundTol*math.Abs(f*b)) // the quotient is rounded
		p.TouchRow(e.Row)
		p.TouchCols(e.Row)
	}

	// The costs of the other columns have changed, so that they are visited again.
	p.DropCol(j)
	for _, c := range rest.cols {
		p.ColQueue.Add(c)
	}
	p.count.Removed++
}
