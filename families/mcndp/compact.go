package mcndp

import (
	"fmt"

	"github.com/proxybd/proxybd/lp"
)

// Compact returns the whole problem as one model, the strong formulation: the columns and rows of Master, and then a
// column x_i_j for the flow of commodity i on arc j in units, a row flow_i_v for what leaves node v less what enters
// it, a row link_i_j for x_i_j <= d_i y_j, and a row supply_j for the capacity. It is what any solver can be given.
func (in *Instance) Compact() *lp.Model {
	n, m := in.Arcs(), in.Commodities()
	model := in.Master()
	model.Grow(n*m*5 + n)
	for i, d := range in.Demand {
		for j, c := range in.Cost {
			model.AddCol(lp.Col{Name: fmt.Sprintf("x_%d_%d", i, j), Cost: c, Upper: d})
		}
	}
	column := func(i, j int) int { return n + i*n + j }
	for i, d := range in.Demand {
		for v := range in.Nodes {
			supply := 0.0
			switch int32(v) {
			case in.Origin[i]:
				supply = d
			case in.Destination[i]:
				supply = -d
			}
			row := model.AddRow(lp.Row{Name: fmt.Sprintf("flow_%d_%d", i, v), Lower: supply, Upper: supply}, nil, nil)
			for j := range n {
				switch int32(v) {
				case in.Tail[j]:
					model.AddEntry(row, lp.Var(column(i, j)), 1)
				case in.Head[j]:
					model.AddEntry(row, lp.Var(column(i, j)), -1)
				}
			}
		}
	}
	for i, d := range in.Demand {
		for j := range n {
			model.AddRow(lp.Row{Name: fmt.Sprintf("link_%d_%d", i, j), Lower: 0, Upper: lp.Inf},
				[]int32{int32(j), int32(column(i, j))}, []float64{d, -1})
		}
	}
	for j, s := range in.Capacity {
		row := model.AddRow(lp.Row{Name: fmt.Sprintf("supply_%d", j), Lower: 0, Upper: lp.Inf}, nil, nil)
		if s > 0 {
			model.AddEntry(row, lp.Var(j), s)
		}
		for i := range m {
			model.AddEntry(row, lp.Var(column(i, j)), -1)
		}
	}
	return model
}
