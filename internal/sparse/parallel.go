package sparse

import (
	"math"
	"math/bits"
	"slices"
)

// parallelTol is the fraction by which entries of parallel rows or columns may differ.
const parallelTol = 1e-13

// scaleTol is the relative rounding error of a coefficient times the ratio of two others, at most.
const scaleTol = 0x1p-51

// Line is a row or a column with a hash that those parallel to it share.
type Line struct {
	hash uint64
	K    int32
}

// RowLines returns the hashes of the rows with at least two entries, except those whose length no other row has. An
// entry is hashed relative to the first of its row. The list is valid until the next call of RowLines or ColLines.
func (t *Linked) RowLines(gone []bool) []Line {
	t.lines = t.lines[:0]
	count := countLengths(t.RowLen, gone)
	for i, n := range t.RowLen {
		if gone[i] || n < 2 || count[n] < 2 {
			continue
		}

		first := t.RowHead[i] // the entry with the least column
		for k := first; k >= 0; k = t.E[k].NextR {
			if t.E[k].Col < t.E[first].Col {
				first = k
			}
		}
		norm := 1 / t.E[first].Val
		hash := uint64(0)
		for k := t.RowHead[i]; k >= 0; k = t.E[k].NextR {
			hash += mix(t.E[k].Col, t.E[k].Val*norm)
		}
		t.lines = append(t.lines, Line{hash, int32(i)})
	}
	return t.lines
}

// ColLines does the same for the columns with at least one entry.
func (t *Linked) ColLines(gone []bool) []Line {
	t.lines = t.lines[:0]
	count := countLengths(t.ColLen, gone)
	for j, n := range t.ColLen {
		if gone[j] || n < 1 || count[n] < 2 {
			continue
		}

		first := t.ColHead[j] // the entry with the least row
		for k := first; k >= 0; k = t.E[k].NextC {
			if t.E[k].Row < t.E[first].Row {
				first = k
			}
		}
		norm := 1 / t.E[first].Val
		hash := uint64(0)
		for k := t.ColHead[j]; k >= 0; k = t.E[k].NextC {
			hash += mix(t.E[k].Row, t.E[k].Val*norm)
		}
		t.lines = append(t.lines, Line{hash, int32(j)})
	}
	return t.lines
}

// countLengths counts the lines of each length that are left.
func countLengths(length []int32, gone []bool) []int32 {
	count := make([]int32, slices.Max(append(length, 0))+1)
	for k, n := range length {
		if !gone[k] {
			count[n]++
		}
	}
	return count
}

// mix hashes an entry. The ratio is rounded to a float32, so that ratios that differ by rounding errors have equal
// hashes, except near the border between two float32 numbers.
func mix(k int32, ratio float64) uint64 {
	h := uint64(uint32(k))<<32 | uint64(math.Float32bits(float32(ratio)))
	h ^= h >> 31
	h *= 0x9e3779b97f4a7c15
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// Pairs calls try for each line and the last one before it with the same hash that is left. A line that is not
// parallel to that one replaces it.
func Pairs(lines []Line, gone []bool, try func(a, b int32)) {
	mask := uint64(1)<<bits.Len(uint(2*len(lines))) - 1
	table := filled(int(mask+1), -1)

	// The table is open addressing with linear probing, at most half full.
	for at, l := range lines {
		q := l.hash & mask
		for table[q] >= 0 && lines[table[q]].hash != l.hash {
			q = (q + 1) & mask
		}
		if before := table[q]; before >= 0 && !gone[l.K] && !gone[lines[before].K] {
			try(lines[before].K, l.K)
		}
		if !gone[l.K] {
			table[q] = int32(at)
		}
	}
}

// RowRatio returns the factor that makes row r of row i.
func (t *Linked) RowRatio(i, r int32) (scale float64, ok bool) {
	if t.RowLen[i] != t.RowLen[r] {
		return 0, false
	}

	t.markRow(i)
	ok = true
	for k := t.RowHead[r]; k >= 0 && ok; k = t.E[k].NextR {
		at := t.place[t.E[k].Col]
		ok = at >= 0 && sameRatio(&scale, t.E[at].Val, t.E[k].Val)
	}
	t.unmarkRow(i)
	return scale, ok
}

// RowGap returns the most by which row r may differ from scale times row i, parallel to it, where x_j is at most
// size(j) in absolute value. Differences that are rounding of the scale do not count in columns of infinite size.
func (t *Linked) RowGap(i, r int32, scale float64, size func(j int32) float64) float64 {
	t.markRow(i)
	gap := 0.0
	for k := t.RowHead[r]; k >= 0; k = t.E[k].NextR {
		b := t.E[k].Val
		d := math.Abs(b - scale*t.E[t.place[t.E[k].Col]].Val)
		if d == 0 {
			continue
		}
		if bound := size(t.E[k].Col); !math.IsInf(bound, 1) || d > scaleTol*math.Abs(b) {
			gap += d * bound
		}
	}
	t.unmarkRow(i)
	return gap
}

// ColRatio returns the factor that makes column k of column j.
func (t *Linked) ColRatio(j, k int32) (scale float64, ok bool) {
	if t.ColLen[j] != t.ColLen[k] {
		return 0, false
	}

	t.markCol(j)
	ok = true
	for q := t.ColHead[k]; q >= 0 && ok; q = t.E[q].NextC {
		at := t.place[t.E[q].Row]
		ok = at >= 0 && sameRatio(&scale, t.E[at].Val, t.E[q].Val)
	}
	for q := t.ColHead[j]; q >= 0; q = t.E[q].NextC {
		t.place[t.E[q].Row] = -1
	}
	return scale, ok
}

// sameRatio compares b with scale times a. The first pair of entries, at which the scale is still 0, sets it.
func sameRatio(scale *float64, a, b float64) bool {
	if *scale == 0 {
		*scale = b / a
		return true
	}
	return math.Abs(b-*scale*a) <= parallelTol*math.Abs(b)
}
