package cutset

import "slices"

// flows finds cut sets by maximal flows at a point (Ford and Fulkerson): from all sources to one sink, or from one
// source to all sinks. The width of an arc is its capacity times its value at the point, where the capacity counts no
// more than the supply or demand of that one node, as in a formulation with a flow for every such node.
type flows struct {
	n Network

	support []int32   // arcs that the point opens
	from    [][]int32 // of each node, the arcs of the support by which flow can leave it, as in parent
	width   []float64 // left of each arc of the support, forwards and backwards
	parent  []int32   // arc of the support by which a node was reached, 2k forwards, 2k+1 backwards, -1 for a source
	queue   []int32   // nodes in the order in which they are reached
	reached []bool
}

// newFlows returns the search for cut sets of a network.
func newFlows(n Network) flows {
	return flows{
		n:       n,
		from:    make([][]int32, n.Nodes),
		parent:  make([]int32, n.Nodes),
		reached: make([]bool, n.Nodes),
	}
}

// at sets the network to the arcs that a point opens.
func (f *flows) at(y []float64) {
	const open = 1e-9 // an arc of a smaller value is taken for closed
	f.support = f.support[:0]
	for v := range f.from {
		f.from[v] = f.from[v][:0]
	}

	// Every arc has a twin backwards, which takes flow back.
	for j, v := range y[:len(f.n.Tail)] {
		if v > open {
			k := int32(len(f.support))
			f.support = append(f.support, int32(j))
			f.from[f.n.Tail[j]] = append(f.from[f.n.Tail[j]], 2*k)
			f.from[f.n.Head[j]] = append(f.from[f.n.Head[j]], 2*k+1)
		}
	}
	f.width = slices.Grow(f.width[:0], 2*len(f.support))[:2*len(f.support)]
}

// search calls visit with the minimum cut of every node whose supply or demand exceeds the flow from or to it, with the
// case and that amount, until visit returns false.
func (f *flows) search(y []float64, visit func(inside []bool, k int, demand float64) bool) {
	f.at(y)
	for k, balance := range f.n.Balance {
		for v, b := range balance {
			if b == 0 {
				continue
			}

			// Supply flows from its node to all nodes with a demand, and demand comes from all nodes with a supply.
			source := func(w int) bool { return w == v }
			sink := func(w int) bool { return balance[w] < 0 }
			if b < 0 {
				sink = source
				source = func(w int) bool { return balance[w] > 0 }
				b = -b
			}
			if f.short(y, f.n.Capacity[k], b, source, sink) && !visit(slices.Clone(f.reached), k, b) {
				return
			}
		}
	}
}

// short augments the flow along shortest paths (Edmonds and Karp), and reports whether the maximal one is less than the
// demand. Then reached is the set of a minimum cut.
func (f *flows) short(y, capacity []float64, demand float64, source, sink func(v int) bool) bool {
	for k, j := range f.support {
		f.width[2*k] = y[j] * min(capacity[j], demand)
		f.width[2*k+1] = 0
	}

	// Without an augmenting path the nodes that were reached are the set of a minimum cut.
	for flow := 0.0; flow < demand*(1-minViolation); {
		end := f.path(demand*1e-9, source, sink)
		if end < 0 {
			return true
		}

		// The flow on the path is the width of its narrowest arc, or the rest of the demand. It narrows the arcs of the path
		// and widens their twins.
		step := demand - flow
		for v := end; f.parent[v] >= 0; v = f.tail(f.parent[v]) {
			step = min(step, f.width[f.parent[v]])
		}
		for v := end; f.parent[v] >= 0; v = f.tail(f.parent[v]) {
			f.width[f.parent[v]] -= step
			f.width[f.parent[v]^1] += step
		}
		flow += step
	}
	return false
}

// tail is the node that an arc of the support, forwards or backwards, leads from.
func (f *flows) tail(a int32) int32 {
	j := f.support[a/2]
	if a%2 == 0 {
		return f.n.Tail[j]
	}
	return f.n.Head[j]
}

// path searches for an augmenting path, breadth first, and returns its last node or -1.
func (f *flows) path(least float64, source, sink func(v int) bool) int32 {
	// All sources are in the queue at first.
	f.queue = f.queue[:0]
	for v := range f.reached {
		if f.reached[v] = source(v); f.reached[v] {
			f.queue = append(f.queue, int32(v))
			f.parent[v] = -1
		}
	}

	// The path goes on along arcs, forwards and backwards, that have some width left; the twin of an arc leads from its
	// end.
	for head := 0; head < len(f.queue); head++ {
		for _, a := range f.from[f.queue[head]] {
			w := f.tail(a ^ 1)
			if f.width[a] <= least || f.reached[w] {
				continue
			}
			f.reached[w] = true
			f.parent[w] = a
			if sink(int(w)) {
				return w
			}
			f.queue = append(f.queue, w)
		}
	}
	return -1
}
