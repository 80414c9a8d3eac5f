package nested_test

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders/nested"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// A stock is filled today at 1 a unit and at 3 on each of ten days that follow, on which 4 or 6 units are needed,
// whatever was needed before: 1024 scenarios in a graph of 21 nodes.
func ExampleSolve() {
	const days = 10
	m := &lp.Model{Name: "stock"}
	p := &stoch.Multistage{Name: m.Name, Core: m, Periods: days + 1}
	stock := m.AddCol(lp.Col{Cost: 1, Upper: 20})
	p.ColPeriod = append(p.ColPeriod, 0)
	p.Nodes = append(p.Nodes, stoch.Node{Arcs: []stoch.Arc{{To: 1, Probability: 0.5}, {To: 2, Probability: 0.5}}})
	for t := int32(1); t <= days; t++ {
		bought := m.AddCol(lp.Col{Cost: 3, Upper: lp.Inf})
		kept := m.AddCol(lp.Col{Upper: lp.Inf})
		p.ColPeriod = append(p.ColPeriod, t, t)
		need := m.AddRow(lp.Row{Lower: 4, Upper: 4}, []int32{int32(stock), int32(bought), int32(kept)}, []float64{1, 1, -1})
		p.RowPeriod = append(p.RowPeriod, t)
		stock = kept
		for _, d := range []float64{4, 6} {
			n := stoch.Node{Period: t, Changes: []stoch.Change{stoch.SetRowLower(need, d), stoch.SetRowUpper(need, d)}}
			if t < days {
				n.Arcs = []stoch.Arc{{To: 2*t + 1, Probability: 0.5}, {To: 2*t + 2, Probability: 0.5}}
			}
			p.Nodes = append(p.Nodes, n)
		}
	}
	r, err := nested.Solve(context.Background(), p, nested.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	scenarios, nodes := p.Scenarios()
	fmt.Printf("%v: %.4f, %g scenarios, a tree of %g nodes\n", r.Status, r.Objective, scenarios, nodes)
	// Output:
	// optimal: 110.0000, 1024 scenarios, a tree of 2047 nodes
}
