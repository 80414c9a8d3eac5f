package fold

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
	"github.com/proxybd/proxybd/internal/splitmix"
	"github.com/proxybd/proxybd/lp"
)

// maxRounds limits the rounds of a refinement; each is a pass over the matrix. A model whose partition is not stable
// after them (a long path needs as many rounds as it has rows) is not folded.
const maxRounds = 100

// colours are the classes of one side, rows or columns, numbered in the order of their first members.
type colours struct {
	of    []int32 // class of each member
	n     int     // number of classes
	limit int     // numbering ends when there are more classes
	hash  []uint64
	ids   map[uint64]int32 // class of each hash
}

// newColours puts n members with equal keys into the same class.
func newColours(n, limit int, key func(k int) uint64) *colours {
	// The keys are the hashes of the first numbering.
	c := &colours{of: make([]int32, n), limit: limit, hash: make([]uint64, n), ids: map[uint64]int32{}}
	for k := range c.hash {
		c.hash[k] = key(k)
	}
	c.number()
	return c
}

// number numbers the classes: members with equal hashes have the same class.
func (c *colours) number() {
	clear(c.ids)

	for k, h := range c.hash {
		id, ok := c.ids[h]
		if !ok {
			// A new hash is a new class.
			id = int32(len(c.ids))
			if int(id) > c.limit {
				break
			}
			c.ids[h] = id
		}
		c.of[k] = id
	}

	c.n = len(c.ids)
}

// refine splits the classes by the entries of their members in the classes of the other side; the members are the major
// side of a. It reports whether the number of classes has increased.
func (c *colours) refine(a *sparse.Matrix, other *colours) bool {
	before := c.n

	for k := range c.of {
		index, value := a.Vec(k)
		h := splitmix.Mix(uint64(c.of[k]))
		// Explicit zeros are no entries.
		for p, i := range index {
			if value[p] != 0 {
				h += entryHash(other.of[i], value[p])
			}
		}
		c.hash[k] = h
	}

	c.number()
	return c.n > before
}

// entryHash is the hash of an entry in a class. It must not be linear in the class, because sums of hashes are
// compared.
func entryHash(class int32, v float64) uint64 {
	return splitmix.Mix(splitmix.Mix(math.Float64bits(v)) + uint64(class)*0x9e3779b97f4a7c15)
}

// partition refines until the classes are stable. It returns ok = false if there are more than limit classes, or if the
// rounds do not suffice. Columns are refined first: most models without symmetry exceed the limit then, before the
// transposed matrix, which rows need, is computed.
func partition(m *lp.Model, byCol *sparse.Matrix, limit int) (cols, rows *colours, byRow *sparse.Matrix, ok bool) {
	cols = newColours(len(m.Cols), limit, func(j int) uint64 {
		return splitmix.Floats(m.Cols[j].Cost, m.Cols[j].Lower, m.Cols[j].Upper)
	})
	rows = newColours(len(m.Rows), limit, func(i int) uint64 {
		return splitmix.Floats(m.Rows[i].Lower, m.Rows[i].Upper)
	})

	for round := 0; round < maxRounds && cols.n+rows.n <= limit; round++ {
		more := cols.refine(byCol, rows)
		if cols.n+rows.n > limit {
			break
		}

		if byRow == nil {
			byRow = byCol.Transpose()
		}
		more = rows.refine(byRow, cols) || more
		if cols.n+rows.n > limit {
			break
		}

		// Nothing has been split: the partition is equitable.
		if !more {
			return cols, rows, byRow, true
		}
	}
	return nil, nil, nil, false
}
