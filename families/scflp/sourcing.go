package scflp

import (
	"fmt"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// single is the option that makes every customer be served by one facility in each scenario.
var single = families.Option{
	Name: "single-sourcing",
	Kind: families.Bool,
	For:  "is for stochastic facility location",
	Help: "stochastic facility location: one facility serves a customer in each scenario",
}

// addAssignments is addAmounts for single sourcing: a column is 1 where its facility serves all of a customer's demand.
func (d *Data) addAssignments(m *lp.Model) func(demand []float64) []stoch.Change {
	first := d.Demand[0]
	for i, costs := range d.Cost {
		for j, c := range costs {
			m.AddCol(lp.Col{Name: fmt.Sprintf("w_%d_%d", i, j), Cost: c * first[j], Upper: 1, Integer: true})
		}
	}
	for j := range first {
		row := m.AddRow(lp.Row{Name: fmt.Sprintf("serve_%d", j), Lower: 1, Upper: 1}, nil, nil)
		for i := range d.Facilities {
			m.AddEntry(row, d.column(i, j), 1)
		}
	}
	for i := range d.Facilities {
		for j := range d.Customers {
			m.AddRow(lp.Row{Name: fmt.Sprintf("link_%d_%d", i, j), Lower: 0, Upper: lp.Inf},
				[]int32{int32(i), int32(d.column(i, j))}, []float64{1, -1})
		}
	}
	supply := len(m.Rows)
	for i, s := range d.Capacity {
		row := m.AddRow(lp.Row{Name: fmt.Sprintf("supply_%d", i), Lower: 0, Upper: lp.Inf}, []int32{int32(i)}, []float64{s})
		for j, v := range first {
			m.AddEntry(row, d.column(i, j), -v)
		}
	}

	// A scenario has other demands in the costs and in the rows of the facilities.
	return func(demand []float64) (list []stoch.Change) {
		for j, v := range demand {
			if v == first[j] {
				continue
			}
			for i, costs := range d.Cost {
				list = append(list, stoch.SetCost(d.column(i, j), costs[j]*v),
					stoch.SetEntry(lp.Con(supply+i), d.column(i, j), 0-v))
			}
		}
		return list
	}
}

// amount is what the value of a recourse column is in units of demand, for a customer in a scenario.
func (d *Data) amount(value float64, scenario, customer int) float64 {
	if d.Single {
		return value * d.Demand[scenario][customer]
	}
	return value
}
