package presolve

import (
	"math"
	"math/bits"
	"slices"
)

// line is a row or a column with a hash that those parallel to it share.
type line struct {
	hash uint64
	k    int32
}

// rowLines returns the hashes of the rows with at least two entries, but for those whose length no other
// row has.
func (p *problem) rowLines() []line {
	p.lines = p.lines[:0]
	count := p.countLengths(p.a.rowLen, p.goneRow)
	for i, n := range p.a.rowLen {
		if p.goneRow[i] || n < 2 || count[n] < 2 {
			continue
		}
		first, norm := int32(math.MaxInt32), 0.0
		for k := p.a.rowHead[i]; k >= 0; k = p.a.e[k].nextR {
			if e := &p.a.e[k]; e.col < first {
				first, norm = e.col, e.val
			}
		}
		norm = 1 / norm
		hash := uint64(0)
		for k := p.a.rowHead[i]; k >= 0; k = p.a.e[k].nextR {
			hash += mix(p.a.e[k].col, p.a.e[k].val*norm)
		}
		p.work += 2 * int(n)
		p.lines = append(p.lines, line{hash, int32(i)})
	}
	return p.lines
}

// colLines does the same for the columns with at least one entry.
func (p *problem) colLines() []line {
	p.lines = p.lines[:0]
	count := p.countLengths(p.a.colLen, p.goneCol)
	for j, n := range p.a.colLen {
		if p.goneCol[j] || n < 1 || count[n] < 2 {
			continue
		}
		first, norm := int32(math.MaxInt32), 0.0
		for k := p.a.colHead[j]; k >= 0; k = p.a.e[k].nextC {
			if e := &p.a.e[k]; e.row < first {
				first, norm = e.row, e.val
			}
		}
		norm = 1 / norm
		hash := uint64(0)
		for k := p.a.colHead[j]; k >= 0; k = p.a.e[k].nextC {
			hash += mix(p.a.e[k].row, p.a.e[k].val*norm)
		}
		p.work += 2 * int(n)
		p.lines = append(p.lines, line{hash, int32(j)})
	}
	return p.lines
}

// countLengths counts the lines of each length that are left.
func (p *problem) countLengths(length []int32, gone []bool) []int32 {
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

// pairs calls try for each line and the last one before it with the same hash that is left. A line that
// is not parallel to that one takes its place.
func (p *problem) pairs(lines []line, gone []bool, try func(a, b int32) bool) {
	mask := uint64(1)<<bits.Len(uint(2*len(lines))) - 1
	table := filled(int(mask+1), -1)
	for at, l := range lines {
		q := l.hash & mask
		for table[q] >= 0 && lines[table[q]].hash != l.hash {
			q = (q + 1) & mask
		}
		if before := table[q]; before >= 0 && p.running() && !gone[l.k] && !gone[lines[before].k] {
			try(lines[before].k, l.k)
		}
		if !gone[l.k] {
			table[q] = int32(at)
		}
	}
	p.work += 4 * len(lines)
}

// duplicateRows merges rows that are multiples of each other.
func (p *problem) duplicateRows() {
	if p.has(DuplicateRows) {
		p.pairs(p.rowLines(), p.goneRow, p.mergeRows)
	}
}

// duplicateRow is a row r = scale times row i, whose bounds row i took over.
type duplicateRow struct {
	i, r                int32
	scale               float64
	newLo, newUp, fixed bool
}

func (p *problem) mergeRows(i, r int32) bool {
	scale, ok := p.rowRatio(i, r)
	if !ok {
		return false
	}
	lo, up := p.rlo[r]/scale, p.rup[r]/scale
	if scale < 0 {
		lo, up = up, lo
	}
	rec := &duplicateRow{i: i, r: r, scale: scale, newLo: lo > p.rlo[i], newUp: up < p.rup[i]}
	lo, up = max(lo, p.rlo[i]), min(up, p.rup[i])
	if lo > up {
		if lo-up > infeasTol*(1+math.Abs(up)) {
			p.fail(Infeasible)
			return false
		}
		if rec.newLo {
			lo = up
		} else {
			up = lo
		}
	}
	p.rlo[i], p.rup[i] = lo, up
	rec.fixed = lo == up
	p.stack.push(rec)
	p.dropRow(r)
	p.touchRow(i)
	return true
}

// rowRatio returns the factor that makes row r of row i.
func (p *problem) rowRatio(i, r int32) (scale float64, ok bool) {
	if p.a.rowLen[i] != p.a.rowLen[r] {
		return 0, false
	}
	p.work += 2 * int(p.a.rowLen[i])
	for k := p.a.rowHead[i]; k >= 0; k = p.a.e[k].nextR {
		p.place[p.a.e[k].col] = k
	}
	ok = true
	for k := p.a.rowHead[r]; k >= 0 && ok; k = p.a.e[k].nextR {
		at := p.place[p.a.e[k].col]
		if at < 0 {
			ok = false
		} else {
			ok = sameRatio(&scale, p.a.e[at].val, p.a.e[k].val)
		}
	}
	for k := p.a.rowHead[i]; k >= 0; k = p.a.e[k].nextR {
		p.place[p.a.e[k].col] = -1
	}
	return scale, ok
}

// sameRatio compares b with scale times a, and sets the scale where it is not known yet.
func sameRatio(scale *float64, a, b float64) bool {
	if *scale == 0 {
		*scale = b / a
		return true
	}
	return math.Abs(b-*scale*a) <= parallel*math.Abs(b)
}

func (r *duplicateRow) undo(s *restore) {
	s.y[r.r], s.row[r.r] = 0, Basic
	st, ours := owner(s.row[r.i], s.y[r.i], r.newLo, r.newUp, r.fixed)
	s.row[r.i] = st
	if !ours {
		return
	}
	s.y[r.r], s.row[r.r] = s.y[r.i]/r.scale, sideFor(st, r.scale > 0)
	s.y[r.i], s.row[r.i] = 0, Basic
}
