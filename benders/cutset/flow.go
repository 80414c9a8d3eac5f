package cutset

import "slices"

// flows finds sets by maximal flows at a point: from all nodes that something leaves to one that something has to
// reach, or from one that something leaves to all that something has to reach. Arcs are as wide as their capacity times
// what the point opens, and no wider than what that one node has, which is what a formulation with a flow for every
// such node allows.
type flows struct {
	n Network

	support []int32 // arcs that the point opens
	from    [][]int32
	width   []float64 // left of each arc of the support, forwards and backwards
	parent  []int32   // arc of the support by which a node was reached, 2k forwards, 2k+1 backwards
	queue   []int32
	reached []bool
}

// at takes over a point.
func (f *flows) at(y []float64) {
	f.support = f.support[:0]
	if f.from == nil {
		f.from = make([][]int32, f.n.Nodes)
		f.parent, f.reached = make([]int32, f.n.Nodes), make([]bool, f.n.Nodes)
	}
	for v := range f.from {
		f.from[v] = f.from[v][:0]
	}
	for j, v := range y[:len(f.n.Tail)] {
		if v > 1e-9 {
			k := int32(len(f.support))
			f.support = append(f.support, int32(j))
			f.from[f.n.Tail[j]] = append(f.from[f.n.Tail[j]], 2*k)
			f.from[f.n.Head[j]] = append(f.from[f.n.Head[j]], 2*k+1)
		}
	}
	f.width = slices.Grow(f.width[:0], 2*len(f.support))[:2*len(f.support)]
}

// search hands over the sets at the point that the flow to or from a node does not leave as much as the node has, with
// the case and that amount, until visit returns false.
func (f *flows) search(y []float64, visit func(inside []bool, k int, demand float64) bool) {
	f.at(y)
	for k, balance := range f.n.Balance {
		for v, b := range balance {
			if b == 0 {
				continue
			}
			one := func(w int) bool { return w == v }
			out, in := one, func(w int) bool { return balance[w] < 0 }
			if b < 0 {
				out, in = func(w int) bool { return balance[w] > 0 }, one
				b = -b
			}
			if f.short(y, f.n.Capacity[k], b, out, in) && !visit(slices.Clone(f.reached), k, b) {
				return
			}
		}
	}
}

// short routes as much as there is room for, and reports whether that is less than the demand. Then reached is the set
// that it does not leave.
func (f *flows) short(y, capacity []float64, demand float64, out, in func(v int) bool) bool {
	for k, j := range f.support {
		f.width[2*k], f.width[2*k+1] = y[j]*min(capacity[j], demand), 0
	}
	for flow := 0.0; flow < demand*(1-violated); {
		end := f.path(demand*1e-9, out, in)
		if end < 0 {
			return true
		}
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
	if j := f.support[a/2]; a%2 == 0 {
		return f.n.Tail[j]
	}
	return f.n.Head[f.support[a/2]]
}

// path looks for a path with room, breadth first, and returns its last node or -1.
func (f *flows) path(least float64, out, in func(v int) bool) int32 {
	f.queue = f.queue[:0]
	for v := range f.reached {
		if f.reached[v] = out(v); f.reached[v] {
			f.queue, f.parent[v] = append(f.queue, int32(v)), -1
		}
	}
	for head := 0; head < len(f.queue); head++ {
		for _, a := range f.from[f.queue[head]] {
			w := f.tail(a ^ 1)
			if f.width[a] <= least || f.reached[w] {
				continue
			}
			f.reached[w], f.parent[w] = true, a
			if in(int(w)) {
				return w
			}
			f.queue = append(f.queue, w)
		}
	}
	return -1
}
