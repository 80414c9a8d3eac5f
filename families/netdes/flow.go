package netdes

import (
	"math"
	"slices"
)

// router finds flows of least cost on some of the arcs, scenario by scenario, by successive shortest paths. It is for
// searches: the cost of a design is exact but for rounding, and nothing that is proven rests on it. A router is for one
// goroutine.
//
// An arc at position k of arcs is two arcs of the residual network: 2k from its tail to its head, with the capacity
// that is left, and 2k+1 backwards, with what the arc carries. a^1 is the other direction of a.
type router struct {
	d *Data
	// total is the demand of each scenario.
	total []float64

	// arcs are those that may carry.
	arcs []int32
	// at has the residual arcs that leave each node.
	at [][]int32
	// price is the cost of a unit on each arc, by position in arcs.
	price []float64
	// width is the residual capacity, by residual arc.
	width []float64
	// left is the demand of each node that is not routed yet: positive where flow has to leave, negative where it ends.
	left []float64

	// pot is the potential of each node, and nearest that of the end of all paths; see shortest.
	pot     []float64
	nearest float64
	heap    nearestFirst

	// dist is the label of each node: the length of the shortest path to it that has been found, Inf for none.
	dist []float64
	// less is by how much a label has to be shorter to replace another.
	less float64
	// by is the residual arc on the path to each node, -1 at its beginning.
	by []int32
	// queue has the nodes whose labels are to be passed on, each once: queued marks them.
	queued []bool
	queue  []int32
}

// newRouter returns a router; use and begin come before the first flow.
func newRouter(d *Data) *router {
	r := &router{
		d:      d,
		at:     make([][]int32, d.Nodes),
		left:   make([]float64, d.Nodes),
		pot:    make([]float64, d.Nodes),
		dist:   make([]float64, d.Nodes),
		by:     make([]int32, d.Nodes),
		queued: make([]bool, d.Nodes),
	}
	for s := range d.Scenarios {
		r.total = append(r.total, d.Scenarios[s].total())
	}
	return r
}

// use sets the arcs that may carry.
func (r *router) use(open func(e int) bool) {
	for v := range r.at {
		r.at[v] = r.at[v][:0]
	}
	r.arcs = r.arcs[:0]
	for e, v := range r.d.Tail {
		if open(e) {
			k := int32(len(r.arcs))
			r.arcs = append(r.arcs, int32(e))
			r.at[v] = append(r.at[v], 2*k)
			r.at[r.d.Head[e]] = append(r.at[r.d.Head[e]], 2*k+1)
		}
	}
	// The memory of the design before serves again.
	n := len(r.arcs)
	r.price = slices.Grow(r.price[:0], n)[:n]
	r.width = slices.Grow(r.width[:0], 2*n)[:2*n]
}

// begin makes all arcs empty and all demands of a scenario open.
func (r *router) begin(s int) {
	at := &r.d.Scenarios[s]

	// Every arc has its whole capacity forwards and none backwards.
	copy(r.left, at.Demand)
	for k, e := range r.arcs {
		r.price[k] = at.Cost[e]
		r.width[2*k] = at.Limit(int(e), r.total[s])
		r.width[2*k+1] = 0
	}
}

// flow is what an arc carries.
func (r *router) flow(k int) float64 { return r.width[2*k+1] }

// head is the node that an arc, forwards or backwards, leads to.
func (r *router) head(a int32) int32 {
	// Even numbers are forwards; see router.
	if a%2 == 0 {
		return r.d.Head[r.arcs[a/2]]
	}
	return r.d.Tail[r.arcs[a/2]]
}

// toll is what a unit pays on a residual arc: flow that goes backwards saves the price of the arc.
func (r *router) toll(a int32) float64 {
	// Odd numbers are backwards; see router.
	if a%2 == 1 {
		return -r.price[a/2]
	}
	return r.price[a/2]
}

// rounding is what counts as nothing of a scenario's demand.
const rounding = 1e-9

// route sends the demands of the scenario that was begun, and reports whether the arcs carry them; at least cost, or
// with fast by any paths.
func (r *router) route(s int, fast bool) bool {
	none := rounding * r.total[s]
	if fast {
		clear(r.price) // any flow is one of least cost
	}
	clear(r.pot)
	r.nearest = 0
	for {
		end := r.reach(none, fast)
		if end < 0 {
			return end == done
		}

		// The step is what the path has room for, back to where it begins.
		step := -r.left[end]
		v := end
		for ; r.by[v] >= 0; v = r.head(r.by[v] ^ 1) {
			step = min(step, r.width[r.by[v]])
		}
		step = min(step, r.left[v])

		// What the path carries may come back: residual arcs of both directions change.
		r.left[v] -= step
		r.left[end] += step
		for v = end; r.by[v] >= 0; v = r.head(r.by[v] ^ 1) {
			r.width[r.by[v]] -= step
			r.width[r.by[v]^1] += step
		}
	}
}

const (
	// done: all demand is routed.
	done = -1
	// stuck: no node where flow may end can be reached, so the arcs do not carry the demand.
	stuck = -2
)

// reach finds a shortest path from a node that has something left, and returns the nearest node where flow may end,
// done or stuck; with fast any path.
func (r *router) reach(none float64, fast bool) int32 {
	if !fast {
		return r.shortest(none)
	}
	r.queue = r.queue[:0]
	for v, b := range r.left {
		r.label(int32(v), math.Inf(1), b > none)
		if b > none {
			r.dist[v] = 0
		}
	}
	if len(r.queue) == 0 {
		return done
	}

	// Labels are corrected until one reaches a node where flow may end.
	end := int32(stuck)
	if r.relax(none, func(v int32) bool { end = v; return r.left[v] < -none }) {
		return end
	}
	return stuck
}

// shortest is reach by Dijkstra's algorithm with potentials (Tomizawa 1971; Edmonds and Karp 1972): lengths are prices
// plus the potential of the tail less that of the head. Potentials are the distances of the paths before: from a node
// that leads to all that have something left, to one that all nodes lead to where flow may end, whose potential is
// nearest. So no length is negative, but for rounding and for prices below zero, which count as zero.
func (r *router) shortest(none float64) int32 {
	// The search begins at all nodes that have something left.
	r.heap.clear()
	for v, b := range r.left {
		r.dist[v] = math.Inf(1)
		r.by[v] = -1
		if b > none {
			r.dist[v] = max(0, -r.pot[v])
			r.heap.push(r.dist[v], int32(v))
		}
	}
	if len(r.heap) == 0 {
		return done
	}

	// Nodes leave the heap by their distance, until none is nearer than the nearest node where flow may end.
	end := int32(stuck)
	best := math.Inf(1)
	for len(r.heap) > 0 {
		at := r.heap.pop()
		if at.dist >= best {
			break
		}
		if at.dist > r.dist[at.node] {
			continue // it has left with a shorter distance
		}
		v := at.node
		if to := at.dist + max(0, r.pot[v]-r.nearest); r.left[v] < -none && to < best {
			best = to
			end = v
		}

		// Distances beyond the best end are of no use.
		for _, a := range r.at[v] {
			if r.width[a] <= none {
				continue
			}
			w := r.head(a)
			t := at.dist + max(0, r.toll(a)+r.pot[v]-r.pot[w])
			if t < r.dist[w] && t < best {
				r.dist[w] = t
				r.by[w] = a
				r.heap.push(t, w)
			}
		}
	}
	if end == stuck {
		return stuck
	}

	// Nodes that are farther away, or were not reached, get the distance of the end.
	for v, d := range r.dist {
		r.pot[v] += min(d, best)
	}
	r.nearest += best
	return end
}

// label gives a node the label that a search begins with, and puts the node into the queue if it starts there.
func (r *router) label(v int32, dist float64, start bool) {
	r.dist[v] = dist
	r.by[v] = -1

	// A node with a label of its own starts the search.
	r.queued[v] = start
	if start {
		r.queue = append(r.queue, v)
	}
}

// weigh sets what a label has to be shorter by: more than the rounding of the longest way. Less than that, residual
// arcs whose prices cancel shorten labels without end, or lead in a circle.
func (r *router) weigh(none float64) {
	r.less = 0
	for k, c := range r.price {
		// An arc without room in either direction is on no path.
		if r.width[2*k] > none || r.width[2*k+1] > none {
			r.less = max(r.less, 1e-11*math.Abs(c))
		}
	}
}

// relax corrects labels from the nodes in the queue, and reports whether found stopped it, which is called for every
// new label. It ends even where a circle of arcs has a negative length.
func (r *router) relax(none float64, found func(v int32) bool) bool {
	// Without such a circle every node is taken from the queue at most once for each node of the network, so that the
	// search ends before the limit.
	limit := len(r.at) * (len(r.arcs) + len(r.at))
	for head := 0; head < len(r.queue) && head <= limit; head++ {
		v := r.queue[head]
		r.queued[v] = false

		// The arcs that have room pass the label on, where that shortens the way to the next node by more than rounding.
		for _, a := range r.at[v] {
			if r.width[a] <= none {
				continue
			}
			w := r.head(a)
			t := r.dist[v] + r.toll(a)
			if !(t < r.dist[w]-r.less) {
				continue
			}
			r.dist[w] = t
			r.by[w] = a
			if found(w) {
				return true
			}

			// A node that waits already takes its new label along.
			if !r.queued[w] {
				r.queued[w] = true
				r.queue = append(r.queue, w)
			}
		}
	}
	return false
}

// potentials fills pi with node potentials that prove the flow of least cost optimal: pi_a - pi_b is at most the cost
// of an arc with room, and at least that of one that carries.
func (r *router) potentials(s int, pi []float64) {
	none := rounding * r.total[s]
	r.weigh(none)
	r.queue = r.queue[:0]
	for v := range pi {
		r.label(int32(v), 0, true)
	}
	r.relax(none, func(int32) bool { return false })
	// On a residual arc (a, b) of cost c the labels satisfy dist_b <= dist_a + c, so -dist is such a potential.
	for v := range pi {
		pi[v] = -r.dist[v]
	}
}
