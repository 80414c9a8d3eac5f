package sparse

import (
	"iter"
	"math"
	"slices"
)

// Link is an entry of a Linked matrix, in a doubly linked list by row and in one by column. -1 ends a
// list.
type Link struct {
	Row, Col     int32
	NextR, prevR int32
	NextC, prevC int32
	Val          float64
}

// Linked is a matrix whose entries come and go in constant time, by rows and by columns, for presolve.
// The entries of row i are E[RowHead[i]], then E[...].NextR, until -1; likewise by columns.
type Linked struct {
	E                []Link
	RowHead, ColHead []int32
	RowLen, ColLen   []int32
	NNZ              int

	free  []int32 // entries to use again
	place []int32 // scratch, -1 everywhere
	lines []Line  // scratch
}

// cancelTol is the share of the subtrahend below which a difference counts as zero.
const cancelTol = 1e-12

// Load fills the lists from a, which is stored by columns, leaving out zeros.
func (t *Linked) Load(a *Matrix) {
	t.E = make([]Link, a.NNZ(), a.NNZ()+a.NNZ()/8)
	t.RowHead = unset(a.Minor)
	t.RowLen = make([]int32, a.Minor)
	t.ColHead = unset(a.Major)
	t.ColLen = make([]int32, a.Major)
	t.place = unset(max(a.Minor, a.Major))

	// Entries are inserted at the front in the opposite order, so that the lists are in the order of the matrix.
	t.NNZ = 0
	k := a.NNZ()
	for j, lo := range slices.Backward(a.Start[:a.Major]) {
		for ; k > lo; k-- {
			if a.Value[k-1] != 0 {
				t.insert(int32(k-1), a.Index[k-1], int32(j), a.Value[k-1])
			}
		}
	}
}

// Row yields the entries of row i. The present entry may be changed or removed, but no entry added.
func (t *Linked) Row(i int32) iter.Seq[*Link] {
	return func(yield func(*Link) bool) {
		for k := t.RowHead[i]; k >= 0; k = t.E[k].NextR {
			if !yield(&t.E[k]) {
				return
			}
		}
	}
}

// Col yields the entries of column j in the same way.
func (t *Linked) Col(j int32) iter.Seq[*Link] {
	return func(yield func(*Link) bool) {
		for k := t.ColHead[j]; k >= 0; k = t.E[k].NextC {
			if !yield(&t.E[k]) {
				return
			}
		}
	}
}

// unset returns n times -1.
func unset(n int) []int32 { return slices.Repeat([]int32{-1}, n) }

// add inserts an entry at the front of its lists; there must be none in its place.
func (t *Linked) add(i, j int32, v float64) {
	// The place of a removed entry is used again.
	var k int32
	if n := len(t.free); n > 0 {
		k = t.free[n-1]
		t.free = t.free[:n-1]
	} else {
		k = int32(len(t.E))
		t.E = append(t.E, Link{})
	}
	t.insert(k, i, j, v)
}

// insert makes an unused place of E an entry at the front of its lists.
func (t *Linked) insert(k, i, j int32, v float64) {
	// The entry is the first of its row and of its column; the old first ones come behind it.
	r := t.RowHead[i]
	c := t.ColHead[j]

	// The old first entries point back to the new one.
	t.E[k] = Link{Row: i, Col: j, NextR: r, prevR: -1, NextC: c, prevC: -1, Val: v}
	if r >= 0 {
		t.E[r].prevR = k
	}
	if c >= 0 {
		t.E[c].prevC = k
	}
	t.RowHead[i] = k
	t.ColHead[j] = k
	t.RowLen[i]++
	t.ColLen[j]++
	t.NNZ++
}

// Remove takes entry k out of its lists. Its links stay readable until an entry is added.
func (t *Linked) Remove(k int32) {
	// The neighbours in the list of the row, then those in the list of the column, are linked to each other.
	e := &t.E[k]
	if e.prevR >= 0 {
		t.E[e.prevR].NextR = e.NextR
	} else {
		t.RowHead[e.Row] = e.NextR
	}
	if e.NextR >= 0 {
		t.E[e.NextR].prevR = e.prevR
	}

	if e.prevC >= 0 {
		t.E[e.prevC].NextC = e.NextC
	} else {
		t.ColHead[e.Col] = e.NextC
	}
	if e.NextC >= 0 {
		t.E[e.NextC].prevC = e.prevC
	}

	// The place is used again by the next entry that is added.
	t.RowLen[e.Row]--
	t.ColLen[e.Col]--
	t.NNZ--
	t.free = append(t.free, k)
}

// along returns the other index of an entry in the list of a row, or of a column, and the next entry of the list.
func (t *Linked) along(rows bool, k int32) (other, next int32) {
	// In the list of a row the other index is the column.
	e := &t.E[k]
	if rows {
		return e.Col, e.NextR
	}
	return e.Row, e.NextC
}

// mark sets the place of the other index of every entry in a list to the entry.
func (t *Linked) mark(rows bool, head int32) {
	for k := head; k >= 0; {
		other, next := t.along(rows, k)
		t.place[other] = k
		k = next
	}
}

// unmark sets these places back to -1.
func (t *Linked) unmark(rows bool, head int32) {
	for k := head; k >= 0; {
		other, next := t.along(rows, k)
		t.place[other] = -1
		k = next
	}
}

// SubtractRow subtracts f times the row with those entries from row r. Entries that cancel except for rounding are
// removed. It returns the number of entries touched.
func (t *Linked) SubtractRow(r int32, index []int32, value []float64, f float64) int {
	// The places lead from a column to the entry of row r in it.
	t.mark(true, t.RowHead[r])
	for k, c := range index {
		s := f * value[k]
		if at := t.place[c]; at < 0 {
			// Row r has no entry in the column yet.
			t.add(r, c, -s)
		} else if v := Cancel(t.E[at].Val, s); v != 0 {
			t.E[at].Val = v
		} else {
			// The entries cancel: row r loses the column.
			t.Remove(at)
			t.place[c] = -1
		}
	}
	t.unmark(true, t.RowHead[r])
	return 2*int(t.RowLen[r]) + len(index)
}

// CompareCols reports whether ok holds in every row of column j or k, given the coefficients of both.
func (t *Linked) CompareCols(j, k int32, ok func(i int32, aj, ak float64) bool) bool {
	// The rows of column k first: an entry of column j in the same row is found by its place.
	t.mark(false, t.ColHead[j])
	good := true
	for q := t.ColHead[k]; q >= 0 && good; q = t.E[q].NextC {
		aj := 0.0
		i := t.E[q].Row
		if at := t.place[i]; at >= 0 {
			aj = t.E[at].Val
			t.place[i] = -1
		}
		good = ok(i, aj, t.E[q].Val)
	}

	// The places that are still set are rows of column j alone.
	for q := t.ColHead[j]; q >= 0; q = t.E[q].NextC {
		if i := t.E[q].Row; t.place[i] >= 0 {
			t.place[i] = -1
			good = good && ok(i, t.E[q].Val, 0)
		}
	}
	return good
}

// Cancel returns a - b, zero where the two are equal except for rounding.
func Cancel(a, b float64) float64 {
	// A difference far below both numbers is their rounding error.
	if c := a - b; math.Abs(c) > cancelTol*math.Abs(b) {
		return c
	}
	return 0
}
