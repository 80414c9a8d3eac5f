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
	at   int32 // its number
}

// RowLines returns the hashes of the rows with at least two entries, except those whose length no other row has. An
// entry is hashed relative to the first of its row. The list is valid until the next call of RowLines or ColLines.
func (t *Linked) RowLines(gone []bool) []Line { return t.hashLines(true, t.RowHead, t.RowLen, gone, 2) }

// ColLines does the same for the columns with at least one entry.
func (t *Linked) ColLines(gone []bool) []Line {
	return t.hashLines(false, t.ColHead, t.ColLen, gone, 1)
}

// hashLines returns the hashes of the lines with at least shortest entries.
func (t *Linked) hashLines(rows bool, heads, lengths []int32, gone []bool, shortest int32) []Line {
	// A line is parallel only to lines of its own length.
	count := make([]int32, slices.Max(append(lengths, 0))+1) // of the lines of each length that are left
	for k, n := range lengths {
		if !gone[k] {
			count[n]++
		}
	}

	t.lines = t.lines[:0]
	for at, n := range lengths {
		if gone[at] || n < shortest || count[n] < 2 {
			continue
		}

		// The entry with the least index is the unit of the others.
		least := int32(math.MaxInt32)
		norm := 0.0
		for k := heads[at]; k >= 0; {
			other, next := t.along(rows, k)
			if other < least {
				least = other
				norm = t.E[k].Val
			}
			k = next
		}
		norm = 1 / norm
		// The sum of the hashes does not depend on the order of the entries.
		hash := uint64(0)
		for k := heads[at]; k >= 0; {
			other, next := t.along(rows, k)
			hash += mix(other, t.E[k].Val*norm)
			k = next
		}
		t.lines = append(t.lines, Line{hash, int32(at)})
	}
	return t.lines
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
	table := unset(int(mask + 1))

	// The table has the last line of each hash: open addressing with linear probing, at most half full.
	for at, l := range lines {
		q := l.hash & mask
		for table[q] >= 0 && lines[table[q]].hash != l.hash {
			q = (q + 1) & mask
		}
		if before := table[q]; before >= 0 && !gone[l.at] && !gone[lines[before].at] {
			try(lines[before].at, l.at)
		}
		if !gone[l.at] {
			table[q] = int32(at)
		}
	}
}

// RowRatio returns the factor that makes row r of row i.
func (t *Linked) RowRatio(i, r int32) (scale float64, ok bool) {
	// Parallel rows have the same columns, and so the same length.
	if t.RowLen[i] != t.RowLen[r] {
		return 0, false
	}
	return t.ratio(true, t.RowHead[i], t.RowHead[r])
}

// ratio returns the factor that makes the second list, which is not shorter, of the first.
func (t *Linked) ratio(rows bool, first, second int32) (scale float64, ok bool) {
	// The entries of the first list are found by their places.
	t.mark(rows, first)
	ok = true
	for k := second; k >= 0 && ok; {
		other, next := t.along(rows, k)
		at := t.place[other]
		ok = at >= 0 && sameRatio(&scale, t.E[at].Val, t.E[k].Val)
		k = next
	}
	t.unmark(rows, first)
	return scale, ok
}

// RowGap returns the most by which row r may differ from scale times row i, parallel to it, where x_j is at most
// size(j) in absolute value. Differences that are rounding of the scale do not count in columns of infinite size.
func (t *Linked) RowGap(i, r int32, scale float64, size func(j int32) float64) float64 {
	// Row r is compared with the multiple of row i, entry by entry.
	t.mark(true, t.RowHead[i])
	gap := 0.0 // of all columns together
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
	t.unmark(true, t.RowHead[i])
	return gap
}

// ColRatio returns the factor that makes column k of column j.
func (t *Linked) ColRatio(j, k int32) (scale float64, ok bool) {
	// Parallel columns have the same length.
	if t.ColLen[j] != t.ColLen[k] {
		return 0, false
	}
	return t.ratio(false, t.ColHead[j], t.ColHead[k])
}

// sameRatio compares b with scale times a. The first pair of entries, at which the scale is still 0, sets it.
func sameRatio(scale *float64, a, b float64) bool {
	// All entries must have the ratio of the first pair, up to rounding.
	if *scale == 0 {
		*scale = b / a
		return true
	}
	return math.Abs(b-*scale*a) <= parallelTol*math.Abs(b)
}
