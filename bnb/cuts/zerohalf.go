package cuts

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// parityRow is a sum of sides of integral rows, modulo two: with every column counted from its nearer
// bound, columns holds those with odd coefficients and a value off that bound.
type parityRow struct {
	columns []uint64 // bit set over halves.columns
	sources []uint64 // bit set over halves.sources
	odd     bool     // the right-hand side
	slack   float64
}

// halves looks for sums of rows whose half rounds to a violated row (Caprara and Fischetti 1996), by
// elimination over the integers modulo two, with the rows of the least slack as pivots (Koster,
// Zymolka and Kutschka 2009).
type halves struct {
	v        *view
	columns  []int32   // off their bounds, farthest first
	distance []float64 // by position in columns
	position []int32   // by column, -1 for none
	sources  []source
	rows     []parityRow
	found    [][]uint64
}

// source is a side of a row of the LP.
type source struct {
	row   int32
	upper bool
}

func newHalves(v *view) *halves {
	h := &halves{v: v, position: make([]int32, len(v.m.Integer))}
	for j := range h.position {
		h.position[j] = -1
	}
	return h
}

// load sets the system up. It returns false if it is empty or too large.
func (h *halves) load() bool {
	for _, j := range h.columns {
		h.position[j] = -1
	}
	h.columns, h.distance, h.sources, h.rows, h.found = h.columns[:0], h.distance[:0], h.sources[:0], h.rows[:0], h.found[:0]
	for j := range h.position {
		if h.v.m.Integer[j] {
			if _, d := h.nearer(int32(j)); d > 1e-6 {
				h.columns = append(h.columns, int32(j))
			}
		}
	}
	for i := range h.v.rows {
		if h.v.integral[i] {
			h.listSides(int32(i))
		}
	}
	if len(h.columns) > halfColumns || len(h.sources) > halfRows || len(h.sources) == 0 {
		return false
	}
	slices.SortStableFunc(h.columns, func(a, b int32) int {
		_, da := h.nearer(a)
		_, db := h.nearer(b)
		return cmp.Compare(db, da)
	})
	for k, j := range h.columns {
		_, d := h.nearer(j)
		h.position[j] = int32(k)
		h.distance = append(h.distance, d)
	}
	for k := range h.sources {
		h.read(k)
	}
	return true
}

// nearer returns the nearer bound of a column and the distance from it.
func (h *halves) nearer(j int32) (bound, distance float64) {
	x := h.v.x[j]
	if x-h.v.m.Lower[j] <= h.v.m.Upper[j]-x {
		return h.v.m.Lower[j], math.Max(x-h.v.m.Lower[j], 0)
	}
	return h.v.m.Upper[j], math.Max(h.v.m.Upper[j]-x, 0)
}

// listSides lists the sides of a row with a slack below one.
func (h *halves) listSides(i int32) {
	r, act := &h.v.rows[i], h.v.activity[i]
	if r.Upper-act < 1-1e-6 {
		h.sources = append(h.sources, source{i, true})
	}
	if act-r.Lower < 1-1e-6 && r.Lower != r.Upper {
		h.sources = append(h.sources, source{i, false})
	}
}

// read makes the parity row of a source.
func (h *halves) read(k int) {
	s := h.sources[k]
	r, act := &h.v.rows[s.row], h.v.activity[s.row]
	side, slack := r.Upper, r.Upper-act
	if !s.upper {
		side, slack = r.Lower, act-r.Lower
	}
	p := parityRow{columns: make([]uint64, (len(h.columns)+63)/64), sources: make([]uint64, (len(h.sources)+63)/64),
		slack: math.Max(slack, 0)}
	p.sources[k/64] |= 1 << (k % 64)
	for e, j := range r.Index {
		if math.Mod(r.Value[e], 2) == 0 {
			continue
		}
		bound, _ := h.nearer(j)
		if math.IsInf(bound, 0) || math.Abs(bound) > largestSide {
			return
		}
		side -= bound
		if c := h.position[j]; c >= 0 {
			p.columns[c/64] |= 1 << (c % 64)
		}
	}
	p.odd = math.Abs(math.Mod(side, 2)) == 1
	h.rows = append(h.rows, p)
}

// eliminate removes the columns one by one, keeping every row that rounds to a violated one.
func (h *halves) eliminate() {
	for k := range h.rows {
		h.check(&h.rows[k])
	}
	for c := range h.columns {
		pivot := -1
		for k := range h.rows {
			if h.rows[k].has(c) && (pivot < 0 || h.rows[k].slack < h.rows[pivot].slack) {
				pivot = k
			}
		}
		if pivot < 0 {
			continue
		}
		if len(h.found) >= halfMost || h.v.spent() {
			return
		}
		h.removeColumn(c, pivot)
	}
}

// removeColumn adds the pivot to the other rows that hold the column, and drops it and the rows whose
// slack grows to one.
func (h *halves) removeColumn(c, pivot int) {
	p := h.rows[pivot]
	h.v.work += 2 * len(h.rows)
	keep := h.rows[:0]
	for k := range h.rows {
		r := h.rows[k]
		if k == pivot {
			continue
		}
		if r.has(c) {
			r.slack += p.slack
			if r.slack >= 1-1e-6 {
				continue
			}
			h.v.work += 2 * (len(p.columns) + len(p.sources))
			xor(r.columns, p.columns)
			xor(r.sources, p.sources)
			r.odd = r.odd != p.odd
			h.check(&r)
		}
		keep = append(keep, r)
	}
	h.rows = keep
}

func (p *parityRow) has(c int) bool { return p.columns[c/64]>>(c%64)&1 != 0 }

func xor(a, b []uint64) {
	for k := range a {
		a[k] ^= b[k]
	}
}

// check keeps the sources of a row that rounds to a violated one.
func (h *halves) check(p *parityRow) {
	if !p.odd {
		return
	}
	left := 1 - p.slack
	for k, w := range p.columns {
		for ; w != 0; w &= w - 1 {
			if left -= h.distance[64*k+bits.TrailingZeros64(w)]; left < 1e-3 {
				return
			}
		}
	}
	h.found = append(h.found, slices.Clone(p.sources))
}

// zeroHalf rounds the sums that the elimination finds by a divisor of two.
func (g *Generator) zeroHalf() {
	if g.halves == nil {
		g.halves = newHalves(g.v)
	}
	h := g.halves
	if !h.load() {
		return
	}
	h.eliminate()
	for _, set := range h.found {
		if g.v.spent() {
			return
		}
		g.agg.clear()
		for k, w := range set {
			for ; w != 0; w &= w - 1 {
				s := h.sources[64*k+bits.TrailingZeros64(w)]
				weight := 1.0
				if !s.upper {
					weight = -1
				}
				g.agg.add(&g.v.rows[s.row], s.row, weight)
			}
		}
		if c, ok := g.mir.halve(g.agg); ok {
			g.add(c, ZeroHalf)
		}
	}
}
