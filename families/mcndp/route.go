package mcndp

import (
	"cmp"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/internal/outward"
)

// router looks for a feasible flow on the open arcs of a design without a linear program. What it finds is a
// certificate that the design has a recourse; where it finds none, the design may have one all the same. It is for one
// goroutine.
type router struct {
	in       *Instance
	sets     *cutset.Separator
	paths    *distances
	order    []int32   // commodities, in the order in which they are routed
	residual []float64 // capacity of each arc that the flow so far leaves
	price    []float64 // of each arc, in addition to its cost
	length   []float64 // of each arc: cost and price, infinite without room
	unit     float64   // by which a price rises: the mean cost
}

// newRouter returns the router of a valid instance.
func newRouter(in *Instance, sets *cutset.Separator) *router {
	// The unit is above zero also where all arcs are free.
	n := in.arcs()
	return &router{
		in:       in,
		sets:     sets,
		paths:    newDistances(in),
		order:    make([]int32, in.commodities()),
		residual: make([]float64, n),
		price:    make([]float64, n),
		length:   make([]float64, n),
		unit:     outward.Total(in.Cost)/float64(n) + tooSmall,
	}
}

// route reports whether it finds a flow. Commodities are sent along cheapest paths with room, the largest demand first
// and split where need be; after a failure the commodity that found no path goes first, and arcs without room cost
// more.
func (r *router) route(y []float64) bool {
	const attempts = 30
	if !r.sets.MayBeFeasible(y) {
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

		// The commodity that found no path goes first now, and arcs that have no room for it cost more.
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
	nothing := 1e-12 * r.in.totalDemand()
	for j, v := range y {
		// Closed arcs have no room.
		if r.residual[j] = 0; v > 0.5 {
			r.residual[j] = r.in.Capacity[j]
		}
	}

	// Each pass through the inner loop fills an arc or routes what is left, so that it ends.
	for at, i := range r.order {
		from := r.in.Origin[i]
		to := r.in.Destination[i]
		for left := r.in.Demand[i]; left > 0; {
			// A path takes what fits through its narrowest arc.
			amount := min(left, r.room(from, to, nothing))
			if amount <= nothing && amount < left {
				return at
			}
			r.paths.walk(from, to, func(j int32) { r.residual[j] -= amount })
			left -= amount
		}
	}
	return -1
}

// room finds the cheapest path over arcs with more than the least residual, and returns what fits through it; 0 where
// there is none.
func (r *router) room(from, to int32, least float64) float64 {
	for j, left := range r.residual {
		if r.length[j] = r.in.Cost[j] + r.price[j]; left <= least {
			r.length[j] = math.Inf(1)
		}
	}

	// The path is the cheapest at the prices; the arc with the least room on it limits the amount.
	r.paths.compute(r.length)
	amount := math.Inf(1)
	if !r.paths.walk(from, to, func(j int32) { amount = min(amount, r.residual[j]) }) {
		return 0
	}
	return amount
}
