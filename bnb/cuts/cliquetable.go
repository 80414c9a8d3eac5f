package cuts

import (
	"cmp"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/activity"
)

// literal is a binary column or its complement: 2j stands for x_j, 2j+1 for 1 - x_j.
type literal int32

// col is the column of l.
func (l literal) col() int32 { return int32(l) >> 1 }

// negated reports whether l is the complement of its column.
func (l literal) negated() bool { return l&1 != 0 }

// value is the value of l at x.
func (l literal) value(x []float64) float64 {
	if l.negated() {
		return 1 - x[l.col()]
	}
	return x[l.col()]
}

// cliqueTable holds sets of literals with at most one true in each.
type cliqueTable struct {
	m       *Model
	cliques [][]literal
	of      [][]int32 // by literal, the cliques that hold it
	entries int       // total length of the cliques
}

// weighted is a literal of a knapsack row with its weight.
type weighted struct {
	l literal
	w float64
}

// newCliqueTable reads the cliques that single rows contain.
func newCliqueTable(m *Model) *cliqueTable {
	t := &cliqueTable{m: m, of: make([][]int32, 2*len(m.Integer))}
	var items []weighted
	for i := range m.RowLower {
		index, value := m.ByRow.Vec(i)
		// Either side of the row may be a knapsack.
		for _, sign := range []float64{1, -1} {
			side := sideOf(m.RowLower[i], m.RowUpper[i], sign)
			if math.IsInf(side, 0) {
				continue
			}

			var room float64
			// With one item, or none, no two exclude each other.
			items, room = m.relaxToKnapsack(items[:0], index, value, sign, side)
			if len(items) > 1 {
				t.readKnapsack(items, room)
			}
		}
	}
	t.readImplications()
	return t
}

// readImplications adds the pairs of literals that exclude each other by an implication between two binary columns,
// unless a clique holds them already.
func (t *cliqueTable) readImplications() {
	for _, i := range t.m.Implications {
		if !t.m.binary(i.Col) || !t.m.binary(i.Then) {
			continue
		}

		// The implication of b by a means that a excludes the complement of b.
		a := literal(2 * i.Col)
		b := literal(2 * i.Then)
		if i.Value == 0 {
			a ^= 1
		}
		if !i.Upper {
			b ^= 1
		}

		if !t.exclude(a, b) {
			t.store([]weighted{{l: a}}, b)
		}
	}
}

// exclude reports whether a clique holds both literals.
func (t *cliqueTable) exclude(a, b literal) bool {
	// The literal in fewer cliques is the faster one to search from.
	if len(t.of[a]) > len(t.of[b]) {
		a, b = b, a
	}
	return slices.ContainsFunc(t.of[a], func(id int32) bool { return slices.Contains(t.cliques[id], b) })
}

// relaxToKnapsack replaces the columns that are not binary in sign*value'x[index] <= side by their least activity. It
// appends the literals of the others to items; their weights sum to at most the returned room. There are none if the
// least activity is infinite.
func (m *Model) relaxToKnapsack(
	items []weighted, index []int32, value []float64, sign, side float64,
) ([]weighted, float64) {
	// A column that is not binary, and the constant of a complement, move to the side.
	size := math.Abs(side) // sum of the numbers that make the room, for their rounding errors
	for k, j := range index {
		a := sign * value[k]
		at := activity.Least(a, m.Lower[j], m.Upper[j])
		if math.IsInf(at, 0) {
			return items[:0], 0
		}
		side -= a * at
		size += math.Abs(a * at)

		switch {
		case !m.binary(j) || a == 0:
		case a > 0:
			items = append(items, weighted{literal(2 * j), a})
		default:
			items = append(items, weighted{literal(2*j + 1), -a})
		}
	}
	return items, side + 2*roundingUnit*size
}

// readKnapsack finds cliques in a knapsack row: the longest run of heaviest items in which any two exceed the room, and
// for every lighter item the heaviest ones that exclude it.
func (t *cliqueTable) readKnapsack(items []weighted, room float64) {
	// The tolerance leaves out pairs that exceed the room by a rounding error.
	limit := room + knapsackTol*math.Max(1, math.Abs(room))
	slices.SortFunc(items, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(b.w, a.w), cmp.Compare(a.l, b.l))
	})
	if items[0].w+items[1].w <= limit {
		return
	}

	// The two lightest items of the run exceed the room, and so does any other pair of it.
	run := 2
	for run < len(items) && items[run-1].w+items[run].w > limit {
		run++
	}
	t.store(items[:run], -1)

	// The lighter an item is, the fewer heavy ones exclude it.
	heavy := run - 1
	for _, it := range items[run:] {
		for heavy > 0 && items[heavy-1].w+it.w <= limit {
			heavy--
		}
		if heavy == 0 {
			return
		}
		t.store(items[:heavy], it.l)
	}
}

// store adds the clique of the items and, unless it is -1, another literal, while the table is not full.
func (t *cliqueTable) store(items []weighted, more literal) {
	if t.entries > cliqueEntries {
		return
	}

	// A full table takes no more: the cliques stored so far are valid.
	c := make([]literal, 0, len(items)+1)
	for _, it := range items {
		c = append(c, it.l)
	}
	if more >= 0 {
		c = append(c, more)
	}

	id := int32(len(t.cliques))
	t.cliques = append(t.cliques, c)
	t.entries += len(c)
	for _, l := range c {
		t.of[l] = append(t.of[l], id)
	}
}
