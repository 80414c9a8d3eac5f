package simplex

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/sparse"
)

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

// States of a column of the builder in colPivot, where it has no pivot.
const (
	colActive  = -1
	colDropped = -2
)

// build factors the basis made of the variables cand: variable v < n is column v of a, variable n+i the
// logical -e_i. It writes the variable of each pivot to head, which has one entry a row. Candidates
// without a good pivot are listed in dropped, and rows left over get their logical (filled).
func (f *factor) build(head, cand []int32, n int, a *sparse.Dynamic) {
	// The work of the factorisation starts the clock of the updates.
	before := f.work
	f.builds++
	f.reset(len(head))
	b := &f.b
	b.reset(f.m)
	fill(head, -1)

	// Logicals are pivots in their own rows.
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

	// What is left is triangular but for the kernel, in which each pivot changes the rest (Suhl and Suhl 1990).
	b.load(a)
	f.pivotSingletons(head, a)
	f.pivotKernel(head, a)
	f.replaceSingular(head, n)

	f.finish()
	f.invert(head, n)
	f.startClock(before)
	f.ok = true
}

// reset makes room for m rows.
func (b *builder) reset(m int) {
	b.vars = b.vars[:0]
	b.rowDone = zeroed(b.rowDone, m)
	b.rowCount = zeroed(b.rowCount, m)
	b.rowStart = zeroed(b.rowStart, m+1)

	// Triplets of U and etas of L.
	b.tRow = b.tRow[:0]
	b.tCol = b.tCol[:0]
	b.tVal = b.tVal[:0]
	b.eRow = b.eRow[:0]
	b.eVal = b.eVal[:0]
	b.eEnd = b.eEnd[:0]
}

// load counts the active entries of the columns and makes the row-wise pattern.
func (b *builder) load(a *sparse.Dynamic) {
	// The counts are of active rows only: rows with a logical are done.
	nk := len(b.vars)
	b.colCount = resize(b.colCount, nk)
	b.colPivot = resize(b.colPivot, nk)
	fill(b.colPivot, colActive)
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
		b.colCount[k] = cnt
		total += int(cnt)
	}

	// Rows are laid out one behind the other.
	at := 0
	for i, c := range b.rowCount {
		b.rowStart[i] = at
		at += int(c)
	}
	b.rowStart[len(b.rowCount)] = at

	// While a row is filled its start is the place of its next entry, at the end that is where the next row starts.
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
	copy(b.rowStart[1:], b.rowStart)
	b.rowStart[0] = 0
}

// pivotSingletons pivots on columns, then rows, with a single active entry, until there are none.
// None of these pivots changes the rest of the matrix.
func (f *factor) pivotSingletons(head []int32, a *sparse.Dynamic) {
	// Singletons are pivoted from the ends of stacks, columns before rows: a column singleton adds nothing to L.
	b := &f.b
	b.colStack = b.colStack[:0]
	b.rowStack = b.rowStack[:0]
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

	// A column or row on a stack may have lost its last entry since.
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

// pivotColumnSingleton pivots on the only active entry of column k. The rest of the column belongs to U, and L gets
// nothing.
func (f *factor) pivotColumnSingleton(head []int32, a *sparse.Dynamic, k int32) {
	b := &f.b

	// All other rows of the column are done.
	index, value := a.Vec(int(b.vars[k]))
	f.charge(len(index))
	at := slices.IndexFunc(index, func(i int32) bool { return !b.rowDone[i] })
	row := index[at]
	pivot := value[at]
	if math.Abs(pivot) < f.least {
		return
	}

	for p, i := range index {
		if i != row {
			b.triplet(i, k, value[p])
		}
	}
	f.takePivot(head, row, k, pivot)

	// The other columns lose their entries in the row.
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

// pivotRowSingleton pivots on the only active entry of a row. The rest of its column is eliminated: entries of rows
// that are done belong to U, the others to an eta of L.
func (f *factor) pivotRowSingleton(head []int32, a *sparse.Dynamic, row int32) {
	b := &f.b
	cols := b.rowCols[b.rowStart[row]:b.rowStart[row+1]]
	k := cols[slices.IndexFunc(cols, func(c int32) bool { return b.colPivot[c] == colActive })]
	index, value := a.Vec(int(b.vars[k]))
	f.charge(len(index))
	pivot := value[slices.Index(index, row)]
	if math.Abs(pivot) < f.least {
		return
	}

	// Nothing else is in the pivot row, so the elimination changes no other column.
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

// takePivot makes column k the one of row.
func (f *factor) takePivot(head []int32, row, k int32, pivot float64) {
	f.b.rowDone[row] = true
	f.b.colPivot[k] = row
	head[row] = f.b.vars[k]
	f.pushPivot(row, pivot)
}

// triplet adds an entry of U.
func (b *builder) triplet(row, k int32, v float64) {
	b.tRow = append(b.tRow, row)
	b.tCol = append(b.tCol, k)
	b.tVal = append(b.tVal, v)
}

// eta adds an entry of the eta of L at hand.
func (b *builder) eta(row int32, v float64) {
	b.eRow = append(b.eRow, row)
	b.eVal = append(b.eVal, v)
}

// closeEta ends the eta of the pivot id; an empty one is left out.
func (f *factor) closeEta(id int32) {
	// The entries since the end of the last eta belong to this one.
	b := &f.b
	begin := 0
	if len(b.eEnd) > 0 {
		begin = b.eEnd[len(b.eEnd)-1]
	}

	if len(b.eRow) > begin {
		b.eEnd = append(b.eEnd, len(b.eRow))
		f.lOrder = append(f.lOrder, id)
	}
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
	f.charge(4 * f.buildNNZ)
}

// finishL takes the etas over as the columns of L, and makes its rows from them.
func (f *factor) finishL() {
	// The columns of L are the etas as they are; its rows are counted, laid out, and filled.
	b := &f.b
	f.l.reset(f.m, values)
	f.l.index = append(f.l.index, b.eRow...)
	f.l.value = append(f.l.value, b.eVal...)

	f.lt.reset(f.m, values)
	count := zeroed(b.rowCount, f.m)
	for _, i := range b.eRow {
		count[i]++
	}
	f.lt.layout(count, 0)

	// The etas are in the pool one behind the other, as they were made.
	begin := 0
	for e, id := range f.lOrder {
		end := b.eEnd[e]
		f.l.place(id, begin, int32(end-begin))
		for p := begin; p < end; p++ {
			f.lt.push(b.eRow[p], id, b.eVal[p], 0)
		}
		begin = end
	}

	for k := len(f.order) - 1; k >= f.first; k-- {
		if id := f.order[k]; f.lt.len[id] > 0 {
			f.ltIDs = append(f.ltIDs, id)
		}
	}
}

// finishU makes both copies of U. Rows and columns get some room to grow in updates.
func (f *factor) finishU() {
	// The rows and columns of U are laid out by their numbers of entries.
	b := &f.b
	f.u.reset(f.m, twins)
	f.ut.reset(f.m, twins)

	count := b.rowCount
	clear(count)
	for _, i := range b.tRow {
		count[i]++
	}
	f.ut.layout(count, 2)

	// Entries of columns that were dropped are left out.
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
