package cholesky

import (
	"cmp"
	"slices"
)

// updateSize returns the numbers of the update matrix of a supernode: a square, whose upper triangle is used.
func (s *supernode) updateSize() int64 {
	below := s.rows - s.pivots
	return below * below
}

// stackOrder returns a postorder of the supernodes in which the children of each are ordered such that the stack of
// update matrices is smallest (J. W. H. Liu, On the storage requirement in the out-of-core multifrontal method for
// sparse factorization, ACM TOMS 12 (1986)).
func (f *partition) stackOrder() []int32 {
	children := f.children()
	peak := make([]int64, len(f.nodes))
	for s := range f.nodes {
		// A child whose subtree needs much more than its own update matrix comes early.
		excess := func(c int32) int64 { return peak[c] - f.nodes[c].updateSize() }
		slices.SortStableFunc(children[s], func(a, b int32) int { return cmp.Compare(excess(b), excess(a)) })

		// Each child needs its peak above the update matrices of the earlier ones.
		stacked := int64(0)
		for _, c := range children[s] {
			peak[s] = max(peak[s], stacked+peak[c])
			stacked += f.nodes[c].updateSize()
		}
		peak[s] = max(peak[s], stacked+f.nodes[s].updateSize())
	}

	// From the roots down; a parent is listed before its children, the last of these first.
	order := make([]int32, 0, len(f.nodes))
	var open []int32
	for s := range f.nodes {
		if f.nodes[s].parent < 0 {
			open = append(open, int32(s))
		}
	}
	for len(open) > 0 {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		order = append(order, s)
		open = append(open, children[s]...)
	}
	slices.Reverse(order)
	return order
}

// children lists the children of each supernode, in ascending order.
func (f *partition) children() [][]int32 {
	count := make([]int32, len(f.nodes))
	for s := range f.nodes {
		if p := f.nodes[s].parent; p >= 0 {
			count[p]++
		}
	}
	all := make([]int32, 0, len(f.nodes))
	children := make([][]int32, len(f.nodes))
	for s, c := range count {
		at := len(all)
		all = all[:at+int(c)]
		children[s] = all[at:at:len(all)]
	}
	for s := range f.nodes {
		if p := f.nodes[s].parent; p >= 0 {
			children[p] = append(children[p], int32(s))
		}
	}
	return children
}
