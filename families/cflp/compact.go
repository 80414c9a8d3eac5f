package cflp

import (
	"fmt"

	"github.com/proxybd/proxybd/lp"
)

// Compact returns the whole problem as one model, the strong formulation: the columns and rows of Master, and then a
// column x_i_j for the share of client i that facility j serves, a row serve_i that makes the shares of a client one, a
// row link_i_j for x_i_j <= y_j, and a row supply_j for the capacity. It is what any solver can be given.
func (in *Instance) Compact() *lp.Model {
	n, m := in.Facilities, in.Clients
	model := in.Master()
	model.Grow(m*n*4 + n)
	for i := range m {
		for j, c := range in.Row(i) {
			model.AddCol(lp.Col{Name: fmt.Sprintf("x_%d_%d", i, j), Cost: c, Upper: 1})
		}
	}
	index, ones := make([]int32, n), make([]float64, n)
	for i := range m {
		for j := range n {
			index[j], ones[j] = int32(n+i*n+j), 1
		}
		model.AddRow(lp.Row{Name: fmt.Sprintf("serve_%d", i), Lower: 1, Upper: lp.Inf}, index, ones)
	}
	for i := range m {
		for j := range n {
			model.AddRow(lp.Row{Name: fmt.Sprintf("link_%d_%d", i, j), Lower: 0, Upper: lp.Inf}, []int32{int32(j), int32(n + i*n + j)}, []float64{1, -1})
		}
	}
	for j, s := range in.Capacity {
		row := model.AddRow(lp.Row{Name: fmt.Sprintf("supply_%d", j), Lower: 0, Upper: lp.Inf}, nil, nil)
		if s > 0 {
			model.AddEntry(row, j, s)
		}
		for i, d := range in.Demand {
			if d > 0 {
				model.AddEntry(row, n+i*n+j, -d)
			}
		}
	}
	return model
}
