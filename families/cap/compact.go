package cap

import (
	"fmt"

	"github.com/proxybd/proxybd/lp"
)

// compact returns the whole problem as one model, the strong formulation: the columns and rows of Master, those of
// AddAssignment of its Location, and a row supply_j for each capacity. Any solver can take it.
func (in *Instance) compact() *lp.Model {
	n := in.Facilities
	model := in.Master()
	in.AddAssignment(model)

	// Column n + i*n + j is the share of client i that facility j serves.
	model.Grow(in.Clients*n + n)
	for j, s := range in.Capacity {
		row := model.AddRow(lp.Row{Name: fmt.Sprintf("supply_%d", j), Lower: 0, Upper: lp.Inf}, nil, nil)
		if s > 0 {
			model.AddEntry(row, lp.Var(j), s)
		}

		// Zeros are no entries.
		for i, d := range in.Demand {
			if d > 0 {
				model.AddEntry(row, lp.Var(n+i*n+j), -d)
			}
		}
	}
	return model
}
