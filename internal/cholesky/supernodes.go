package cholesky

import (
	"cmp"
	"math"
	"slices"
)

// supernode is a set of columns of L that are stored together: those of its pivots, with the rows of all of them. Row
// structures are nested, so that c pivots and r rows are a dense trapezoid of entries; rows that some of the columns
// lack are explicit zeros.
type supernode struct {
	pivots int64
	rows   int64 // with the pivots
	zeros  int64 // explicit zeros of the trapezoid
	parent int32 // -1 for a root
}

// trapezoid returns the number of entries of c nested columns, the first of which has r rows.
func trapezoid(c, r int64) int64 { return c*r - c*(c-1)/2 }

// relaxation limits the explicit zeros of a supernode to a fraction of its entries, by its number of pivots: small
// supernodes cost more time than their zeros. The numbers are those of CHOLMOD (Y. Chen, T. A. Davis, W. W. Hager,
// S. Rajamanickam, Algorithm 887, ACM TOMS 35 (2008)).
var relaxation = []struct {
	pivots   int64
	fraction float64
}{
	{4, 1},
	{16, 0.8},
	{48, 0.1},
	{math.MaxInt64, 0.05},
}

// partition is a partition of the columns into supernodes, whose parents have higher numbers than their children.
type partition struct {
	nodes []supernode
	of    []int32 // the supernode of each column
}

// fundamental returns the fundamental supernodes (C. C. Ashcraft, R. G. Grimes, The influence of relaxed supernode
// partitions on the multifrontal method, ACM TOMS 15 (1989)): chains of only children, where the structure of a column
// is the column and the structure of the next one.
func fundamental(e *elimination) *partition {
	children := make([]int32, len(e.parent))
	for _, p := range e.parent {
		if p >= 0 {
			children[p]++
		}
	}

	f := &partition{of: make([]int32, len(e.parent))}
	for j := range e.parent {
		joins := j > 0 && int(e.parent[j-1]) == j && children[j] == 1 && e.counts[j-1] == e.counts[j]+1
		if !joins {
			f.nodes = append(f.nodes, supernode{rows: int64(e.counts[j])})
		}
		f.of[j] = int32(len(f.nodes) - 1)
		f.nodes[f.of[j]].pivots++
	}

	// The last column of a supernode has the parent.
	for j, p := range e.parent {
		s := &f.nodes[f.of[j]]
		switch {
		case p < 0:
			s.parent = -1
		case f.of[p] != f.of[j]:
			s.parent = f.of[p]
		}
	}
	return f
}

// amalgamate returns the partition where supernodes are merged with their parents if that makes few explicit zeros.
func (f *partition) amalgamate() *partition {
	children := make([][]int32, len(f.nodes))
	into := make([]int32, len(f.nodes))
	for s := range f.nodes {
		into[s] = int32(s)
		if p := f.nodes[s].parent; p >= 0 {
			children[p] = append(children[p], int32(s))
		}
	}

	// Children with long structures come first: they have most rows in common with the parent.
	nodes := slices.Clone(f.nodes)
	for p := range nodes {
		slices.SortStableFunc(children[p], func(a, b int32) int { return cmp.Compare(nodes[b].rows, nodes[a].rows) })
		for _, c := range children[p] {
			if merged, ok := merge(&nodes[p], &nodes[c]); ok {
				nodes[p] = merged
				into[c] = int32(p)
			}
		}
	}
	return f.contract(nodes, into)
}

// merge returns the union of a supernode and its child, and whether its explicit zeros are few.
func merge(p, c *supernode) (supernode, bool) {
	m := supernode{pivots: p.pivots + c.pivots, rows: p.rows + c.pivots, parent: p.parent}
	entries := trapezoid(m.pivots, m.rows)
	m.zeros = p.zeros + c.zeros + entries - trapezoid(p.pivots, p.rows) - trapezoid(c.pivots, c.rows)

	for _, r := range relaxation {
		if m.pivots <= r.pivots {
			return m, float64(m.zeros) <= r.fraction*float64(entries)
		}
	}
	return m, false
}

// contract numbers the supernodes that are left in their order. Supernode s is now part of into[s].
func (f *partition) contract(nodes []supernode, into []int32) *partition {
	// Parents come last, so that the end of a path of merges is known before its beginning.
	for s := len(into) - 1; s >= 0; s-- {
		into[s] = into[into[s]]
	}
	number := make([]int32, len(nodes))
	out := &partition{of: make([]int32, len(f.of))}
	for s := range nodes {
		if into[s] == int32(s) {
			number[s] = int32(len(out.nodes))
			out.nodes = append(out.nodes, nodes[s])
		}
	}
	for s := range out.nodes {
		if p := out.nodes[s].parent; p >= 0 {
			out.nodes[s].parent = number[into[p]]
		}
	}
	for j, s := range f.of {
		out.of[j] = number[into[s]]
	}
	return out
}

// reorder returns the partition with supernode order[k] as number k, and the columns in the order of their supernodes:
// element k of the second result is the column that has number k now. Columns of one supernode keep their order.
func (f *partition) reorder(order []int32) (*partition, []int32) {
	number := inverse(order)
	out := &partition{nodes: make([]supernode, len(f.nodes)), of: make([]int32, 0, len(f.of))}
	next := make([]int64, len(f.nodes)+1)
	for k, s := range order {
		node := f.nodes[s]
		if node.parent >= 0 {
			node.parent = number[node.parent]
		}
		out.nodes[k] = node
		next[k+1] = next[k] + node.pivots
		for range node.pivots {
			out.of = append(out.of, int32(k))
		}
	}

	columns := make([]int32, len(f.of))
	for j, s := range f.of {
		k := number[s]
		columns[next[k]] = int32(j)
		next[k]++
	}
	return out, columns
}
