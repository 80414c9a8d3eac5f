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

// RowLines returns the hashes of the rows with at least two entries, but for those whose length no other
// row has. The list is valid until the next call of RowLines or ColLines.
func (t *Linked) RowLines(gone []bool) []Line {
	t.lines = t.lines[:0]
	count := countLengths(t.RowLen, gone)
	for i, n := range t.RowLen {
		if gone[i] || n < 2 || count[n] < 2 {
			continue
		}
		first, norm := int32(math.MaxInt32), 0.0
		for k := t.RowHead[i]; k >= 0; k = t.E[k].NextR {
			if e := &t.E[k]; e.Col < first {
				first, norm = e.Col, e.Val
			}
		}
		norm = 1 / norm
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
		first, norm := int32(math.MaxInt32), 0.0
		for k := t.ColHead[j]; k >= 0; k = t.E[k].NextC {
			if e := &t.E[k]; e.Row < first {
				first, norm = e.Row, e.Val
			}
		}
		norm = 1 / norm
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

// mix hashes an entry; the ratio is rounded so that equal ones that differ in rounding meet.
func mix(k int32, ratio float64) uint64 {
	h := uint64(uint32(k))<<32 | uint64(math.Float32bits(float32(ratio)))
	h ^= h >> 31
	h *= 0x9e3779b97f4a7c15
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// Pairs calls try for each line and the last one before it with the same hash that is left. A line that
// is not parallel to that one takes its place.
func Pairs(lines []Line, gone []bool, try func(a, b int32)) {
	mask := uint64(1)<<bits.Len(uint(2*len(lines))) - 1
	table := filled(int(mask+1), -1)
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
	for k := t.RowHead[i]; k >= 0; k = t.E[k].NextR {
		t.place[t.E[k].Col] = k
	}
	ok = true
	for k := t.RowHead[r]; k >= 0 && ok; k = t.E[k].NextR {
		at := t.place[t.E[k].Col]
		ok = at >= 0 && sameRatio(&scale, t.E[at].Val, t.E[k].Val)
	}
	for k := t.RowHead[i]; k >= 0; k = t.E[k].NextR {
		t.place[t.E[k].Col] = -1
	}
	return scale, ok
}

// RowGap returns the most by which row r may differ from scale times row i, parallel to it, where x_j is at most
// size(j) in absolute value. Differences that are rounding of the scale do not count in columns of infinite size.
func (t *Linked) RowGap(i, r int32, scale float64, size func(j int32) float64) float64 {
	for k := t.RowHead[i]; k >= 0; k = t.E[k].NextR {
		t.place[t.E[k].Col] = k
	}
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
	for k := t.RowHead[i]; k >= 0; k = t.E[k].NextR {
		t.place[t.E[k].Col] = -1
	}
	return gap
}

// ColRatio returns the factor that makes column k of column j.
func (t *Linked) ColRatio(j, k int32) (scale float64, ok bool) {
	if t.ColLen[j] != t.ColLen[k] {
		return 0, false
	}
	for q := t.ColHead[j]; q >= 0; q = t.E[q].NextC {
		t.place[t.E[q].Row] = q
	}
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

// sameRatio compares b with scale times a, and sets the scale where it is not known yet.
func sameRatio(scale *float64, a, b float64) bool {
	if *scale == 0 {
		*scale = b / a
		return true
	}
	return math.Abs(b-*scale*a) <= parallelTol*math.Abs(b)
}
