package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// grid is the set of values start + k*step of a column, k integer. With step 0 it is the one value start; unless
// started holds it is empty.
type grid struct {
	start, step float64
	started     bool
	largest     float64 // the largest number that had to be a multiple of the step
}

// reach refines the grid so that it contains the value v. An infinite value changes nothing.
func (g *grid) reach(v float64) {
	switch {
	case math.IsInf(v, 0):
	case !g.started:
		g.start = v
		g.started = true
	default:
		g.refine(v - g.start)
	}
}

// refine reduces the step to a divisor of d. A step that is as small as rounding errors is not changed any more:
// otherwise the next, larger d would replace it.
func (g *grid) refine(d float64) {
	// The tolerance is relative to the largest distance that has to be a multiple.
	a, b := math.Abs(d), g.step
	g.largest = math.Max(g.largest, a)
	tol := gridTol * math.Max(1, g.largest)

	if b > 0 && b <= tol {
		return
	}

	// The Euclidean algorithm, with remainders below the tolerance as 0.
	for b > tol {
		a, b = b, math.Abs(math.Remainder(a, b))
	}

	// The remainder has rounding errors of all steps; a divisor of the largest distance has one.
	if a > 0 {
		g.step = g.largest / math.Round(g.largest/a)
	}
}

// holds reports whether a bound is on the grid; a bound that rows imply may have been relaxed by boundPad.
func (g *grid) holds(v float64) bool {
	if math.IsInf(v, 0) {
		return true
	}
	d := v - g.start
	return math.Abs(math.Remainder(d, g.step)) <= 2*boundPad*math.Max(1, math.Abs(v))
}

// impliedIntegers finds continuous columns that may be restricted to a grid: either an equation over integer columns
// excludes all other values, or all rows restrict the column to intervals with ends on the grid, one of which is
// optimal. The column is replaced by an integer column that counts the steps of the grid.
func (p *problem) impliedIntegers() {
	if !p.has(ImpliedIntegers) {
		return
	}

	// alone is the number of continuous columns in each row.
	p.Work += p.A.NNZ
	alone := make([]int32, len(p.RowLo))
	for j := range int32(len(p.Lo)) {
		if p.GoneCol[j] || p.integer[j] {
			continue
		}
		for e := range p.A.Col(j) {
			alone[e.Row]++
		}
	}

	// All columns are visited, in order, and a column again when another one in its row has become integer: a chain of
	// stocks is found from its first one on, whatever the order of the columns.
	queue := sparse.NewQueue(len(p.Lo))
	for j := range int32(len(p.Lo)) {
		queue.Add(j)
	}
	var visits []int32
	for queue.Len() > 0 && p.running() {
		visits = queue.Take(visits)
		for _, j := range visits {
			p.impliedInteger(j, alone, &queue)
		}
	}
}

// impliedInteger replaces column j by an integer column if it is continuous and may be restricted to a grid. It queues
// columns that are then alone in a row.
func (p *problem) impliedInteger(j int32, alone []int32, queue *sparse.Queue) {
	candidate := !p.GoneCol[j] && !p.integer[j] && p.A.ColLen[j] != 0
	if !candidate || !p.running() {
		return
	}
	g, ok := p.gridOf(j, alone)
	if !ok {
		return
	}
	p.countSteps(j, g)

	// The column no longer counts in its rows.
	for e := range p.A.Col(j) {
		if alone[e.Row]--; alone[e.Row] != 1 {
			continue
		}
		p.Work += int(p.A.RowLen[e.Row])
		for f := range p.A.Row(e.Row) {
			if !p.integer[f.Col] {
				queue.Add(f.Col)
			}
		}
	}
}

// gridOf returns the grid of a continuous column: that of the equation with the largest step, or otherwise the one that
// all rows and bounds allow.
func (p *problem) gridOf(j int32, alone []int32) (grid, bool) {
	var one, all grid
	whole := true // the column is alone in all rows
	for e := range p.A.Col(j) {
		// Another continuous column in the row leaves this one all values.
		if alone[e.Row] != 1 {
			whole = false
			continue
		}

		// An equation over integer columns decides alone, whatever the other rows are.
		if p.RowLo[e.Row] == p.RowUp[e.Row] {
			var g grid
			p.reachRow(&g, e.Row, j, e.Val)
			if g.step > one.step && p.usable(j, g) && p.onGrid(&g, e.Row, j, e.Val) {
				one = g
			}
		}
		if whole {
			p.reachRow(&all, e.Row, j, e.Val)
		}
	}

	if one.step > 0 {
		return one, true
	}

	// Without such an equation the column must be the only continuous one in all its rows.
	fits := whole && p.usable(j, all) && all.holds(p.Lo[j])
	return all, fits && all.holds(p.Up[j]) && p.allOnGrid(j, &all)
}

// allOnGrid reports whether onGrid holds for all rows of column j.
func (p *problem) allOnGrid(j int32, g *grid) bool {
	for e := range p.A.Col(j) {
		if !p.onGrid(g, e.Row, j, e.Val) {
			return false
		}
	}
	return true
}

// onGrid reports whether the distances of the side and the entries of row i, divided by the entry v of x_j, from
// multiples of the step add up to a small part of the tolerance of the row, within the bounds of the other columns. So
// a step of 1e-6 beside an entry of 1e5 is accepted only if the other columns are small.
func (p *problem) onGrid(g *grid, i, j int32, v float64) bool {
	// The sides first, if they are finite: each must be a multiple of the step, from the start.
	rest := 0.0
	for _, side := range [2]float64{p.RowLo[i], p.RowUp[i]} {
		if !math.IsInf(side, 0) {
			rest += math.Abs(math.Remainder(side/v-g.start, g.step))
		}
	}

	// Then the other columns, each at most as far from zero as its bounds allow.
	for e := range p.A.Row(i) {
		if e.Col != j {
			bound := math.Min(math.Max(math.Abs(p.Lo[e.Col]), math.Abs(p.Up[e.Col])), gridMaxSteps)
			rest += bound * math.Abs(math.Remainder(e.Val/v, g.step))
		}
	}

	p.Work += int(p.A.RowLen[i])
	return rest*math.Abs(v) <= sidePart*p.opt.Feasibility
}

// reachRow refines the grid so that it contains the ends of the intervals to which row i, where x_j has the entry v,
// restricts x_j for integer values of all other columns.
func (p *problem) reachRow(g *grid, i, j int32, v float64) {
	// The ends for all other columns at zero, then the steps that each of them adds.
	g.reach(p.RowLo[i] / v)
	g.reach(p.RowUp[i] / v)

	for e := range p.A.Row(i) {
		if e.Col != j {
			g.refine(e.Val / v)
		}
	}
	p.Work += 10 * int(p.A.RowLen[i])
}

// usable reports whether the steps of the grid are large enough to be counted in column j, and the entries of its rows,
// multiplied by them, far from rounding errors. If start and steps are large and cancel, their rounding must be below
// the tolerance of the rows.
func (p *problem) usable(j int32, g grid) bool {
	// A start far from zero, in steps, has no digits left for the steps.
	far := math.Abs(g.start) > hugeInteger*g.step || math.Abs(g.start) > gridStart
	width := p.Up[j] - p.Lo[j]
	many := width > gridMaxSteps*g.step && !math.IsInf(width, 1)
	if far || many || !(g.step >= gridMinStep) {
		return false
	}

	// The new entries are the old ones times the step, and the sides move by the entry times the start.
	for e := range p.A.Col(j) {
		v := math.Abs(e.Val)
		if v*g.step < gridMinStep || v*math.Max(g.step, math.Abs(g.start)) > gridFar {
			return false
		}
	}
	return true
}

// countSteps replaces column j by the integer column that counts the steps from the start of its grid.
func (p *problem) countSteps(j int32, g grid) {
	// A start that is a multiple of the step gives the same grid as 0.
	if start := math.Remainder(g.start, g.step); math.Abs(start)*math.Max(1, p.ColMax(j)) <= exactTol {
		g.start = 0
	}

	p.stack = append(p.stack, &countedCol{j, g.start, g.step})

	// x_j = start + step*k in the rows, the objective and the bounds.
	for e := range p.A.Col(j) {
		p.ShiftRow(e.Row, e.Val, g.start)
		e.Val *= g.step
		p.TouchRow(e.Row)
	}
	p.Offset += p.Cost[j] * g.start
	p.Cost[j] *= g.step
	p.integer[j] = true

	// The number of steps has integral bounds, rounded inward within the tolerance.
	lo := math.Ceil((p.Lo[j]-g.start)/g.step - p.opt.Feasibility)
	up := math.Floor((p.Up[j]-g.start)/g.step + p.opt.Feasibility)
	p.moveBounds(j, lo, up)
	p.crossing(j)
	p.facts.rename(j)
	p.count.ImpliedIntegers++
}

// countedCol is a column that was replaced by the number of its steps.
type countedCol struct {
	j           int32
	start, step float64
}

// undo computes the value of the column from its number of steps.
func (r *countedCol) undo(x []float64) { x[r.j] = r.start + r.step*x[r.j] }

// forward computes the number of steps, which need not be an integer.
func (r *countedCol) forward(x []float64) { x[r.j] = (x[r.j] - r.start) / r.step }
