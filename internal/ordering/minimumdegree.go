package ordering

import (
	"math"
	"slices"
)

// MinimumDegree returns an approximate minimum degree ordering (P. R. Amestoy, T. A. Davis, I. S. Duff, An approximate
// minimum degree ordering algorithm, SIAM Journal on Matrix Analysis and Applications 17 (1996)). Vertices of very high
// degree are ordered last. It returns nil once stop, which may be nil and is called now and then, returns true.
func MinimumDegree(g *Graph, stop func() bool) []int32 {
	return minimumDegree(g, make([]int32, g.Order()), 1, stop)
}

// pollEvery is the number of pivots between two calls of stop.
const pollEvery = 64

// minimumDegree eliminates the vertices in the order of their stages, 0 to stages-1, those of a stage by approximate
// minimum degree. A vertex is eliminated before its stage only if that makes no new edges. It overwrites stage, and
// returns nil once stop returns true.
func minimumDegree(g *Graph, stage []int32, stages int, stop func() bool) []int32 {
	q := newQuotient(g, stage)
	last := q.postponeDense(g)

	members := byStage(stage, stages)
	for s := range stages {
		// Vertices that were merged or eliminated have no weight.
		for _, v := range members[s] {
			if q.weight[v] > 0 {
				q.buckets.insert(v, q.degree[v])
			}
		}
		q.stageNow = int32(s)
		for v := q.buckets.least(); v >= 0; v = q.buckets.least() {
			if len(q.pivots)%pollEvery == 0 && stop != nil && stop() {
				return nil
			}
			q.eliminate(v)
		}
	}
	return append(q.order(), last...)
}

// byStage lists the vertices of each stage; those of the highest degree bucket are inserted last in first out, so that
// lists are in descending order and ties are broken by the least number.
func byStage(stage []int32, stages int) [][]int32 {
	count := make([]int, stages)
	for _, s := range stage {
		count[s]++
	}
	members := make([][]int32, stages)
	for s := range members {
		members[s] = make([]int32, 0, count[s])
	}
	for v, s := range slices.Backward(stage) {
		members[s] = append(members[s], int32(v))
	}
	return members
}

// quotient is a quotient graph. A node is a variable, which stands for a set of vertices with the same neighbours (a
// supervariable), or an element, which stands for the clique that an elimination has left. The list of a variable has
// its elements, then its variables; that of an element has its variables.
//
// The node of an eliminated variable becomes its element. A variable whose vertices belong to another variable has
// weight 0 and no list, an absorbed element has mark 0 and no list.
type quotient struct {
	lists    []int32
	start    []int
	length   []int32
	elements []int32 // elements in the list of a variable, -1 for the node of an element
	weight   []int32 // vertices of a variable, with a minus sign while it belongs to the pivot's element
	degree   []int32 // bound on the external degree of a variable, weight of the variables of an element
	mark     []int32 // see outside; 0 for an absorbed element
	stamp    int32   // marks of at least this number belong to the current step
	merged   []int32 // the node that has the vertices of a variable of weight 0, else -1

	stage    []int32
	stageNow int32

	buckets  buckets
	byHash   []int32 // first variable of each hash value, -1 if there is none
	hashNext []int32
	hash     []int32

	pivots []int32
	left   int // weight of the variables that are left
}

func newQuotient(g *Graph, stage []int32) *quotient {
	n := g.Order()
	q := &quotient{
		lists:    make([]int32, len(g.Adj), len(g.Adj)+len(g.Adj)/5+n),
		start:    slices.Clone(g.Start[:n]),
		length:   make([]int32, n),
		elements: make([]int32, n),
		weight:   make([]int32, n),
		degree:   make([]int32, n),
		mark:     make([]int32, n),
		stamp:    2,
		merged:   make([]int32, n),
		stage:    stage,
		buckets:  newBuckets(n),
		byHash:   make([]int32, n),
		hashNext: make([]int32, n),
		hash:     make([]int32, n),
		pivots:   make([]int32, 0, n),
		left:     n,
	}
	copy(q.lists, g.Adj)

	// Each vertex is a variable, whose list has no elements.
	for v := range n {
		q.length[v] = int32(g.Degree(int32(v)))
		q.degree[v] = q.length[v]
		q.weight[v] = 1
		q.mark[v] = 1
		q.merged[v] = -1
		q.byHash[v] = -1
	}
	return q
}

// postponeDense takes the vertices of very high degree out of the graph and returns them. Lists may still have them,
// with weight 0.
func (q *quotient) postponeDense(g *Graph) []int32 {
	limit := denseDegree(g)
	var dense []int32
	for v := range int32(g.Order()) {
		if g.Degree(v) > limit {
			dense = append(dense, v)
		}
	}
	for _, v := range dense {
		q.weight[v] = 0
		q.length[v] = 0
		q.left--
		for _, u := range g.Neighbours(v) {
			q.degree[u]--
		}
	}
	slices.SortStableFunc(dense, func(u, v int32) int { return g.Degree(u) - g.Degree(v) })
	return dense
}

// eliminate makes variable p the element of its neighbours.
func (q *quotient) eliminate(p int32) {
	q.buckets.remove(p, q.degree[p])
	q.left -= int(q.weight[p])
	q.weight[p] = 0
	q.pivots = append(q.pivots, p)

	q.gather(p)
	q.measureOutside(p)
	q.updateLists(p)
	q.nextStamp(int32(len(q.start)))
	q.mergeEqual(p)
	q.restore(p)
	if q.length[p] == 0 {
		q.mark[p] = 0
	}
}

// variables returns a view of the variables of element p.
func (q *quotient) variables(p int32) []int32 {
	return q.lists[q.start[p] : q.start[p]+int(q.length[p])]
}

// gather makes the list of element p: the variables of the elements of p, which it absorbs, and those of p itself. They
// leave the buckets, and their weights become negative.
func (q *quotient) gather(p int32) {
	// The degree bounds the length of the list.
	if q.elements[p] > 0 {
		q.reserve(int(q.degree[p]))
	}
	at := q.start[p]
	count := int(q.elements[p])
	own := q.lists[at+count : at+int(q.length[p])]
	elements := q.lists[at : at+count]

	weight := int32(0)
	list := q.lists[len(q.lists):cap(q.lists)]
	if count == 0 {
		list = q.lists[at : at+len(own)] // never longer than the list that it replaces
	}
	size := 0
	take := func(from []int32) {
		for _, v := range from {
			w := q.weight[v]
			if w <= 0 {
				continue
			}
			weight += w
			q.weight[v] = -w
			list[size] = v
			size++
			q.buckets.removeIfPresent(v, q.degree[v])
		}
	}
	for _, e := range elements {
		take(q.variables(e))
		q.absorb(e, p)
	}
	take(own)

	if count > 0 {
		q.start[p] = len(q.lists)
		q.lists = q.lists[:len(q.lists)+size]
	}
	q.length[p] = int32(size)
	q.elements[p] = -1
	q.degree[p] = weight
	q.mark[p] = 1
}

// absorb removes element e, whose variables are all in element p.
func (q *quotient) absorb(e, p int32) {
	q.merged[e] = p
	q.mark[e] = 0
	q.length[e] = 0
}

// measureOutside sets mark[e] - stamp to the weight of the variables of element e that are not in element p, for each
// element that has a variable in common with p (Amestoy, Davis, Duff, algorithm 2).
func (q *quotient) measureOutside(p int32) {
	for _, v := range q.variables(p) {
		at := q.start[v]
		weight := -q.weight[v]
		for _, e := range q.lists[at : at+int(q.elements[v])] {
			switch m := q.mark[e]; {
			case m >= q.stamp:
				q.mark[e] = m - weight
			case m != 0:
				q.mark[e] = q.degree[e] + q.stamp - weight
			}
		}
	}
}

// updateLists removes from the lists of the variables of element p what p covers, absorbs elements without variables
// outside of p (aggressive absorption), and bounds the degrees. A variable without neighbours outside of p is
// eliminated with it (mass elimination).
func (q *quotient) updateLists(p int32) {
	for _, v := range q.variables(p) {
		first := q.start[v]
		split := first + int(q.elements[v])
		end := first + int(q.length[v])
		at := first
		degree := int32(0)
		hash := uint32(0)

		for _, e := range q.lists[first:split] {
			m := q.mark[e]
			if m == 0 {
				continue
			}
			outside := m - q.stamp
			if outside <= 0 {
				q.absorb(e, p)
				continue
			}
			degree += outside
			hash += uint32(e)
			q.lists[at] = e
			at++
		}
		kept := at
		for _, u := range q.lists[split:end] {
			// Variables of p have negative weights.
			if w := q.weight[u]; w > 0 {
				degree += w
				hash += uint32(u)
				q.lists[at] = u
				at++
			}
		}

		if degree == 0 {
			weight := -q.weight[v]
			q.degree[p] -= weight
			q.left -= int(weight)
			q.merge(v, p)
			continue
		}

		// Element p comes first. There is room for it, since v has lost an element or variable p.
		q.lists[at] = q.lists[kept]
		q.lists[kept] = q.lists[first]
		q.lists[first] = p
		q.elements[v] = int32(kept - first + 1)
		q.length[v] = int32(at - first + 1)
		q.degree[v] = min(q.degree[v], degree)

		hash %= uint32(len(q.byHash))
		q.hash[v] = int32(hash)
		q.hashNext[v] = q.byHash[hash]
		q.byHash[hash] = v
	}
}

// merge makes the vertices of variable v part of node p.
func (q *quotient) merge(v, p int32) {
	q.merged[v] = p
	q.weight[v] = 0
	q.length[v] = 0
	q.elements[v] = -1
}

// mergeEqual merges variables of element p with equal lists. Two of them are compared only if their hash values are
// equal.
func (q *quotient) mergeEqual(p int32) {
	for _, v := range q.variables(p) {
		if q.weight[v] == 0 {
			continue
		}
		h := q.hash[v]
		first := q.byHash[h]
		q.byHash[h] = -1
		for i := first; i >= 0 && q.hashNext[i] >= 0; i = q.hashNext[i] {
			q.mergeWith(i)
			q.nextStamp(1)
		}
	}
}

// mergeWith compares variable i with those after it in its hash chain. The one of the earlier stage is kept.
func (q *quotient) mergeWith(i int32) {
	length := q.length[i]
	count := q.elements[i]
	for _, x := range q.lists[q.start[i]+1 : q.start[i]+int(length)] {
		q.mark[x] = q.stamp
	}
	before := i
	for j := q.hashNext[i]; j >= 0; j = q.hashNext[j] {
		if q.length[j] != length || q.elements[j] != count || !q.allMarked(j) {
			before = j
			continue
		}
		if q.stage[j] < q.stage[i] {
			q.weight[j] += q.weight[i]
			q.merge(i, j)
			return
		}
		q.weight[i] += q.weight[j]
		q.merge(j, i)
		q.hashNext[before] = q.hashNext[j]
	}
}

// allMarked reports whether all entries of the list of j have the current stamp, except the first one, which is the
// same for all variables of the new element.
func (q *quotient) allMarked(j int32) bool {
	for _, x := range q.lists[q.start[j]+1 : q.start[j]+int(q.length[j])] {
		if q.mark[x] != q.stamp {
			return false
		}
	}
	return true
}

// restore removes merged variables from the list of element p, and puts the others back in the buckets.
func (q *quotient) restore(p int32) {
	list := q.variables(p)
	size := 0
	for _, v := range list {
		weight := -q.weight[v]
		if weight == 0 {
			continue
		}
		q.weight[v] = weight
		degree := min(q.degree[v]+q.degree[p]-weight, int32(q.left)-weight)
		q.degree[v] = max(degree, 0)
		if q.stage[v] <= q.stageNow {
			q.buckets.insert(v, q.degree[v])
		}
		list[size] = v
		size++
	}
	q.length[p] = int32(size)

	// The unused part of a list at the end is given back.
	if q.start[p]+len(list) == len(q.lists) {
		q.lists = q.lists[:q.start[p]+size]
	}
}

// nextStamp makes marks of up to step above the stamp old.
func (q *quotient) nextStamp(step int32) {
	if q.stamp < math.MaxInt32-2*step-int32(len(q.mark)) {
		q.stamp += step
		return
	}
	for v, m := range q.mark {
		q.mark[v] = min(m, 1)
	}
	q.stamp = 2
}

// order lists the vertices pivot by pivot, each with those that were merged with it.
func (q *quotient) order() []int32 {
	n := len(q.start)
	position := make([]int32, n)
	for v := range position {
		position[v] = -1
	}
	for k, p := range q.pivots {
		position[p] = int32(k)
	}

	// The pivot of a merged vertex is at the end of its path; the path is shortened afterwards.
	pivotOf := func(v int32) int32 {
		end := v
		for position[end] < 0 && q.merged[end] >= 0 {
			end = q.merged[end]
		}
		for position[v] < 0 && q.merged[v] >= 0 && q.merged[v] != end {
			next := q.merged[v]
			q.merged[v] = end
			v = next
		}
		return position[end]
	}

	// The numbers of vertices of the pivots, added up, are the places where those of each pivot begin.
	size := make([]int32, len(q.pivots)+1)
	pivot := make([]int32, n)
	for v := range int32(n) {
		k := pivotOf(v)
		pivot[v] = k
		if k >= 0 {
			size[k+1]++
		}
	}
	for k := range q.pivots {
		size[k+1] += size[k]
	}

	out := make([]int32, size[len(q.pivots)])
	for v, k := range pivot {
		// Vertices that were postponed have no pivot.
		if k >= 0 {
			out[size[k]] = int32(v)
			size[k]++
		}
	}
	return out
}
