package presolve

import "math"

// grid is the set of the values start + k*step of a column, k integer. Without a step yet it is one value, without a
// start none.
type grid struct {
	start, step float64
	started     bool
	largest     float64 // the largest multiple of the step that was asked for
}

// reach makes the grid hold a value; what is infinite does not count.
func (g *grid) reach(v float64) {
	switch {
	case math.IsInf(v, 0):
	case !g.started:
		g.start, g.started = v, true
	default:
		g.refine(v - g.start)
	}
}

// refine makes the step a divisor of d, too. A step that is too fine to be told from rounding stays as it is: without
// that, the next larger d would take its place.
func (g *grid) refine(d float64) {
	a, b := math.Abs(d), g.step
	g.largest = math.Max(g.largest, a)
	tol := gridTol * math.Max(1, g.largest)
	if b > 0 && b <= tol {
		return
	}
	for b > tol {
		a, b = b, math.Abs(math.Remainder(a, b))
	}
	if a > 0 {
		g.step = g.largest / math.Round(g.largest/a)
	}
}

// holds reports whether a bound is on the grid; one that rows imply may have been relaxed by boundPad.
func (g *grid) holds(v float64) bool {
	if math.IsInf(v, 0) {
		return true
	}
	d := v - g.start
	return math.Abs(math.Remainder(d, g.step)) <= 2*boundPad*math.Max(1, math.Abs(v))
}

// impliedIntegers finds continuous columns whose values may be called the points of a grid: an equation over integer
// columns leaves no other values, or all rows leave ranges with ends on the grid, one of which is optimal. What counts
// its steps takes the place of the column, as an integer column.
func (p *problem) impliedIntegers() {
	if !p.has(ImpliedIntegers) {
		return
	}
	p.Work += p.A.NNZ
	alone := make([]int32, len(p.RowLo)) // continuous columns of each row
	for j := range p.Lo {
		if p.GoneCol[j] || p.integer[j] {
			continue
		}
		for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
			alone[p.A.E[k].Row]++
		}
	}
	for j := range int32(len(p.Lo)) {
		if p.GoneCol[j] || p.integer[j] || p.A.ColLen[j] == 0 || !p.running() {
			continue
		}
		if g, ok := p.gridOf(j, alone); ok {
			for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
				alone[p.A.E[k].Row]--
			}
			p.countSteps(j, g)
		}
	}
}

// gridOf returns the grid of a continuous column: that of the equation that leaves it the widest steps, else the one
// that all rows and bounds allow.
func (p *problem) gridOf(j int32, alone []int32) (grid, bool) {
	var one, all grid
	whole := true // the column is alone in all rows
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		e := &p.A.E[k]
		if alone[e.Row] != 1 {
			whole = false
			continue
		}
		if p.RowLo[e.Row] == p.RowUp[e.Row] {
			var g grid
			if p.reachRow(&g, e.Row, j, e.Val); g.step > one.step && p.usable(j, g) && p.onGrid(&g, e.Row, j, e.Val) {
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
	return all, whole && p.usable(j, all) && all.holds(p.Lo[j]) && all.holds(p.Up[j]) && p.allOnGrid(j, &all)
}

func (p *problem) allOnGrid(j int32, g *grid) bool {
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		if e := &p.A.E[k]; !p.onGrid(g, e.Row, j, e.Val) {
			return false
		}
	}
	return true
}

// onGrid reports whether what the grid leaves of the sides and entries of row i, where x_j has the entry v, is well
// within the tolerance of the row: an entry of 1e-6 beside one of 1e5 is, as a step, and not where the other column
// counts.
func (p *problem) onGrid(g *grid, i, j int32, v float64) bool {
	rest := 0.0
	for _, side := range [2]float64{p.RowLo[i], p.RowUp[i]} {
		if !math.IsInf(side, 0) {
			rest += math.Abs(math.Remainder(side/v-g.start, g.step))
		}
	}
	for k := p.A.RowHead[i]; k >= 0; k = p.A.E[k].NextR {
		if e := &p.A.E[k]; e.Col != j {
			bound := math.Min(math.Max(math.Abs(p.Lo[e.Col]), math.Abs(p.Up[e.Col])), gridMaxSteps)
			rest += bound * math.Abs(math.Remainder(e.Val/v, g.step))
		}
	}
	p.Work += int(p.A.RowLen[i])
	return rest*math.Abs(v) <= sidePart*p.opt.Feasibility
}

// reachRow makes the grid hold the ends of the ranges that row i leaves to x_j, which has the entry v there, for
// integer values of all other columns.
func (p *problem) reachRow(g *grid, i, j int32, v float64) {
	g.reach(p.RowLo[i] / v)
	g.reach(p.RowUp[i] / v)
	for k := p.A.RowHead[i]; k >= 0; k = p.A.E[k].NextR {
		if e := &p.A.E[k]; e.Col != j {
			g.refine(e.Val / v)
		}
	}
	p.Work += 10 * int(p.A.RowLen[i])
}

// usable reports whether the steps of the grid are worth counting in column j, and the entries of its rows are
// multiples of them beyond doubt; where start and steps are large and cancel, their rounding must be below the
// tolerance of the rows.
func (p *problem) usable(j int32, g grid) bool {
	if !(g.step >= gridMinStep) || math.Abs(g.start) > hugeInteger*g.step || math.Abs(g.start) > gridStart ||
		p.Up[j]-p.Lo[j] > gridMaxSteps*g.step && !math.IsInf(p.Up[j]-p.Lo[j], 1) {
		return false
	}
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		v := math.Abs(p.A.E[k].Val)
		if v*g.step < gridMinStep || v*math.Max(g.step, math.Abs(g.start)) > gridFar {
			return false
		}
	}
	return true
}

// countSteps lets column j stand for the number of steps from the start of its grid.
func (p *problem) countSteps(j int32, g grid) {
	if start := math.Remainder(g.start, g.step); math.Abs(start)*math.Max(1, p.ColMax(j)) <= exactTol {
		g.start = 0 // the same grid
	}
	p.stack = append(p.stack, &countedCol{j, g.start, g.step})
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		e := &p.A.E[k]
		p.ShiftRow(e.Row, e.Val, g.start)
		e.Val *= g.step
		p.TouchRow(e.Row)
	}
	p.Offset += p.Cost[j] * g.start
	p.Cost[j] *= g.step
	p.integer[j] = true
	p.moveBounds(j, math.Ceil((p.Lo[j]-g.start)/g.step-p.opt.Feasibility),
		math.Floor((p.Up[j]-g.start)/g.step+p.opt.Feasibility))
	p.crossing(j)
	p.facts.rename(j)
	p.count.ImpliedIntegers++
}

// countedCol is a column that counts the steps of what it was.
type countedCol struct {
	j           int32
	start, step float64
}

func (r *countedCol) undo(x []float64)    { x[r.j] = r.start + r.step*x[r.j] }
func (r *countedCol) forward(x []float64) { x[r.j] = (x[r.j] - r.start) / r.step }
