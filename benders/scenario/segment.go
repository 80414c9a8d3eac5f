package scenario

import (
	"slices"
	"sync"

	"github.com/proxybd/proxybd/internal/f64"
)

// Sizes of a product.
const (
	segmentSize = 256     // scenarios of a segment, so that its values of a block of certificates stay in the cache
	maxLoads    = 1 << 20 // numbers in the table of loads of a product
)

// segment is a part of the scenarios in a pool. Other segments are priced at the same time.
type segment struct {
	from, to int         // scenarios
	values   [][]float64 // blocks of certificates x scenarios, where the pool is tabled
}

// scratch is what a goroutine needs to price a segment.
type scratch struct {
	places, links packed    // differences, of the kinds of a product
	added         []float64 // block x scenarios
}

// scratches has those that no goroutine needs now: as many as goroutines, not as segments.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// segmentsOf returns the segments of a number of scenarios.
func segmentsOf(count int) (list []*segment) {
	for from := 0; from < count; from += segmentSize {
		list = append(list, &segment{from: from, to: min(count, from+segmentSize)})
	}
	return list
}

// row returns the values of a certificate in the segment's scenarios.
func (g *segment) row(k int) []float64 {
	n := g.to - g.from
	return g.values[k/block][k%block*n:][:n]
}

// at returns the value of a certificate in a scenario.
func (g *segment) at(k, scenario int) float64 { return g.row(k)[scenario-g.from] }

// place fills the rows of certificates from this one on: the product of their loads and the differences.
func (g *segment) place(q *pool, first int, sums []float64) {
	n := g.to - g.from
	kinds := q.places.kinds
	for len(g.values)*block < len(q.duals) {
		g.values = append(g.values, make([]float64, block*n))
	}

	// The rows up to the end of a block: the last block may be partly filled before.
	for k := first; k < len(q.duals); {
		rows := min(len(q.duals)-k, block-k%block)
		f64.Gemm(false, false, rows, n, kinds, 1, sums[(k-first)*kinds:], kinds, q.places.delta[g.from:], q.count, 0,
			g.values[k/block][k%block*n:], n)
		k += rows
	}
}

// keep moves the rows of some certificates to the front.
func (g *segment) keep(order []int) {
	for to, from := range order {
		copy(g.row(to), g.row(from))
	}
}

// product is what certificates load on the kinds at a point.
type product struct {
	from, to      int       // certificates
	base          []float64 // of each: value of its cut for the skeleton
	places, links loads     // of places only where the pool is not tabled
}

// loads is a table of certificates and those kinds on which some certificate has a load: the links of columns that are
// zero at the point have none.
type loads struct {
	kinds []int
	table []float64 // certificates x kinds
}

// at makes the product of certificates at a point.
func (m *product) at(q *pool, y []float64, from, to int) {
	m.from = from
	m.to = to
	m.base = m.base[:0]
	m.places.clear(to-from, q.places.kinds)
	m.links.clear(to-from, q.links.kinds)
	for k, d := range q.duals[from:to] {
		m.base = append(m.base, d.alpha+f64.Dot(d.beta, y))
		copy(m.places.table[k*q.places.kinds:], d.fixed)
	}

	// The loads on links times the columns of y, summed over the links of a kind.
	kinds := q.links.kinds
	for b := from / block; b < len(q.moves) && b*block < to; b++ {
		skip := int32(max(0, from-b*block) * kinds) // positions of certificates before from
		shift := (b*block - from) * kinds
		for j, v := range y {
			at := &q.moves[b][j]
			if v == 0 || len(at.to) == 0 {
				continue
			}
			start, _ := slices.BinarySearch(at.to, skip)
			for k, p := range at.to[start:] {
				m.links.table[int(p)+shift] += v * at.value[start+k]
			}
		}
	}
	m.places.compress(to-from, q.places.kinds)
	m.links.compress(to-from, kinds)
}

// clear makes a table of zeros for all kinds.
func (l *loads) clear(rows, kinds int) {
	l.table = slices.Grow(l.table[:0], rows*kinds)[:rows*kinds]
	clear(l.table)
}

// compress leaves out the kinds without a load.
func (l *loads) compress(rows, kinds int) {
	loaded := make([]bool, kinds)
	for row := range rows {
		for k, v := range l.table[row*kinds : (row+1)*kinds] {
			loaded[k] = loaded[k] || v != 0
		}
	}
	l.kinds = l.kinds[:0]
	for k, some := range loaded {
		if some {
			l.kinds = append(l.kinds, k)
		}
	}

	// The rows become shorter, each in front of where it was.
	n := len(l.kinds)
	for row := range rows {
		for i, k := range l.kinds {
			l.table[row*n+i] = l.table[row*kinds+k]
		}
	}
}

// price prices certificates in the segment's scenarios, block by block.
func (g *segment) price(q *pool, m *product) {
	n := g.to - g.from
	best := q.best[g.from:g.to]
	by := q.by[g.from:g.to]
	w := scratches.Get().(*scratch)
	defer scratches.Put(w)
	w.places.pack(g, &q.places, m.places.kinds)
	w.links.pack(g, &q.links, m.links.kinds)

	for from := m.from; from < m.to; {
		to := min(m.to, (from/block+1)*block)
		values := g.valuesOf(q, m, w, from, to)

		// Of equal values the older certificate stays the best.
		for k := from; k < to; k++ {
			base := m.base[k-m.from]
			for s, v := range values[(k-from)*n : (k-from+1)*n] {
				if v += base; v > best[s] {
					best[s] = v
					by[s] = int32(k)
				}
			}
		}
		from = to
	}
}

// valuesOf returns what the differences of the scenarios add to the values of certificates of a block.
func (g *segment) valuesOf(q *pool, m *product, w *scratch, from, to int) []float64 {
	n := g.to - g.from
	size := (to - from) * n
	var table []float64
	if q.tabled {
		table = g.values[from/block][from%block*n:][:size]
	}
	if q.tabled && len(m.links.kinds) == 0 {
		return table
	}

	w.added = slices.Grow(w.added[:0], size)[:size]
	if q.tabled {
		copy(w.added, table)
	} else {
		clear(w.added)
		w.places.multiply(&m.places, from-m.from, to-m.from, w.added)
	}
	w.links.multiply(&m.links, from-m.from, to-m.from, w.added)
	return w.added
}

// packed are the differences of a segment's scenarios in some kinds.
type packed struct {
	n     int          // scenarios
	delta []float64    // kinds x scenarios
	laid  *f64.PackedB // the same, laid out for products; of another shape where there are no kinds
	shape [2]int       // of laid
}

// pack reads the differences of kinds of a feature.
func (p *packed) pack(g *segment, f *feature, kinds []int) {
	p.n = g.to - g.from
	p.delta = p.delta[:0]
	for _, k := range kinds {
		row := f.delta[k*(len(f.delta)/f.kinds):]
		p.delta = append(p.delta, row[g.from:g.to]...)
	}

	// Segments of one product have the same shape, but for the last one.
	shape := [2]int{len(kinds), p.n}
	switch {
	case len(kinds) == 0:
	case p.laid != nil && p.shape == shape:
		p.laid.Repack(false, p.delta, p.n)
	default:
		p.laid = f64.PackB(false, len(kinds), p.n, p.delta, p.n)
		p.shape = shape
	}
}

// multiply adds the product of the loads of some rows and the differences to a table.
func (p *packed) multiply(l *loads, from, to int, sum []float64) {
	kinds := len(l.kinds)
	if kinds > 0 && to-from == 1 {
		f64.Gemm(false, false, 1, p.n, kinds, 1, l.table[from*kinds:], kinds, p.delta, p.n, 1, sum, p.n)
	} else if kinds > 0 {
		f64.GemmPacked(false, to-from, 1, l.table[from*kinds:], kinds, p.laid, 1, sum, p.n, f64.Epilogue{})
	}
}
