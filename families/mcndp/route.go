package mcndp

import (
	"cmp"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/outward"
)

// router looks for a feasible flow on the open arcs of a design without a linear program. What it finds is a
// certificate that the design has a recourse; where it finds none, the design may have one all the same. It is for one
// goroutine.
type router struct {
	in       *Instance
	out      [][]int32 // arcs that leave each node
	order    []int32   // commodities, in the order in which they are routed
	residual []float64
	price    []float64
	distance []float64
	via      []int32
	done     []bool
	unit     float64
}

func newRouter(in *Instance) *router {
	r := &router{in: in, out: make([][]int32, in.Nodes), order: make([]int32, in.Commodities()),
		residual: make([]float64, in.Arcs()),
		price:    make([]float64, in.Arcs()), distance: make([]float64, in.Nodes), via: make([]int32, in.Nodes),
		done: make([]bool, in.Nodes),
		unit: outward.Total(in.Cost)/float64(in.Arcs()) + tooSmall}
	for j, v := range in.Tail {
		r.out[v] = append(r.out[v], int32(j))
	}
	return r
}

// route reports whether it finds a flow. Commodities are sent along cheapest paths with room, the largest demand first
// and split where need be; after a failure the commodity that found no path goes first, and arcs without room cost
// more.
func (r *router) route(y []float64) bool {
	const attempts = 30
	if !r.in.carries(y) {
		return false
	}
	for i := range r.order {
		r.order[i] = int32(i)
	}
	slices.SortStableFunc(r.order, func(a, b int32) int { return cmp.Compare(r.in.Demand[b], r.in.Demand[a]) })
	clear(r.price)
	for range attempts {
		failed := r.attempt(y)
		if failed < 0 {
			return true
		}
		i := r.order[failed]
		copy(r.order[1:failed+1], r.order[:failed])
		r.order[0] = i
		for j, v := range y {
			if v > 0.5 && r.residual[j] < r.in.Demand[i] {
				r.price[j] += r.unit
			}
		}
	}
	return false
}

// attempt routes all commodities in order and returns the position of the one that could not be, or -1.
func (r *router) attempt(y []float64) int {
	const nothing = 1e-12
	total := r.in.TotalDemand()
	for j, v := range y {
		if r.residual[j] = 0; v > 0.5 {
			r.residual[j] = r.in.Capacity[j]
		}
	}
	for at, i := range r.order {
		for left := r.in.Demand[i]; left > 0; {
			amount := r.path(r.in.Origin[i], r.in.Destination[i], nothing*total)
			if amount = min(amount, left); amount <= nothing*total && amount < left {
				return at
			}
			for v := r.in.Destination[i]; v != r.in.Origin[i]; v = r.in.Tail[r.via[v]] {
				r.residual[r.via[v]] -= amount
			}
			left -= amount
		}
	}
	return -1
}

// path finds the cheapest path over arcs with more than the least residual, by Dijkstra's algorithm, and returns what
// fits through it; 0 where there is none.
func (r *router) path(from, to int32, least float64) float64 {
	for v := range r.distance {
		r.distance[v], r.done[v] = math.Inf(1), false
	}
	r.distance[from] = 0
	for {
		v, near := int32(-1), math.Inf(1)
		for w, d := range r.distance {
			if d < near && !r.done[w] {
				v, near = int32(w), d
			}
		}
		if v < 0 {
			return 0
		}
		if v == to {
			break
		}
		r.done[v] = true
		for _, j := range r.out[v] {
			if r.residual[j] <= least {
				continue
			}
			if d := near + r.in.Cost[j] + r.price[j]; d < r.distance[r.in.Head[j]] {
				r.distance[r.in.Head[j]], r.via[r.in.Head[j]] = d, j
			}
		}
	}
	amount := math.Inf(1)
	for v := to; v != from; v = r.in.Tail[r.via[v]] {
		amount = min(amount, r.residual[r.via[v]])
	}
	return amount
}
