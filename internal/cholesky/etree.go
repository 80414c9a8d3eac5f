package cholesky

import "github.com/proxybd/proxybd/internal/ordering"

// elimination is the elimination tree of P A P', numbered in a postorder, with the column counts of L.
type elimination struct {
	perm   []int32 // perm[k] is the vertex that is eliminated as number k
	place  []int32 // its inverse
	parent []int32 // -1 for a root
	counts []int32 // entries of each column, with the diagonal
}

// eliminate renumbers an ordering by a postorder of its elimination tree, which does not change the fill, and counts
// the entries of the columns.
func eliminate(g *ordering.Graph, order []int32) *elimination {
	e := &elimination{perm: order, place: inverse(order)}
	e.findParents(g)
	e.renumber(postorder(e.parent))
	e.count(g)
	return e
}

// inverse returns the inverse of a permutation.
func inverse(perm []int32) []int32 {
	place := make([]int32, len(perm))
	for k, v := range perm {
		place[v] = int32(k)
	}
	return place
}

// size returns the number of entries of L, and the sum of the squares of the column counts.
func (e *elimination) size() (nonZeros int64, flops float64) {
	for _, c := range e.counts {
		nonZeros += int64(c)
		flops += float64(c) * float64(c)
	}
	return nonZeros, flops
}

// findParents is algorithm 4.2 of J. W. H. Liu, The role of elimination trees in sparse factorization, SIAM Journal on
// Matrix Analysis and Applications 11 (1990), with path compression.
func (e *elimination) findParents(g *ordering.Graph) {
	n := len(e.perm)
	e.parent = make([]int32, n)
	ancestor := make([]int32, n)
	for k := range n {
		e.parent[k] = -1
		ancestor[k] = -1
		for _, u := range g.Neighbours(e.perm[k]) {
			j := e.place[u]
			for j >= 0 && int(j) < k {
				next := ancestor[j]
				ancestor[j] = int32(k)
				if next < 0 {
					e.parent[j] = int32(k)
				}
				j = next
			}
		}
	}
}

// postorder numbers the nodes of a forest whose parents have higher numbers than their children: element k is the node
// of number k. Children keep their order.
func postorder(parent []int32) []int32 {
	// Subtree sizes give the numbers directly: a node comes last among its subtree, after those of its earlier siblings.
	n := len(parent)
	size := make([]int32, n)
	for v, p := range parent {
		size[v]++
		if p >= 0 {
			size[p] += size[v]
		}
	}

	// From the last node down, next[p] is the number after those that are left for the children of p.
	next := make([]int32, n)
	rootNext := int32(n)
	out := make([]int32, n)
	for v := n - 1; v >= 0; v-- {
		free := &rootNext
		if p := parent[v]; p >= 0 {
			free = &next[p]
		}
		number := *free - 1
		*free -= size[v]
		next[v] = number
		out[number] = int32(v)
	}
	return out
}

// renumber makes node order[k] number k.
func (e *elimination) renumber(order []int32) {
	number := inverse(order)
	perm := make([]int32, len(order))
	parent := make([]int32, len(order))
	for k, old := range order {
		perm[k] = e.perm[old]
		parent[k] = -1
		if p := e.parent[old]; p >= 0 {
			parent[k] = number[p]
		}
	}
	e.perm = perm
	e.place = inverse(perm)
	e.parent = parent
}

// count finds the column counts in time nearly linear in the entries of A (J. R. Gilbert, E. G. Ng, B. W. Peyton, An
// efficient algorithm to compute row and column counts for sparse Cholesky factorization, SIAM Journal on Matrix
// Analysis and Applications 15 (1994)). A count is the sum, over the subtree of its column, of weights: one for each
// row subtree that has the node as a leaf, minus one for each pair of consecutive leaves whose least common ancestor is
// the node, and minus one for each child.
func (e *elimination) count(g *ordering.Graph) {
	n := len(e.perm)
	first := make([]int32, n)    // first descendant
	lastLeaf := make([]int32, n) // last leaf of each row subtree so far, -1 if there is none
	set := make([]int32, n)      // union-find: ancestors of the nodes that are finished
	weight := make([]int32, n)
	for j := range n {
		first[j] = int32(j)
		lastLeaf[j] = -1
		set[j] = int32(j)
	}
	for j, p := range e.parent {
		if p >= 0 {
			first[p] = min(first[p], first[j])
		}
	}

	for j, p := range e.parent {
		if first[j] == int32(j) {
			weight[j]++
		}
		if p >= 0 {
			weight[p]--
		}
		for _, u := range g.Neighbours(e.perm[j]) {
			i := e.place[u]
			if int(i) <= j || lastLeaf[i] >= first[j] {
				continue
			}
			weight[j]++
			if q := lastLeaf[i]; q >= 0 {
				weight[find(set, q)]--
			}
			lastLeaf[i] = int32(j)
		}
		if p >= 0 {
			set[j] = p
		}
	}

	for j, p := range e.parent {
		if p >= 0 {
			weight[p] += weight[j]
		}
	}
	e.counts = weight
}

// find returns the representative of a set, and shortens the path to it.
func find(set []int32, q int32) int32 {
	root := q
	for set[root] != root {
		root = set[root]
	}
	for set[q] != root {
		next := set[q]
		set[q] = root
		q = next
	}
	return root
}
