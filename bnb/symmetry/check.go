package symmetry

import (
	"math"
	"slices"
)

// checker verifies automorphisms.
type checker struct {
	m        *Model
	col, row []int32   // images; the identity between two calls
	value    []float64 // by column: a row, scattered
	listed   []bool    // by row
	work     int
}

// newChecker has the identity.
func newChecker(m *Model) *checker {
	c := &checker{
		m:      m,
		col:    make([]int32, len(m.Cost)),
		row:    make([]int32, len(m.RowLower)),
		value:  make([]float64, len(m.Cost)),
		listed: make([]bool, len(m.RowLower)),
	}
	for j := range c.col {
		c.col[j] = int32(j)
	}
	for i := range c.row {
		c.row[i] = int32(i)
	}
	return c
}

// automorphism reports whether the two maps, of columns and of rows, are permutations that map the model to itself.
func (c *checker) automorphism(cols, rows Permutation) bool {
	for k, j := range cols.From {
		c.col[j] = cols.To[k]
	}
	for k, i := range rows.From {
		c.row[i] = rows.To[k]
	}
	ok := bijective(cols) && bijective(rows) && c.attributes(cols, rows) && c.entries(cols, rows)
	for _, j := range cols.From {
		c.col[j] = j
	}
	for _, i := range rows.From {
		c.row[i] = i
	}
	return ok
}

// bijective reports whether a map takes what it moves to the same set.
func bijective(p Permutation) bool {
	from, to := slices.Clone(p.From), slices.Clone(p.To)
	slices.Sort(from)
	slices.Sort(to)
	return slices.Equal(from, to) && len(slices.Compact(from)) == len(to)
}

// attributes compares costs, bounds, integrality and sides.
func (c *checker) attributes(cols, rows Permutation) bool {
	m := c.m
	for k, a := range cols.From {
		b := cols.To[k]
		same := m.Cost[a] == m.Cost[b] && m.Lower[a] == m.Lower[b] && m.Upper[a] == m.Upper[b]
		if !same || m.Integer[a] != m.Integer[b] {
			return false
		}
	}
	for k, a := range rows.From {
		if b := rows.To[k]; m.RowLower[a] != m.RowLower[b] || m.RowUpper[a] != m.RowUpper[b] {
			return false
		}
	}
	return true
}

// entries compares the rows that are moved, or have a column that is moved, with their images.
func (c *checker) entries(cols, rows Permutation) bool {
	var list []int32
	note := func(i int32) {
		if !c.listed[i] {
			c.listed[i] = true
			list = append(list, i)
		}
	}
	for _, i := range rows.From {
		note(i)
	}
	for _, j := range cols.From {
		index, _ := c.m.ByCol.Vec(int(j))
		c.work += len(index)
		for _, i := range index {
			note(i)
		}
	}
	ok := !slices.ContainsFunc(list, func(i int32) bool { return !c.sameRow(i, c.row[i]) })
	for _, i := range list {
		c.listed[i] = false
	}
	return ok
}

// sameRow reports whether row q has the entries of row i at their images.
func (c *checker) sameRow(i, q int32) bool {
	index, value := c.m.ByRow.Vec(int(q))
	c.work += 2 * len(index)
	left := 0
	for k, j := range index {
		c.value[j] = value[k]
		if value[k] != 0 {
			left++
		}
	}

	// Equal numbers of entries, all of them found, are all entries.
	ok := true
	mine, coef := c.m.ByRow.Vec(int(i))
	for k, j := range mine {
		if coef[k] != 0 {
			left--
			ok = ok && c.value[c.col[j]] == coef[k]
		}
	}
	for _, j := range index {
		c.value[j] = 0
	}
	return ok && left == 0 && !math.IsNaN(c.m.RowLower[i])
}
