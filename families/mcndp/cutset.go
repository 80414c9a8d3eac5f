package mcndp

import (
	"fmt"
	"slices"

	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/lp"
)

// leaving returns how much of some demands has to leave a set of nodes, rounded to nearest.
func (in *Instance) leaving(inside []bool, demand []float64) float64 {
	return demandOf(in.crossing(inside), demand)
}

// crossing returns the commodities that begin inside of a set of nodes and end outside.
func (in *Instance) crossing(inside []bool) (list []int) {
	for i := range in.Demand {
		if inside[in.Origin[i]] && !inside[in.Destination[i]] {
			list = append(list, i)
		}
	}
	return list
}

// demandOf returns the sum of the demands of some commodities, rounded to nearest.
func demandOf(commodities []int, demand []float64) float64 {
	var total outward.Sum
	for _, i := range commodities {
		total.Add(demand[i])
	}
	return total.Value()
}

// cutSets returns the separation of inequalities on the cut sets of the network (paper, section 5.3).
func (in *Instance) cutSets(kind cutset.Kind) *cutset.Separator {
	return in.cutSetsFor(kind, func(inside []bool) float64 { return in.leaving(inside, in.Demand) })
}

// cutSetsFor is cutSets with what has to leave a set.
func (in *Instance) cutSetsFor(kind cutset.Kind, leaving func(inside []bool) float64) *cutset.Separator {
	// One matrix of capacities: they do not depend on the scenario.
	return cutset.New(cutset.Network{
		Nodes:    in.Nodes,
		Tail:     in.Tail,
		Head:     in.Head,
		Capacity: [][]float64{in.Capacity},
		Leaving:  func(inside []bool, _ int) float64 { return leaving(inside) },
	}, kind)
}

// addNodeSets adds two rows for the set of each node (leave_v) and of all but that node (enter_v) that demand leaves:
// the open arcs have the capacity for the demand, and they are as many as the demand needs. It returns the sets.
func (in *Instance) addNodeSets(model *lp.Model, leaving func(inside []bool) float64) (sets [][]bool) {
	for v := range in.Nodes {
		for _, side := range []string{"leave", "enter"} {
			inside := make([]bool, in.Nodes)
			for w := range inside {
				inside[w] = (w == v) == (side == "leave")
			}
			demand := leaving(inside)

			// Where nothing has to leave, both rows say nothing.
			if demand == 0 {
				continue
			}

			// The arcs that leave the set. No arc helps by more than the whole demand.
			var arcs []int32
			for j, t := range in.Tail {
				if inside[t] && !inside[in.Head[j]] {
					arcs = append(arcs, int32(j))
				}
			}
			cutset.Sort(arcs, in.Capacity)
			capacity := make([]float64, len(arcs))
			for k, j := range arcs {
				capacity[k] = min(1, in.Capacity[j]/demand)
			}

			// The counting row is implied by the other one and integrality, and may be stronger at fractional points.
			count := slices.Repeat([]float64{1}, len(arcs))
			least := float64(cutset.Least(arcs, in.Capacity, demand))

			// The rows of a set follow each other, which records rely on.
			name := fmt.Sprintf("_%s_%d", side, v)
			model.AddRow(lp.Row{Name: "capacity" + name, Lower: 1 - cutset.Tolerance, Upper: lp.Inf}, arcs, capacity)
			model.AddRow(lp.Row{Name: "count" + name, Lower: least, Upper: lp.Inf}, arcs, count)
			sets = append(sets, inside)
		}
	}
	return sets
}
