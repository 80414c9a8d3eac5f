package simplex

import (
	"math"

	"github.com/proxybd/proxybd/lp"
)

// presolver makes a model smaller by reductions that keep its optimum (Andersen and Andersen 1995):
//
//   - rows without entries, and sides that the bounds of the columns imply, go;
//   - a row with one entry becomes bounds of its column;
//   - a row whose bounds leave one point only fixes its columns there;
//   - a fixed column goes into the sides, an empty one to its cheapest bound, and so does one that no
//     row stops on its way there;
//   - an equation with two columns replaces one of them by the other;
//   - a column with one entry whose bounds the row implies is determined by the row; both go.
//
// postsolve turns a basis of the reduced model into one of the whole model, from which the solver
// goes on. That makes the answer, its duals and its certificates those of the whole model, and it is
// checked there; a basis that is not quite optimal costs a few pivots and nothing else.
type presolver struct {
	n, m               int
	sense, offset      float64   // of the model; offset minimised
	lo, up, cost       []float64 // of the columns, minimised
	rlo, rup           []float64
	rows, cols         []entries // entries of dead rows and columns are skipped
	rowLive, colLive   []bool
	rowCount, colCount []int
	stack              []reduction
	rowQueue, colQueue worklist
	failed             bool // infeasible or unbounded as far as presolve can see: left to the solver
}

// entries are the entries of one row or column.
type entries struct {
	index []int32
	value []float64
}

// reduction is what postsolve needs to know about one step.
type reduction struct {
	kind     reductionKind
	row, col int32
	other    int32     // aggregated: the column that stays
	status   VarStatus // of the column, or of the row's logical
	lower    bool      // the column that stays has its lower bound from this step
	upper    bool
	flip     bool // a lower bound of the one is an upper bound of the other
}

type reductionKind uint8

const (
	slackRow     reductionKind = iota // the logical of the row is basic
	fixedColumn                       // the column is nonbasic with the status
	singletonRow                      // the row became bounds of the column
	freeColumn                        // the column is basic, the logical of the row has the status
	aggregated                        // the equation gave the column in terms of the other one
)

// worklist is a queue of numbers in which each is at most once.
type worklist struct {
	items []int32
	in    []bool
}

func (w *worklist) push(k int32) {
	if !w.in[k] {
		w.in[k] = true
		w.items = append(w.items, k)
	}
}

func (w *worklist) pop() int32 {
	k := w.items[0]
	w.items = w.items[1:]
	w.in[k] = false
	return k
}

func newPresolver(m *lp.Model, a *lp.Matrix) *presolver {
	sense := 1.0
	if m.Maximize {
		sense = -1
	}
	p := &presolver{n: len(m.Cols), m: len(m.Rows), sense: sense, offset: sense * m.Offset}
	a = cloneMatrix(a)
	byRow := a.Transpose()
	for j := range m.Cols {
		c := &m.Cols[j]
		p.lo, p.up, p.cost = append(p.lo, c.Lower), append(p.up, c.Upper), append(p.cost, sense*c.Cost)
		index, value := a.Vec(j)
		p.cols = append(p.cols, entries{index, value})
		p.colCount = append(p.colCount, len(index))
		p.colLive = append(p.colLive, true)
	}
	for i := range m.Rows {
		p.rlo, p.rup = append(p.rlo, m.Rows[i].Lower), append(p.rup, m.Rows[i].Upper)
		index, value := byRow.Vec(i)
		p.rows = append(p.rows, entries{index, value})
		p.rowCount = append(p.rowCount, len(index))
		p.rowLive = append(p.rowLive, true)
	}
	p.rowQueue.in, p.colQueue.in = make([]bool, p.m), make([]bool, p.n)
	return p
}

// reduce applies the reductions until nothing changes or the work is used up.
func (p *presolver) reduce() {
	for i := range p.m {
		p.rowQueue.push(int32(i))
	}
	for j := range p.n {
		p.colQueue.push(int32(j))
	}
	for steps := presolvePasses * (p.n + p.m); steps > 0 && !p.failed; steps-- {
		switch {
		case len(p.rowQueue.items) > 0:
			if i := p.rowQueue.pop(); p.rowLive[i] {
				p.reduceRow(i)
			}
		case len(p.colQueue.items) > 0:
			if j := p.colQueue.pop(); p.colLive[j] {
				p.reduceColumn(j)
			}
		default:
			return
		}
	}
}

// presolvePasses bounds the looks at rows and columns, as a multiple of their number.
const presolvePasses = 10

func (p *presolver) removeRow(i int32, r reduction) {
	r.row = i
	p.stack = append(p.stack, r)
	p.rowLive[i] = false
	for _, j := range p.rows[i].index {
		if p.colLive[j] {
			p.colCount[j]--
			p.colQueue.push(j)
		}
	}
}

// fix removes column j at the bound that the status names.
func (p *presolver) fix(j int32, st VarStatus) {
	x := valueAt(st, p.lo[j], p.up[j])
	if isInf(x) {
		p.failed = true
		return
	}
	p.stack = append(p.stack, reduction{kind: fixedColumn, col: j, status: st})
	p.offset += p.cost[j] * x
	p.dropColumn(j)
	for k, i := range p.cols[j].index {
		if p.rowLive[i] {
			p.rlo[i] -= p.cols[j].value[k] * x
			p.rup[i] -= p.cols[j].value[k] * x
		}
	}
}

func (p *presolver) dropColumn(j int32) {
	p.colLive[j] = false
	for _, i := range p.cols[j].index {
		if p.rowLive[i] {
			p.rowCount[i]--
			p.rowQueue.push(i)
		}
	}
}

// activity returns the range of row i over the bounds of its live columns but one.
func (p *presolver) activity(i, without int32) (least, most float64) {
	row := p.rows[i]
	for k, j := range row.index {
		if !p.colLive[j] || j == without {
			continue
		}
		a, lo, up := row.value[k], p.lo[j], p.up[j]
		if a < 0 {
			lo, up = up, lo
		}
		least += a * lo
		most += a * up
	}
	return least, most
}

func (p *presolver) reduceRow(i int32) {
	if p.rowCount[i] == 1 {
		p.rowToBounds(i)
		return
	}
	least, most := p.activity(i, -1)
	tol := presolveTol * (1 + min(math.Abs(p.rlo[i]), math.Abs(p.rup[i])))
	switch {
	case least > p.rup[i]+tol || most < p.rlo[i]-tol:
		p.failed = true
	case least >= p.rlo[i] && most <= p.rup[i] || isInf(p.rlo[i]) && isInf(p.rup[i]):
		p.removeRow(i, reduction{kind: slackRow})
	case p.rowCount[i] == 0:
		p.removeRow(i, reduction{kind: slackRow})
	case least >= p.rup[i]-tol/1e3:
		p.force(i, 1)
	case most <= p.rlo[i]+tol/1e3:
		p.force(i, -1)
	case p.rowCount[i] == 2 && p.rlo[i] == p.rup[i] && p.aggregate(i):
	case least >= p.rlo[i]:
		p.rlo[i] = math.Inf(-1)
	case most <= p.rup[i]:
		p.rup[i] = math.Inf(1)
	}
}

const presolveTol = 1e-7 // violation, relative to 1 plus the side, that presolve leaves to the solver to judge

// force fixes every column of row i where the row is smallest (dir 1) or largest (dir -1).
func (p *presolver) force(i int32, dir float64) {
	row := p.rows[i]
	p.removeRow(i, reduction{kind: slackRow})
	for k, j := range row.index {
		if !p.colLive[j] {
			continue
		}
		st := AtLower
		if dir*row.value[k] < 0 {
			st = AtUpper
		}
		p.fix(j, st)
	}
}

// rowToBounds turns a row with one entry into bounds of its column.
func (p *presolver) rowToBounds(i int32) {
	row := p.rows[i]
	for k, j := range row.index {
		if !p.colLive[j] {
			continue
		}
		a := row.value[k]
		lo, up := p.rlo[i]/a, p.rup[i]/a
		if a < 0 {
			lo, up = up, lo
		}
		r := reduction{kind: singletonRow, col: j, lower: lo > p.lo[j], upper: up < p.up[j], flip: a < 0}
		p.lo[j], p.up[j] = max(p.lo[j], lo), min(p.up[j], up)
		if gap := p.lo[j] - p.up[j]; gap > 0 {
			if gap > presolveTol*(1+math.Abs(p.up[j])) {
				p.failed = true
				return
			}
			p.lo[j] = p.up[j]
		}
		p.removeRow(i, r)
		p.requeueRows(j)
		return
	}
}

func (p *presolver) requeueRows(j int32) {
	for _, i := range p.cols[j].index {
		if p.rowLive[i] {
			p.rowQueue.push(i)
		}
	}
}

func (p *presolver) reduceColumn(j int32) {
	if p.lo[j] == p.up[j] {
		p.fix(j, AtLower)
		return
	}
	if p.colCount[j] == 1 && p.substitute(j) {
		return
	}
	down, up := p.locks(j)
	switch {
	case p.cost[j] >= 0 && !down && !isInf(p.lo[j]):
		p.fix(j, AtLower)
	case p.cost[j] <= 0 && !up && !isInf(p.up[j]):
		p.fix(j, AtUpper)
	case p.colCount[j] == 0 && p.cost[j] == 0 && isInf(p.lo[j]) && isInf(p.up[j]):
		p.fix(j, AtZero)
	}
}

// locks reports whether a row stops column j on its way down or up.
func (p *presolver) locks(j int32) (down, up bool) {
	col := p.cols[j]
	for k, i := range col.index {
		if !p.rowLive[i] {
			continue
		}
		lo, hi := !isInf(p.rlo[i]), !isInf(p.rup[i])
		if col.value[k] < 0 {
			lo, hi = hi, lo
		}
		down, up = down || lo, up || hi
	}
	return down, up
}

// substitute removes column j, whose only entry is in row i, together with the row, if the row
// implies the bounds of the column: the column is then as good as free, the dual value of the row is
// cost/a, and its sign says which side of the row holds.
func (p *presolver) substitute(j int32) bool {
	i, a := p.onlyEntry(j)
	side, st := p.rlo[i], AtLower
	dual := p.cost[j] / a
	if dual < 0 || dual == 0 && isInf(side) {
		side, st = p.rup[i], AtUpper
	}
	if isInf(side) || math.Abs(a) < substituteTol*p.largest(i) {
		return false
	}
	least, most := p.activity(i, j)
	lo, up := (side-most)/a, (side-least)/a
	if a < 0 {
		lo, up = up, lo
	}
	if !(lo >= p.lo[j] && up <= p.up[j]) {
		return false
	}
	p.stack = append(p.stack, reduction{kind: freeColumn, row: i, col: j, status: st})
	p.offset += dual * side
	p.colLive[j], p.rowLive[i] = false, false
	row := p.rows[i]
	for k, q := range row.index {
		if !p.colLive[q] {
			continue
		}
		p.cost[q] -= dual * row.value[k]
		p.colCount[q]--
		p.colQueue.push(q)
	}
	return true
}

// substituteTol is the least size of a pivot of substitute, relative to the largest entry of its row.
const substituteTol = 1e-3

func (p *presolver) onlyEntry(j int32) (int32, float64) {
	col := p.cols[j]
	for k, i := range col.index {
		if p.rowLive[i] {
			return i, col.value[k]
		}
	}
	return -1, 0
}

func (p *presolver) largest(i int32) float64 {
	v := 0.0
	for k, j := range p.rows[i].index {
		if p.colLive[j] {
			v = max(v, math.Abs(p.rows[i].value[k]))
		}
	}
	return v
}
