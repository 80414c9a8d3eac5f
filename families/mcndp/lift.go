package mcndp

import (
	"cmp"
	"math"
	"slices"
)

// lifter makes multipliers of the prices of the arcs that are open at a point. It is for one goroutine.
type lifter struct {
	in         *Instance
	potentials *potentials
	closed     []int32   // arcs, those of the lowest fixed cost for a unit of capacity first
	length     []float64 // of each arc, infinite until it is put back
}

// newLifter returns a lifter with potentials of its own.
func newLifter(in *Instance) *lifter {
	return &lifter{in: in, potentials: newPotentials(in), length: make([]float64, in.arcs())}
}

// fill fills u with the multipliers of the prices.
func (l *lifter) fill(u, cost, price []float64, open func(j int) bool) {
	l.lift(cost, price, open)
	l.potentials.fill(u)
}

// lift computes the shortest paths at the prices. Closed arcs are put back one after the other, each just so long that
// no commodity gains by it: the price above its cost is what a cut allows opening the arc to save.
func (l *lifter) lift(cost, price []float64, open func(j int) bool) {
	in := l.in
	paths := l.potentials.paths

	// At first the closed arcs are missing.
	l.closed = l.closed[:0]
	for j, p := range price {
		// The length of an open arc is its cost with the price of its capacity.
		l.length[j] = cost[j] + p
		if !open(j) {
			l.closed = append(l.closed, int32(j))
			l.length[j] = math.Inf(1)
		}
	}
	paths.compute(l.length)

	// An arc that is put back is no longer than the detour that it saves the commodity that gains most.
	slices.SortStableFunc(l.closed, func(a, b int32) int {
		return cmp.Compare(in.Fixed[a]*(in.Capacity[b]+tooSmall), in.Fixed[b]*(in.Capacity[a]+tooSmall))
	})
	for _, j := range l.closed {
		least := cost[j]
		for i, o := range in.Origin {
			t := in.Destination[i]
			if whole := paths.between(o, t); whole < l.potentials.ceiling {
				least = max(least, whole-paths.between(o, in.Tail[j])-paths.between(in.Head[j], t))
			}
		}

		// The paths by way of an arc that is put back count for those that follow.
		l.length[j] = least
		paths.insert(j, least)
	}
}
