package cuts

import (
	"math"
	"slices"
)

// network is a flow network in a model. Its nodes are rows that, times a weight, are inflow minus outflow; its arcs are
// continuous columns. The node after the last is the outside: a column that is in one of the rows only connects it to
// the outside, and so does an arc without a column, for the supply or demand that the sides of a row allow.
type network struct {
	row        []int32 // of the model, by node
	weight     []float64
	lower      []float64 // weight times the sides of the row: lower <= inflow - outflow <= upper
	upper      []float64
	column     []int32 // by arc, -1 for none
	tail, head []int32
	at         [][]int32 // arcs of a node: 2k where arc k enters, 2k+1 where it leaves
}

// outside is the node that represents everything else.
func (n *network) outside() int32 { return int32(len(n.row)) }

// newNetwork finds a network in m, and returns nil if there is none. It grows along common columns, row by row, first
// with equations only. The sign of a row follows from the rows before; a row that fits with neither sign is left out.
func newNetwork(m *Model) *network {
	f := finder{
		m:    m,
		n:    &network{},
		node: slices.Repeat([]int32{unseen}, len(m.RowLower)),
		ends: slices.Repeat([][2]int32{{unseen, unseen}}, len(m.Integer)),
	}

	// Equations are flow conservation more often than inequalities are: they come first.
	for _, equations := range []bool{true, false} {
		for i := range int32(len(m.RowLower)) {
			f.grow(i, equations)
		}
	}

	if len(f.n.row) < 2 {
		return nil
	}
	f.join()
	return f.n
}

// unseen is the node of a row or column that has none.
const unseen = -1

// finder holds the state of the search for a network.
type finder struct {
	m    *Model
	n    *network
	node []int32    // by row, unseen if it is none
	ends [][2]int32 // by column: the node that it enters and the one that it leaves
	next []int32    // queue of rows
}

// grow adds row i to the network, and the rows that can be reached from it.
func (f *finder) grow(i int32, equations bool) {
	// The queue holds the rows that share a column with the network.
	f.next = append(f.next[:0], i)
	for len(f.next) > 0 {
		i := f.next[0]
		f.next = f.next[1:]
		// Equations come first, since they are more likely to be flow conservation.
		if f.node[i] != unseen || equations && f.m.RowLower[i] != f.m.RowUpper[i] {
			continue
		}

		if sign := f.fits(i); sign != 0 {
			f.take(i, sign)
		}
	}
}

// fits returns the sign with which row i is a node, 0 for neither: its columns must be continuous, have coefficients of
// equal absolute value, and neither enter nor leave two nodes.
func (f *finder) fits(i int32) float64 {
	index, value := f.m.ByRow.Vec(int(i))
	if len(index) < 2 {
		return 0
	}

	// A column that enters one node and leaves another is an arc between them.
	// Both signs are possible until a column excludes one.
	plus, minus := true, true
	for k, j := range index {
		if f.m.Integer[j] || math.Abs(value[k]) != math.Abs(value[0]) {
			return 0
		}
		in := f.ends[j][0] == unseen
		out := f.ends[j][1] == unseen
		if value[k] < 0 {
			in, out = out, in
		}
		plus = plus && in
		minus = minus && out
	}

	switch {
	case plus:
		return 1
	case minus:
		return -1
	}
	return 0
}

// take makes row i a node, with the given sign, and queues the rows that share a column with it.
func (f *finder) take(i int32, sign float64) {
	n, m := f.n, f.m
	index, value := m.ByRow.Vec(int(i))
	v := int32(len(n.row))
	w := sign / math.Abs(value[0])
	f.node[i] = v
	n.row = append(n.row, i)
	n.weight = append(n.weight, w)

	// A negative weight exchanges the sides.
	lower, upper := w*m.RowLower[i], w*m.RowUpper[i]
	if w < 0 {
		lower, upper = upper, lower
	}
	n.lower = append(n.lower, lower)
	n.upper = append(n.upper, upper)

	// The column gets this node as the end that the sign of its coefficient names.
	for k, j := range index {
		end := 0
		if w*value[k] < 0 {
			end = 1
		}
		f.ends[j][end] = v

		rows, _ := m.ByCol.Vec(int(j))
		for _, r := range rows {
			if f.node[r] == unseen {
				f.next = append(f.next, r)
			}
		}
	}
}

// join makes arcs of the columns, and of the supply and demand that the sides of a row allow its node.
func (f *finder) join() {
	n := f.n
	n.at = make([][]int32, len(n.row)+1)
	for j, e := range f.ends {
		if e[0] == unseen && e[1] == unseen {
			continue
		}

		// A column with one end in the network has the other one outside.
		for end := range e {
			if e[end] == unseen {
				e[end] = n.outside()
			}
		}
		n.arc(int32(j), e[1], e[0])
	}

	// Supply comes from the outside, demand goes there.
	for v := range n.row {
		if n.lower[v] < 0 {
			n.arc(-1, n.outside(), int32(v))
		}
		if n.upper[v] > 0 {
			n.arc(-1, int32(v), n.outside())
		}
	}
}

// arc adds an arc from tail to head.
func (n *network) arc(column, tail, head int32) {
	k := int32(len(n.column))
	n.column = append(n.column, column)
	n.tail = append(n.tail, tail)
	n.head = append(n.head, head)
	n.at[head] = append(n.at[head], 2*k)
	n.at[tail] = append(n.at[tail], 2*k+1)
}
