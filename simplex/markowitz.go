package simplex

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/sparse"
)

// kernel is the active submatrix that has no singletons: columns with values, rows as patterns, and
// doubly linked lists of both by their number of entries. Columns are builder numbers, rows are ids.
type kernel struct {
	col, row     lists
	colMax       []float64 // largest entry, -1 when not known
	byCol, byRow counts
	mult         []float64 // multipliers of the pivot column, by row; zero between pivots
	seen         []int32   // stamp: the entry of this row existed in the column at hand
	stamp        int32
	maxCount     int
	pivotRows    []int32
	cols         []int32
}

// counts are doubly linked lists of the rows or columns with the same number of entries.
type counts struct {
	head       []int32 // by number of entries: the first of its list, -1 for none
	next, prev []int32
}

// reset makes empty lists of n rows or columns with up to most entries.
func (l *counts) reset(n, most int) {
	l.next = resize(l.next, n)
	l.prev = resize(l.prev, n)
	l.head = resize(l.head, most+1)
	fill(l.head, -1)
}

// push puts x at the front of the list of count entries.
func (l *counts) push(count, x int32) {
	h := l.head[count]

	// The lists are doubly linked, so that a row or column leaves its list without a search.
	l.next[x] = h
	l.prev[x] = -1

	if h >= 0 {
		l.prev[h] = x
	}
	l.head[count] = x
}

// remove takes x out of the list of count entries.
func (l *counts) remove(count, x int32) {
	next := l.next[x]
	prev := l.prev[x]

	if prev >= 0 {
		l.next[prev] = next
	} else {
		l.head[count] = next
	}
	if next >= 0 {
		l.prev[next] = prev
	}
}

// pivotKernel pivots what the singletons left, by Markowitz counts under threshold pivoting.
func (f *factor) pivotKernel(head []int32, a *sparse.Dynamic) {
	if !f.loadKernel(a) {
		return
	}

	for {
		row, col := f.b.k.search(f.threshold, f.least)
		if col < 0 {
			return
		}
		f.eliminate(head, row, col)
	}
}

// loadKernel splits the remaining columns into their part of U and their active part. It reports
// whether there is anything to pivot.
func (f *factor) loadKernel(a *sparse.Dynamic) bool {
	b := &f.b
	k := &b.k
	k.cols = k.cols[:0]
	for c, p := range b.colPivot {
		if p == colActive {
			k.cols = append(k.cols, int32(c))
		}
	}
	if len(k.cols) == 0 {
		return false
	}

	// A column has at most as many entries as there are rows, and a row as there are columns left.
	k.resize(len(b.vars), f.m)

	// Entries of rows that are done belong to U; the others are the kernel.
	k.maxCount = max(f.m, len(k.cols))
	for _, c := range k.cols {
		index, value := a.Vec(int(b.vars[c]))
		f.charge(len(index))
		begin := len(k.col.index)
		for p, i := range index {
			if b.rowDone[i] {
				b.triplet(i, c, value[p])
				continue
			}
			k.col.index = append(k.col.index, i)
			k.col.value = append(k.col.value, value[p])
			k.row.len[i]++
		}
		k.col.place(c, begin, int32(len(k.col.index)-begin))
	}

	// Rows get room to fill in.
	total := 0
	for i := range f.m {
		if b.rowDone[i] {
			continue
		}
		cnt := k.row.len[i]
		k.row.place(int32(i), total, 0)
		k.row.room[i] = cnt + cnt/2 + 2
		total += int(k.row.room[i])
	}

	k.row.index = resize(k.row.index, total)
	for _, c := range k.cols {
		index, _ := k.col.vec(c)
		for _, i := range index {
			k.row.push(i, c, 0, 0)
		}
	}

	k.link(f.m, b.rowDone)
	return true
}

// resize makes room for nc columns and m rows.
func (k *kernel) resize(nc, m int) {
	k.col.reset(nc, values)
	k.row.reset(m, indices)
	k.colMax = resize(k.colMax, nc)

	// mult is zero between pivots, and no stamp of seen comes again, so both are kept while they are long enough.
	if len(k.mult) < m {
		k.mult = make([]float64, m+m/4)
		k.seen = make([]int32, m+m/4)
		k.stamp = 0
	}
}

// link makes the lists of rows and columns by count, in ascending order within each.
func (k *kernel) link(m int, rowDone []bool) {
	k.byCol.reset(len(k.colMax), k.maxCount)
	k.byRow.reset(m, k.maxCount)

	// Each is put at the front of its list, so the last one comes first.
	for p := len(k.cols) - 1; p >= 0; p-- {
		c := k.cols[p]
		k.colMax[c] = -1
		k.linkCol(c)
	}
	for i := m - 1; i >= 0; i-- {
		if !rowDone[i] {
			k.linkRow(int32(i))
		}
	}
}

// linkCol puts column c into the list of its count, and unlinkCol takes it out before that changes; linkRow and
// unlinkRow do the same for row i.
func (k *kernel) linkCol(c int32)   { k.byCol.push(k.col.len[c], c) }
func (k *kernel) unlinkCol(c int32) { k.byCol.remove(k.col.len[c], c) }
func (k *kernel) linkRow(i int32)   { k.byRow.push(k.row.len[i], i) }
func (k *kernel) unlinkRow(i int32) { k.byRow.remove(k.row.len[i], i) }

// rowIndex returns the columns with an entry in row i.
func (k *kernel) rowIndex(i int32) []int32 {
	s := k.row.start[i]
	return k.row.index[s : s+int(k.row.len[i])]
}

// largest returns the largest entry of column c, absolute.
func (k *kernel) largest(c int32) float64 {
	// The largest entry is searched when it is needed, and kept until the column changes.
	if k.colMax[c] < 0 {
		v := 0.0
		_, value := k.col.vec(c)
		for _, x := range value {
			v = max(v, math.Abs(x))
		}
		k.colMax[c] = v
	}
	return k.colMax[c]
}

// choice is the best pivot found so far.
type choice struct {
	row, col int32
	merit    float64 // Markowitz count: the most entries that the pivot may fill in
	value    float64 // absolute
}

// offer takes the pivot at (row, col) where it is better than the best one.
func (b *choice) offer(row, col int32, merit, value float64) {
	if merit < b.merit || merit == b.merit && value > b.value {
		*b = choice{row, col, merit, value}
	}
}

// search returns the pivot with the least Markowitz count among the candidates of the first few short
// columns and rows (Suhl and Suhl 1990); col < 0 when nothing is left. Columns without a usable entry are dropped.
func (k *kernel) search(threshold, least float64) (row, col int32) {
	best := choice{row: -1, col: -1, merit: math.Inf(1)}
	tried := 0
	for count := int32(1); int(count) <= k.maxCount; count++ {
		// Rows and columns to come have count entries or more, so that no count below (count-1)^2 can follow.
		shortest := float64(count - 1)
		for c := k.byCol.head[count]; c >= 0; {
			next := k.byCol.next[c]
			if k.largest(c) < least {
				k.removeCol(c)
			} else {
				k.tryColumn(c, threshold, least, &best)
				tried++
				if best.col >= 0 && (best.merit <= shortest*shortest || tried >= markowitzSearch) {
					return best.row, best.col
				}
			}
			c = next
		}

		// Columns with count entries have been tried, those to come have one more.
		for i := k.byRow.head[count]; i >= 0; i = k.byRow.next[i] {
			k.tryRow(i, threshold, least, &best)
			tried++
			if best.col >= 0 && (best.merit <= float64(count)*shortest || tried >= markowitzSearch) {
				return best.row, best.col
			}
		}
	}
	return best.row, best.col
}

// tryColumn offers the entries of column c that are large enough for pivots, relative to the largest one.
func (k *kernel) tryColumn(c int32, threshold, least float64, best *choice) {
	limit := threshold * k.largest(c)
	index, value := k.col.vec(c)

	// Markowitz (1957): (r - 1)(c - 1) entries may fill in, r and c the numbers of entries of the row and the column.
	cc := float64(len(index) - 1)
	for p, i := range index {
		if v := math.Abs(value[p]); v >= limit && v >= least {
			best.offer(i, c, cc*float64(k.row.len[i]-1), v)
		}
	}
}

// tryRow offers the entries of row i that are large enough for pivots.
func (k *kernel) tryRow(i int32, threshold, least float64, best *choice) {
	rc := float64(k.row.len[i] - 1)
	for _, c := range k.rowIndex(i) {
		merit := rc * float64(k.col.len[c]-1)
		if merit > best.merit {
			continue
		}

		// The column is searched only where the count makes the entry of interest.
		v := math.Abs(k.entry(c, i))
		if v >= least && v >= threshold*k.largest(c) {
			best.offer(i, c, merit, v)
		}
	}
}

// entry returns the entry of column c in row i.
func (k *kernel) entry(c, i int32) float64 {
	index, value := k.col.vec(c)
	return value[slices.Index(index, i)]
}

// removeCol takes column c out of the kernel without a pivot.
func (k *kernel) removeCol(c int32) {
	k.unlinkCol(c)

	// Its rows have an entry less, and change their lists.
	index, _ := k.col.vec(c)
	for _, i := range index {
		k.unlinkRow(i)
		k.removeFromRow(i, c)
		k.linkRow(i)
	}
	k.col.len[c] = 0
}

// removeFromRow takes the entry of column c out of the pattern of row i, which has it.
func (k *kernel) removeFromRow(i, c int32) {
	index := k.rowIndex(i)
	index[slices.Index(index, c)] = index[len(index)-1]
	k.row.len[i]--
}

// eliminate pivots on (row, col).
func (f *factor) eliminate(head []int32, row, col int32) {
	b := &f.b
	k := &b.k
	pivot := k.entry(col, row)

	// The multipliers are an eta of L. The rows are unlinked until their numbers of entries are final.
	k.unlinkCol(col)
	k.pivotRows = k.pivotRows[:0]
	index, value := k.col.vec(col)
	for p, i := range index {
		k.unlinkRow(i)
		k.removeFromRow(i, col)
		if i == row {
			continue
		}
		mult := value[p] / pivot
		b.eta(i, mult)
		k.mult[i] = mult
		k.pivotRows = append(k.pivotRows, i)
	}
	f.closeEta(row)
	f.takePivot(head, row, col, pivot)

	// The pivot row is read by place: it moves when other rows grow.
	for p := range int(k.row.len[row]) {
		f.updateColumn(k.row.index[k.row.start[row]+p], row)
	}
	k.row.place(row, 0, 0)
	k.col.place(col, 0, 0)
	for _, i := range k.pivotRows {
		k.mult[i] = 0
		k.linkRow(i)
	}
}

// updateColumn moves the entry of column c in the pivot row to U and subtracts its multiple of the
// pivot column. Rows of the pivot column are unlinked while this runs.
func (f *factor) updateColumn(c, row int32) {
	b := &f.b
	k := &b.k
	k.unlinkCol(c)
	k.colMax[c] = -1
	index, value := k.col.vec(c)
	f.charge(len(index) + len(k.pivotRows))

	at := slices.Index(index, row)
	last := len(index) - 1
	u := value[at]
	index[at] = index[last]
	value[at] = value[last]
	b.triplet(row, c, u)

	// Entries that the pivot column has too change, or cancel.
	k.stamp++
	w := 0
	for p, i := range index[:last] {
		v := value[p]

		// The stamp marks the rows that need no new entry.
		if l := k.mult[i]; l != 0 {
			k.seen[i] = k.stamp
			v -= l * u
			if math.Abs(v) < dropTol {
				k.removeFromRow(i, c)
				continue
			}
		}
		index[w] = i
		value[w] = v
		w++
	}
	k.col.len[c] = int32(w)

	// The others of the pivot column fill in.
	for _, i := range k.pivotRows {
		if k.seen[i] == k.stamp {
			continue
		}

		v := -k.mult[i] * u
		if math.Abs(v) < dropTol {
			continue
		}
		k.col.push(c, i, v, 0)
		k.row.push(i, c, 0, 0)
	}
	k.linkCol(c)
}
