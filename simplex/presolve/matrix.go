package presolve

import "github.com/proxybd/proxybd/internal/sparse"

// entry is a coefficient, in a doubly linked list by row and in one by column. -1 ends a list.
type entry struct {
	row, col     int32
	nextR, prevR int32
	nextC, prevC int32
	val          float64
}

// matrix holds the coefficients of the present stage; entries come and go in constant time.
type matrix struct {
	e                []entry
	rowHead, colHead []int32
	rowLen, colLen   []int32
	free             []int32 // entries to use again
	nnz              int
}

// load fills the lists from a, which is stored by columns, leaving out zeros.
func (t *matrix) load(a *sparse.Matrix) {
	t.e = make([]entry, 0, a.NNZ()+a.NNZ()/8)
	t.rowHead, t.rowLen = filled(a.Minor, -1), make([]int32, a.Minor)
	t.colHead, t.colLen = filled(a.Major, -1), make([]int32, a.Major)
	rowTail := filled(a.Minor, -1)
	for j := range a.Major {
		index, value := a.Vec(j)
		before := int32(-1)
		for p, i := range index {
			if value[p] == 0 {
				continue
			}
			k := int32(len(t.e))
			t.e = append(t.e, entry{row: i, col: int32(j), nextR: -1, prevR: rowTail[i], nextC: -1, prevC: before, val: value[p]})
			if before >= 0 {
				t.e[before].nextC = k
			} else {
				t.colHead[j] = k
			}
			if rowTail[i] >= 0 {
				t.e[rowTail[i]].nextR = k
			} else {
				t.rowHead[i] = k
			}
			before, rowTail[i] = k, k
			t.rowLen[i]++
			t.colLen[j]++
		}
	}
	t.nnz = len(t.e)
}

func filled(n int, v int32) []int32 {
	s := make([]int32, n)
	for k := range s {
		s[k] = v
	}
	return s
}

// add inserts an entry at the front of its lists; there must be none in its place.
func (t *matrix) add(i, j int32, v float64) {
	var k int32
	if n := len(t.free); n > 0 {
		k = t.free[n-1]
		t.free = t.free[:n-1]
	} else {
		k = int32(len(t.e))
		t.e = append(t.e, entry{})
	}
	r, c := t.rowHead[i], t.colHead[j]
	t.e[k] = entry{row: i, col: j, nextR: r, prevR: -1, nextC: c, prevC: -1, val: v}
	if r >= 0 {
		t.e[r].prevR = k
	}
	if c >= 0 {
		t.e[c].prevC = k
	}
	t.rowHead[i], t.colHead[j] = k, k
	t.rowLen[i]++
	t.colLen[j]++
	t.nnz++
}

// remove takes entry k out of its lists. Its links stay readable until the next add.
func (t *matrix) remove(k int32) {
	e := &t.e[k]
	if e.prevR >= 0 {
		t.e[e.prevR].nextR = e.nextR
	} else {
		t.rowHead[e.row] = e.nextR
	}
	if e.nextR >= 0 {
		t.e[e.nextR].prevR = e.prevR
	}
	if e.prevC >= 0 {
		t.e[e.prevC].nextC = e.nextC
	} else {
		t.colHead[e.col] = e.nextC
	}
	if e.nextC >= 0 {
		t.e[e.nextC].prevC = e.prevC
	}
	t.rowLen[e.row]--
	t.colLen[e.col]--
	t.nnz--
	t.free = append(t.free, k)
}
