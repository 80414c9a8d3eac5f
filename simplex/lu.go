package simplex

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// factor holds the basis matrix B as L R^-1 U = B up to permutations (Forrest and Tomlin 1972; Suhl and
// Suhl 1990). Every pivot is named by its row, its id; the basic variable of a pivot is head[id],
// so that positions in the basis and rows of the model are the same numbers.
//
//   - L: one column eta for each pivot that eliminated something, in the order of lOrder.
//   - R: one row eta for each update.
//   - U: by columns (u) and by rows (ut), triangular in the order of order[first:].
type factor struct {
	m     int
	pivot []float64 // diagonal of U, by id
	order []int32   // ids in triangular order, -1 where a pivot has moved
	pos   []int32   // where an id stands in order
	first int       // order[:first] is room for rows added later

	l, lt  lists   // etas of L by pivot, and its rows
	lOrder []int32 // ids with an eta, in pivot order
	ltIDs  []int32 // ids with a row in lt, in reverse pivot order

	u, ut lists

	rPivot []int32 // R etas: x[rPivot] += rValue'x[rIndex]
	rStart []int
	rIndex []int32
	rValue []float64

	updates   int
	builds    int     // factorisations, ever
	buildNNZ  int     // entries of L and U after build
	work      float64 // nonzeros touched, ever
	drop      float64 // entries below it are dropped from a solve
	clock     clock
	spike     savedVector
	row       savedVector
	dropped   []int32 // candidates that build could not pivot
	filled    []int32 // rows that got their logical instead
	topo      []int32
	stack     []int32
	stackPos  []int32
	mark      []int32
	markStamp int32
	b         builder

	ok        bool    // the factors are those of the basis, but for rows added since
	threshold float64 // a pivot is at least this fraction of the largest entry of its column
	density   densities
	way       partSolve      // of tau
	scratch   *sparse.Vector // of update
}

// densities are running densities of the results of each kind of solve.
type densities struct{ btran, ftran, tau, flip float64 }

// invalidate says that the basis must be factored anew.
func (f *factor) invalidate() { f.ok = false }

// setThreshold sets the least size of the pivots of the next factorisations, beside the others of their columns.
func (f *factor) setThreshold(threshold float64) { f.threshold = threshold }

// charge counts n units of work, about one a nonzero touched.
func (f *factor) charge(n int) { f.work += float64(n) }

// chargeMoves counts entries of the partition that were looked at, which cost less.
func (f *factor) chargeMoves(n int) { f.work += float64(n) / 4 }

// savedVector is a partial solve that update needs: the spike R L^-1 a_q, or the row U^-T e_p.
type savedVector struct {
	index []int32
	value []float64
	id    int32 // of the row: p; -1 when nothing is saved
}

func (s *savedVector) save(x *sparse.Vector) {
	s.index, s.value = s.index[:0], s.value[:0]
	if x.N < 0 {
		for i, v := range x.Value {
			if math.Abs(v) > dropTol {
				s.index = append(s.index, int32(i))
				s.value = append(s.value, v)
			}
		}
		return
	}
	for _, i := range x.Index[:x.N] {
		if v := x.Value[i]; math.Abs(v) > dropTol {
			s.index = append(s.index, i)
			s.value = append(s.value, v)
		}
	}
}

// builder is the work space of build. Columns are local numbers k of the structural candidates.
type builder struct {
	vars     []int32 // variable of column k
	colCount []int32 // entries in active rows
	colPivot []int32 // id, colActive or colDropped
	rowCount []int32 // entries in active columns
	rowDone  []bool
	rowStart []int
	rowCols  []int32
	colStack []int32
	rowStack []int32

	// U as triplets: row id, column k
	tRow, tCol []int32
	tVal       []float64

	// L as etas in pivot order
	eRow []int32
	eVal []float64
	eEnd []int

	k kernel
}

const (
	colActive  = -1
	colDropped = -2
)

// build factors the basis made of the variables cand: variable v < n is column v of a, variable n+i the
// logical -e_i. It writes the variable of each pivot to head, which has one entry a row. Candidates
// without a good pivot are listed in dropped, and rows left over get their logical (filled).
func (f *factor) build(head, cand []int32, n int, a *sparse.Dynamic) {
	before := f.work
	f.builds++
	f.reset(len(head))
	b := &f.b
	b.reset(f.m)
	for i := range head {
		head[i] = -1
	}
	for _, v := range cand {
		if int(v) < n {
			b.vars = append(b.vars, v)
			continue
		}
		i := v - int32(n)
		head[i] = v
		b.rowDone[i] = true
		f.pushPivot(i, -1)
	}
	b.load(a)
	f.pivotSingletons(head, a)
	f.pivotKernel(head, a)
	f.replaceSingular(head, n)
	f.finish()
	f.startClock(before)
	f.ok = true
}

func (f *factor) reset(m int) {
	f.m = m
	f.first = m/2 + 64
	f.order = resize(f.order, f.first)[:f.first]
	for i := range f.order {
		f.order[i] = -1
	}
	f.pos = resize(f.pos, m)
	f.pivot = resize(f.pivot, m)
	f.lOrder, f.ltIDs = f.lOrder[:0], f.ltIDs[:0]
	f.rPivot, f.rStart, f.rIndex, f.rValue = f.rPivot[:0], append(f.rStart[:0], 0), f.rIndex[:0], f.rValue[:0]
	f.updates = 0
	f.drop = dropTol
	f.spike.id, f.row.id = -1, -1
	f.dropped, f.filled = f.dropped[:0], f.filled[:0]
	f.sizeScratch()
}

func (f *factor) sizeScratch() {
	if f.scratch == nil {
		f.scratch = sparse.NewVector(f.m)
	}
	if len(f.mark) < f.m {
		f.mark = make([]int32, f.m+f.m/4+8)
		f.markStamp = 0
	}
	f.topo = resize(f.topo, f.m)
	f.stack = resize(f.stack, f.m)
	f.stackPos = resize(f.stackPos, f.m)
}

func (f *factor) pushPivot(id int32, v float64) {
	f.pivot[id] = v
	f.pos[id] = int32(len(f.order))
	f.order = append(f.order, id)
}

func (b *builder) reset(m int) {
	b.vars = b.vars[:0]
	b.rowDone = resize(b.rowDone, m)
	b.rowCount = resize(b.rowCount, m)
	b.rowStart = resize(b.rowStart, m+1)
	clear(b.rowDone)
	clear(b.rowCount)
	clear(b.rowStart)
	b.tRow, b.tCol, b.tVal = b.tRow[:0], b.tCol[:0], b.tVal[:0]
	b.eRow, b.eVal, b.eEnd = b.eRow[:0], b.eVal[:0], b.eEnd[:0]
}

// load counts the active entries of the columns and makes the row-wise pattern.
func (b *builder) load(a *sparse.Dynamic) {
	nk := len(b.vars)
	b.colCount = resize(b.colCount, nk)
	b.colPivot = resize(b.colPivot, nk)
	total := 0
	for k, v := range b.vars {
		index, _ := a.Vec(int(v))
		cnt := int32(0)
		for _, i := range index {
			if !b.rowDone[i] {
				b.rowCount[i]++
				cnt++
			}
		}
		b.colCount[k], b.colPivot[k] = cnt, colActive
		total += int(cnt)
	}
	at := 0
	for i, c := range b.rowCount {
		b.rowStart[i] = at
		at += int(c)
	}
	b.rowStart[len(b.rowCount)] = at
	b.rowCols = resize(b.rowCols, total)
	for k, v := range b.vars {
		index, _ := a.Vec(int(v))
		for _, i := range index {
			if !b.rowDone[i] {
				b.rowCols[b.rowStart[i]] = int32(k)
				b.rowStart[i]++
			}
		}
	}
	for i := len(b.rowCount); i > 0; i-- { // undo the advance
		b.rowStart[i] = b.rowStart[i-1]
	}
	b.rowStart[0] = 0
}

// pivotSingletons pivots on columns, then rows, with a single active entry, until there are none.
// None of these pivots changes the rest of the matrix.
func (f *factor) pivotSingletons(head []int32, a *sparse.Dynamic) {
	b := &f.b
	b.colStack, b.rowStack = b.colStack[:0], b.rowStack[:0]
	for k := len(b.vars) - 1; k >= 0; k-- {
		if b.colCount[k] == 1 {
			b.colStack = append(b.colStack, int32(k))
		}
	}
	for i := f.m - 1; i >= 0; i-- {
		if !b.rowDone[i] && b.rowCount[i] == 1 {
			b.rowStack = append(b.rowStack, int32(i))
		}
	}
	for len(b.colStack)+len(b.rowStack) > 0 {
		if top := len(b.colStack) - 1; top >= 0 {
			k := b.colStack[top]
			b.colStack = b.colStack[:top]
			if b.colPivot[k] == colActive && b.colCount[k] == 1 {
				f.pivotColumnSingleton(head, a, k)
			}
			continue
		}
		top := len(b.rowStack) - 1
		i := b.rowStack[top]
		b.rowStack = b.rowStack[:top]
		if !b.rowDone[i] && b.rowCount[i] == 1 {
			f.pivotRowSingleton(head, a, i)
		}
	}
}

func (f *factor) pivotColumnSingleton(head []int32, a *sparse.Dynamic, k int32) {
	b := &f.b
	index, value := a.Vec(int(b.vars[k]))
	f.work += float64(len(index))
	row, pivot := int32(-1), 0.0
	for p, i := range index {
		if !b.rowDone[i] {
			row, pivot = i, value[p]
			break
		}
	}
	if math.Abs(pivot) < pivotTol {
		return
	}
	for p, i := range index {
		if i != row {
			b.triplet(i, k, value[p])
		}
	}
	f.takePivot(head, row, k, pivot)
	for _, c := range b.rowCols[b.rowStart[row]:b.rowStart[row+1]] {
		if b.colPivot[c] != colActive {
			continue
		}
		b.colCount[c]--
		if b.colCount[c] == 1 {
			b.colStack = append(b.colStack, c)
		}
	}
}

func (f *factor) pivotRowSingleton(head []int32, a *sparse.Dynamic, row int32) {
	b := &f.b
	k := int32(-1)
	for _, c := range b.rowCols[b.rowStart[row]:b.rowStart[row+1]] {
		if b.colPivot[c] == colActive {
			k = c
			break
		}
	}
	index, value := a.Vec(int(b.vars[k]))
	f.work += float64(len(index))
	pivot := 0.0
	for p, i := range index {
		if i == row {
			pivot = value[p]
			break
		}
	}
	if math.Abs(pivot) < pivotTol {
		return
	}
	for p, i := range index {
		switch {
		case i == row:
		case b.rowDone[i]:
			b.triplet(i, k, value[p])
		default:
			b.eta(i, value[p]/pivot)
			b.rowCount[i]--
			if b.rowCount[i] == 1 {
				b.rowStack = append(b.rowStack, i)
			}
		}
	}
	f.closeEta(row)
	f.takePivot(head, row, k, pivot)
}

func (f *factor) takePivot(head []int32, row, k int32, pivot float64) {
	f.b.rowDone[row] = true
	f.b.colPivot[k] = row
	head[row] = f.b.vars[k]
	f.pushPivot(row, pivot)
}

func (b *builder) triplet(row, k int32, v float64) {
	b.tRow = append(b.tRow, row)
	b.tCol = append(b.tCol, k)
	b.tVal = append(b.tVal, v)
}

func (b *builder) eta(row int32, v float64) {
	b.eRow = append(b.eRow, row)
	b.eVal = append(b.eVal, v)
}

// closeEta ends the eta of the pivot id; an empty one is left out.
func (f *factor) closeEta(id int32) {
	b := &f.b
	begin := 0
	if len(b.eEnd) > 0 {
		begin = b.eEnd[len(b.eEnd)-1]
	}
	if len(b.eRow) == begin {
		return
	}
	b.eEnd = append(b.eEnd, len(b.eRow))
	f.lOrder = append(f.lOrder, id)
}

// replaceSingular lists the candidates without a pivot and gives each row left over its logical. The
// eta of an earlier pivot may reach into such a row: the logical column stays -e_i under L all the same.
func (f *factor) replaceSingular(head []int32, n int) {
	b := &f.b
	for k, p := range b.colPivot {
		if p < 0 {
			b.colPivot[k] = colDropped
			f.dropped = append(f.dropped, b.vars[k])
		}
	}
	for i := range head {
		if head[i] >= 0 {
			continue
		}
		id := int32(i)
		head[i] = int32(n) + id
		f.filled = append(f.filled, id)
		f.pushPivot(id, -1)
	}
}

// finish turns the etas into l and lt, and the triplets into u and ut.
func (f *factor) finish() {
	f.finishL()
	f.finishU()
	f.buildNNZ = len(f.b.eRow) + len(f.b.tRow) + f.m
	f.work += 4 * float64(f.buildNNZ)
}

func (f *factor) finishL() {
	b := &f.b
	f.l.reset(f.m, values)
	f.lt.reset(f.m, values)
	count := resize(b.rowCount, f.m)
	clear(count)
	for _, i := range b.eRow {
		count[i]++
	}
	f.lt.layout(count, 0)
	f.l.index = append(f.l.index[:0], b.eRow...)
	f.l.value = append(f.l.value[:0], b.eVal...)
	begin := 0
	for e, id := range f.lOrder {
		end := b.eEnd[e]
		f.l.start[id], f.l.len[id], f.l.room[id] = begin, int32(end-begin), int32(end-begin)
		for p := begin; p < end; p++ {
			i := b.eRow[p]
			q := f.lt.start[i] + int(f.lt.len[i])
			f.lt.index[q], f.lt.value[q] = id, b.eVal[p]
			f.lt.len[i]++
		}
		begin = end
	}
	for k := len(f.order) - 1; k >= f.first; k-- {
		if id := f.order[k]; f.lt.len[id] > 0 {
			f.ltIDs = append(f.ltIDs, id)
		}
	}
}

func (f *factor) finishU() {
	b := &f.b
	f.u.reset(f.m, twins)
	f.ut.reset(f.m, twins)
	count := b.rowCount
	clear(count)
	for _, i := range b.tRow {
		count[i]++
	}
	f.ut.layout(count, 2)
	clear(count)
	for _, k := range b.tCol {
		if p := b.colPivot[k]; p >= 0 {
			count[p]++
		}
	}
	f.u.layout(count, 1)
	for t, k := range b.tCol {
		if c := b.colPivot[k]; c >= 0 {
			f.insertU(b.tRow[t], c, b.tVal[t])
		}
	}
}

// insertU adds an off-diagonal entry to both copies of U.
func (f *factor) insertU(row, col int32, v float64) {
	at := f.ut.len[row]
	f.ut.push(row, col, v, f.u.len[col])
	f.u.push(col, row, v, at)
}
