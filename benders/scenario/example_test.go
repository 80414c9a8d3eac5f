package scenario_test

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// A plant of capacity y is built at 3 a unit. It meets a demand by production at 2 a unit, or buys at 9. The skeleton
// is one model; a scenario is its probability and the numbers in which it differs.
func Example() {
	m := &lp.Model{Name: "plant"}
	capacity := m.AddCol(lp.Col{Name: "capacity", Cost: 3, Upper: lp.Inf})
	made := m.AddCol(lp.Col{Name: "made", Cost: 2, Upper: lp.Inf})
	bought := m.AddCol(lp.Col{Name: "bought", Cost: 9, Upper: lp.Inf})
	limit := m.AddRow(lp.Row{Name: "limit", Lower: -lp.Inf}, nil, nil)
	m.AddEntry(limit, made, 1)
	m.AddEntry(limit, capacity, -1)
	need := m.AddRow(lp.Row{Name: "need", Lower: 5, Upper: lp.Inf}, nil, nil)
	m.AddEntry(need, made, 1)
	m.AddEntry(need, bought, 1)

	p := &stoch.Program{Name: m.Name, Core: m, First: 1}
	p.Add("low", 0.3, stoch.Change{Kind: stoch.RowLower, Row: need, Value: 4})
	p.Add("usual", 0.5) // the skeleton as it is
	p.Add("high and dear", 0.2, stoch.Change{Kind: stoch.RowLower, Row: need, Value: 11},
		stoch.Change{Kind: stoch.Cost, Col: bought, Value: 12})

	q, err := scenario.New(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := decompose.Solve(context.Background(), q.Program(), decompose.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v: capacity %.2f, cost %.2f\n", r.Status, r.Design[0], r.Objective)
	// Output: optimal: capacity 5.00, cost 38.80
}
