package simplex

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// kernel is the active submatrix that has no singletons: columns with values, rows as patterns, and
// doubly linked lists of both by their number of entries. Columns are builder numbers, rows are ids.
type kernel struct {
	col, row         lists
	colMax           []float64 // largest entry, -1 when not known
	colHead, rowHead []int32   // by count
	colNext, colPrev []int32
	rowNext, rowPrev []int32
	mult             []float64 // multipliers of the pivot column, by row; zero between pivots
	seen             []int32   // stamp: the entry of this row existed in the column at hand
	stamp            int32
	maxCount         int
	pivotRows        []int32
	cols             []int32
}

// pivotKernel pivots what the singletons left, by Markowitz counts under threshold pivoting.
func (f *factor) pivotKernel(head []int32, a *sparse.Dynamic) {
	if !f.loadKernel(a) {
		return
	}
	b := &f.b
	for {
		row, col := b.k.search(f.threshold)
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
	nc := len(b.vars)
	k.cols = k.cols[:0]
	for c := range nc {
		if b.colPivot[c] == colActive {
			k.cols = append(k.cols, int32(c))
		}
	}
	if len(k.cols) == 0 {
		return false
	}
	k.resize(nc, f.m)
	for _, c := range k.cols {
		index, value := a.Vec(int(b.vars[c]))
		f.work += float64(len(index))
		k.col.start[c] = len(k.col.index)
		for p, i := range index {
			if b.rowDone[i] {
				b.triplet(i, c, value[p])
				continue
			}
			k.col.index = append(k.col.index, i)
			k.col.value = append(k.col.value, value[p])
			k.row.len[i]++
		}
		cnt := len(k.col.index) - k.col.start[c]
		k.col.len[c] = int32(cnt)
		k.col.room[c] = int32(cnt)
		k.maxCount = max(k.maxCount, cnt)
	}
	total := 0
	for i := range f.m {
		if b.rowDone[i] {
			continue
		}
		cnt := int(k.row.len[i])
		k.maxCount = max(k.maxCount, cnt)
		k.row.start[i] = total
		k.row.room[i] = int32(cnt + cnt/2 + 2)
		k.row.len[i] = 0
		total += cnt + cnt/2 + 2
	}
	k.row.index = resize(k.row.index, total)
	k.maxCount = max(k.maxCount, len(k.cols))
	for _, c := range k.cols {
		for _, i := range k.colIndex(c) {
			k.row.index[k.row.start[i]+int(k.row.len[i])] = c
			k.row.len[i]++
		}
	}
	k.link(f.m, b.rowDone)
	return true
}

func (k *kernel) resize(nc, m int) {
	k.col.reset(nc, values)
	k.row.reset(m, indices)
	k.colMax = resize(k.colMax, nc)
	k.colNext, k.colPrev = resize(k.colNext, nc), resize(k.colPrev, nc)
	k.rowNext, k.rowPrev = resize(k.rowNext, m), resize(k.rowPrev, m)
	if len(k.mult) < m {
		k.mult = make([]float64, m+m/4)
		k.seen = make([]int32, m+m/4)
		k.stamp = 0
	}
	k.maxCount = 0
}

func (k *kernel) link(m int, rowDone []bool) {
	k.maxCount = max(k.maxCount, m)
	k.colHead = resize(k.colHead, k.maxCount+1)
	k.rowHead = resize(k.rowHead, k.maxCount+1)
	for c := range k.colHead {
		k.colHead[c], k.rowHead[c] = -1, -1
	}
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

func (k *kernel) linkCol(c int32)   { pushFront(k.colHead, k.colNext, k.colPrev, k.col.len[c], c) }
func (k *kernel) unlinkCol(c int32) { unlink(k.colHead, k.colNext, k.colPrev, k.col.len[c], c) }
func (k *kernel) linkRow(i int32)   { pushFront(k.rowHead, k.rowNext, k.rowPrev, k.row.len[i], i) }
func (k *kernel) unlinkRow(i int32) { unlink(k.rowHead, k.rowNext, k.rowPrev, k.row.len[i], i) }

func pushFront(head, next, prev []int32, count, x int32) {
	h := head[count]
	next[x], prev[x] = h, -1
	if h >= 0 {
		prev[h] = x
	}
	head[count] = x
}

func unlink(head, next, prev []int32, count, x int32) {
	if prev[x] >= 0 {
		next[prev[x]] = next[x]
	} else {
		head[count] = next[x]
	}
	if next[x] >= 0 {
		prev[next[x]] = prev[x]
	}
}

func (k *kernel) colIndex(c int32) []int32 {
	s := k.col.start[c]
	return k.col.index[s : s+int(k.col.len[c])]
}

func (k *kernel) colValue(c int32) []float64 {
	s := k.col.start[c]
	return k.col.value[s : s+int(k.col.len[c])]
}

func (k *kernel) rowIndex(i int32) []int32 {
	s := k.row.start[i]
	return k.row.index[s : s+int(k.row.len[i])]
}

func (k *kernel) largest(c int32) float64 {
	if k.colMax[c] < 0 {
		v := 0.0
		for _, x := range k.colValue(c) {
			v = max(v, math.Abs(x))
		}
		k.colMax[c] = v
	}
	return k.colMax[c]
}

// choice is the best pivot found so far.
type choice struct {
	row, col int32
	merit    float64
	value    float64
}

func (b *choice) offer(row, col int32, merit, value float64) {
	if merit < b.merit || merit == b.merit && value > b.value {
		*b = choice{row, col, merit, value}
	}
}

// search returns the pivot with the least Markowitz count among the candidates of the first few short
// columns and rows; col < 0 when nothing is left. Columns without a usable entry are dropped.
func (k *kernel) search(threshold float64) (row, col int32) {
	best := choice{row: -1, col: -1, merit: math.Inf(1)}
	tried := 0
	for count := int32(1); int(count) <= k.maxCount; count++ {
		for c := k.colHead[count]; c >= 0; {
			next := k.colNext[c]
			if k.largest(c) < pivotTol {
				k.removeCol(c)
			} else {
				k.tryColumn(c, threshold, &best)
				tried++
				if best.col >= 0 && (best.merit <= float64(count-1)*float64(count-1) || tried >= markowitzSearch) {
					return best.row, best.col
				}
			}
			c = next
		}
		for i := k.rowHead[count]; i >= 0; i = k.rowNext[i] {
			k.tryRow(i, threshold, &best)
			tried++
			if best.col >= 0 && (best.merit <= float64(count)*float64(count-1) || tried >= markowitzSearch) {
				return best.row, best.col
			}
		}
	}
	return best.row, best.col
}

func (k *kernel) tryColumn(c int32, threshold float64, best *choice) {
	limit := threshold * k.largest(c)
	value := k.colValue(c)
	cc := float64(k.col.len[c] - 1)
	for p, i := range k.colIndex(c) {
		if v := math.Abs(value[p]); v >= limit && v >= pivotTol {
			best.offer(i, c, cc*float64(k.row.len[i]-1), v)
		}
	}
}

func (k *kernel) tryRow(i int32, threshold float64, best *choice) {
	rc := float64(k.row.len[i] - 1)
	for _, c := range k.rowIndex(i) {
		merit := rc * float64(k.col.len[c]-1)
		if merit > best.merit {
			continue
		}
		v := math.Abs(k.entry(c, i))
		if v >= pivotTol && v >= threshold*k.largest(c) {
			best.offer(i, c, merit, v)
		}
	}
}

func (k *kernel) entry(c, i int32) float64 {
	value := k.colValue(c)
	for p, r := range k.colIndex(c) {
		if r == i {
			return value[p]
		}
	}
	return 0
}

// removeCol takes column c out of the kernel without a pivot.
func (k *kernel) removeCol(c int32) {
	k.unlinkCol(c)
	for _, i := range k.colIndex(c) {
		k.unlinkRow(i)
		k.removeFromRow(i, c)
		k.linkRow(i)
	}
	k.col.len[c] = 0
}

func (k *kernel) removeFromRow(i, c int32) {
	index := k.rowIndex(i)
	for p, d := range index {
		if d == c {
			index[p] = index[len(index)-1]
			k.row.len[i]--
			return
		}
	}
}

// eliminate pivots on (row, col).
func (f *factor) eliminate(head []int32, row, col int32) {
	b := &f.b
	k := &b.k
	pivot := k.entry(col, row)
	k.unlinkCol(col)
	k.pivotRows = k.pivotRows[:0]
	value := k.colValue(col)
	for p, i := range k.colIndex(col) {
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
	for p := range int(k.row.len[row]) { // rows move when others grow
		f.updateColumn(k.row.index[k.row.start[row]+p], row)
	}
	k.row.len[row], k.row.room[row] = 0, 0
	k.col.len[col], k.col.room[col] = 0, 0
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
	index, value := k.colIndex(c), k.colValue(c)
	f.work += float64(len(index) + len(k.pivotRows))
	u := 0.0
	for p, i := range index {
		if i == row {
			u = value[p]
			last := len(index) - 1
			index[p], value[p] = index[last], value[last]
			index, value = index[:last], value[:last]
			break
		}
	}
	b.triplet(row, c, u)
	k.stamp++
	w := 0
	for p, i := range index {
		v := value[p]
		if l := k.mult[i]; l != 0 {
			k.seen[i] = k.stamp
			v -= l * u
			if math.Abs(v) < dropTol {
				k.removeFromRow(i, c)
				continue
			}
		}
		index[w], value[w] = i, v
		w++
	}
	k.col.len[c] = int32(w)
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
