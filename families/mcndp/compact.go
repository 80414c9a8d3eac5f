package mcndp

import (
	"fmt"

	"github.com/proxybd/proxybd/lp"
)

// compact returns the whole problem as one model, the strong formulation: the columns and rows of Master, and then a
// column x_i_j for the flow of commodity i on arc j in units, a row flow_i_v for what leaves node v less what enters
// it, a row link_i_j for x_i_j <= min(d_i, s_j) y_j, and a row supply_j for the capacity. It is what any solver can be
// given.
func (in *Instance) compact() *lp.Model {
	model := in.Master()
	in.addFlows(model, in.Demand, true)
	return model
}

// flow returns the column of the flow of commodity i on arc j.
func (in *Instance) flow(i, j int) int { return (i+1)*in.arcs() + j }

// addFlows adds the columns and rows of the flows to a first-stage model; the upper bound of a column is the demand
// of its commodity in longest, and 0 where the arc leads back to the origin or on from the destination. The rows
// link_i_j may be left out. It returns the first of the rows flow_i_v and the first of these.
func (in *Instance) addFlows(model *lp.Model, longest []float64, links bool) (first, link int) {
	n := in.arcs()
	m := in.commodities()
	model.Grow(n*m*5 + n) // entries: two flow rows, a link of two, a capacity; and the capacities themselves
	for i := range in.Demand {
		for j, c := range in.Cost {
			// No flow is more than its demand or the capacity.
			upper := min(longest[i], in.Capacity[j])
			if in.Head[j] == in.Origin[i] || in.Tail[j] == in.Destination[i] {
				upper = 0
			}
			model.AddCol(lp.Col{Name: fmt.Sprintf("x_%d_%d", i, j), Cost: c, Upper: upper})
		}
	}

	// The conservation of flow of every commodity at every node.
	first = len(model.Rows)
	for i, d := range in.Demand {
		at := len(model.Rows)
		for v := range in.Nodes {
			supply := 0.0
			switch int32(v) {
			case in.Origin[i]:
				supply = d
			case in.Destination[i]:
				supply = -d
			}
			model.AddRow(lp.Row{Name: fmt.Sprintf("flow_%d_%d", i, v), Lower: supply, Upper: supply}, nil, nil)
		}

		// What leaves a node counts positive, what enters it negative.
		for j, tail := range in.Tail {
			model.AddEntry(lp.Con(at+int(tail)), lp.Var(in.flow(i, j)), 1)
			model.AddEntry(lp.Con(at+int(in.Head[j])), lp.Var(in.flow(i, j)), -1)
		}
	}

	// The links of the flows to their arcs, and the capacities.
	link = len(model.Rows)
	for i, d := range in.Demand {
		for j, s := range in.Capacity {
			if links {
				model.AddRow(lp.Row{Name: fmt.Sprintf("link_%d_%d", i, j), Lower: 0, Upper: lp.Inf},
					[]int32{int32(j), int32(in.flow(i, j))}, []float64{min(d, s), -1})
			}
		}
	}
	for j, s := range in.Capacity {
		// An arc without capacity has no entry of its own column: a zero is no entry.
		row := model.AddRow(lp.Row{Name: fmt.Sprintf("supply_%d", j), Lower: 0, Upper: lp.Inf}, nil, nil)
		if s > 0 {
			model.AddEntry(row, lp.Var(j), s)
		}
		for i := range m {
			model.AddEntry(row, lp.Var(in.flow(i, j)), -1)
		}
	}
	return first, link
}
