package bnb

import "github.com/proxybd/proxybd/internal/f64"

// screen holds cuts of the pool, in the order in which they came, and computes their activities at points. Where the
// cuts are dense in the columns between the first and the last that they use, as those of a decomposition are, it keeps
// them once more as the rows of a matrix: one product with it costs an eighth of adding up cut by cut, which was a
// quarter of the time outside the LP with 3000 cuts of 50 entries.
type screen struct {
	cuts    []*cut
	from    int       // first column of the matrix
	width   int       // number of its columns, which all cuts are in, with or without a matrix
	matrix  []float64 // len(cuts) rows of that width, nil while the cuts are sparse
	entries int       // of all cuts
	next    int       // where the next part begins
	act     []float64 // scratch
}

// add appends a cut.
func (q *screen) add(c *cut) {
	q.cuts = append(q.cuts, c)
	q.entries += len(c.index)
	grown := q.cover(c)

	// The matrix is given up where it is mostly zeros, grows by a row while its columns suffice, and else is made anew.
	cells := len(q.cuts) * q.width
	switch {
	case q.matrix != nil && cells > screenSparse*q.entries:
		q.matrix = nil
	case q.matrix != nil && !grown:
		q.spread(c)
	case q.matrix != nil || cells <= screenDense*q.entries:
		q.matrix = make([]float64, 0, 2*cells)
		for _, c := range q.cuts {
			q.spread(c)
		}
	}
}

// cover extends the columns to those of c and reports whether they have grown.
func (q *screen) cover(c *cut) bool {
	if len(c.index) == 0 {
		return false
	}

	// The indices are ascending: the first and the last one span the columns of the cut.
	first := int(c.index[0])
	if q.width == 0 {
		q.from = first
	}
	end := max(q.from+q.width, int(c.index[len(c.index)-1])+1)
	before := q.width
	q.from = min(q.from, first)
	q.width = end - q.from
	return q.width > before
}

// spread appends the row of c.
func (q *screen) spread(c *cut) {
	at := len(q.matrix)
	q.matrix = append(q.matrix, make([]float64, q.width)...)
	for k, j := range c.index {
		q.matrix[at+int(j)-q.from] = c.value[k]
	}
}

// activities returns those of the cuts from at up to end, valid until the next call. x must be finite.
func (q *screen) activities(x []float64, at, end int) []float64 {
	// The scratch grows with the number of cuts, so that it is seldom allocated.
	if cap(q.act) < end-at {
		q.act = make([]float64, max(end-at, len(q.cuts)))
	}
	act := q.act[:end-at]
	if q.matrix != nil {
		f64.Gemv(end-at, q.width, 1, q.matrix[at*q.width:], q.width, x[q.from:q.from+q.width], 0, act)
		return act
	}
	for k, c := range q.cuts[at:end] {
		act[k] = c.activity(x)
	}
	return act
}

// part returns the next part: the cuts from at up to end.
func (q *screen) part() (at, end int) {
	// The parts follow each other, and begin again after the last.
	at = q.next
	end = min(at+max(partMin, len(q.cuts)/parts), len(q.cuts))
	if q.next = end; end == len(q.cuts) {
		q.next = 0
	}
	return at, end
}

// bytes is the memory of the matrix.
func (q *screen) bytes() int64 { return 8 * int64(len(q.matrix)) }
