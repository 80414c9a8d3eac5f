package cuts

import "math"

// network is what a model has of a flow in a network: rows that read, times a weight, what flows in minus what flows
// out. Its nodes are these rows, its arcs continuous columns. A column in one of the rows only joins it to the outside,
// which is the node after the last; so does an arc without a column, for what a node may give or take by its sides.
type network struct {
	row        []int32 // of a node
	weight     []float64
	lower      []float64 // inflow minus outflow lies between them
	upper      []float64
	column     []int32 // of an arc, -1 for none
	tail, head []int32
	at         [][]int32 // arcs of a node, 2k where arc k comes in, 2k+1 where it goes out
}

// outside is the node that stands for everything else.
func (n *network) outside() int32 { return int32(len(n.row)) }

// newNetwork finds a network in m, nil where there is none: row by row along common columns, first among the equations,
// each with the sign that the rows before leave it; a row that fits with neither is no part of it.
func newNetwork(m *Model) *network {
	f := finder{m: m, n: &network{}, node: make([]int32, len(m.RowLower)), ends: make([][2]int32, len(m.Integer))}
	for i := range f.node {
		f.node[i] = unseen
	}
	for j := range f.ends {
		f.ends[j] = [2]int32{unseen, unseen}
	}
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

// unseen is no node yet.
const unseen = -1

// finder is the search for a network.
type finder struct {
	m    *Model
	n    *network
	node []int32    // of a row
	ends [][2]int32 // of a column: the node that it enters and the one that it leaves
	next []int32    // rows to look at
}

// grow takes row i, and the rows that it reaches, into the network.
func (f *finder) grow(i int32, equations bool) {
	f.next = append(f.next[:0], i)
	for len(f.next) > 0 {
		i := f.next[0]
		f.next = f.next[1:]
		if f.node[i] != unseen || equations && f.m.RowLower[i] != f.m.RowUpper[i] {
			continue
		}
		if sign := f.fits(i); sign != 0 {
			f.take(i, sign)
		}
	}
}

// fits returns the sign with which row i is a node, 0 for neither.
func (f *finder) fits(i int32) float64 {
	index, value := f.m.ByRow.Vec(int(i))
	if len(index) < 2 {
		return 0
	}
	plus, minus := true, true
	for k, j := range index {
		if f.m.Integer[j] || math.Abs(value[k]) != math.Abs(value[0]) {
			return 0
		}
		in, out := f.ends[j][0] == unseen, f.ends[j][1] == unseen
		if value[k] < 0 {
			in, out = out, in
		}
		plus, minus = plus && in, minus && out
	}
	switch {
	case plus:
		return 1
	case minus:
		return -1
	}
	return 0
}

// take makes row i a node.
func (f *finder) take(i int32, sign float64) {
	n, m := f.n, f.m
	index, value := m.ByRow.Vec(int(i))
	v, w := int32(len(n.row)), sign/math.Abs(value[0])
	f.node[i] = v
	n.row, n.weight = append(n.row, i), append(n.weight, w)
	lower, upper := w*m.RowLower[i], w*m.RowUpper[i]
	if w < 0 {
		lower, upper = upper, lower
	}
	n.lower, n.upper = append(n.lower, lower), append(n.upper, upper)
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

// join makes arcs of the columns, and of what the sides of rows leave a node.
func (f *finder) join() {
	n := f.n
	n.at = make([][]int32, len(n.row)+1)
	for j, e := range f.ends {
		if e[0] == unseen && e[1] == unseen {
			continue
		}
		head, tail := e[0], e[1]
		if head == unseen {
			head = n.outside()
		}
		if tail == unseen {
			tail = n.outside()
		}
		n.arc(int32(j), tail, head)
	}
	for v := range n.row {
		if n.lower[v] < 0 {
			n.arc(-1, n.outside(), int32(v))
		}
		if n.upper[v] > 0 {
			n.arc(-1, int32(v), n.outside())
		}
	}
}

func (n *network) arc(column, tail, head int32) {
	k := int32(len(n.column))
	n.column, n.tail, n.head = append(n.column, column), append(n.tail, tail), append(n.head, head)
	n.at[head], n.at[tail] = append(n.at[head], 2*k), append(n.at[tail], 2*k+1)
}
