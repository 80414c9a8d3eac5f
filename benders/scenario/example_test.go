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
func ExampleSolve() {
	m := &lp.Model{Name: "plant"}
	capacity := m.Nonnegative("capacity", 3)
	made, bought := m.Nonnegative("made", 2), m.Nonnegative("bought", 9)
	m.AtMost(0, made, capacity.Times(-1))
	need := m.AtLeast(5, made, bought)

	p := &stoch.Program{Name: m.Name, Core: m, First: 1}
	p.Add("low", 0.3, stoch.SetRowLower(need, 4))
	p.Add("usual", 0.5) // the skeleton as it is
	p.Add("high, at higher prices", 0.2, stoch.SetRowLower(need, 11), stoch.SetCost(bought, 12))

	r, err := scenario.Solve(context.Background(), p, decompose.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v: capacity %.2f, cost %.2f\n", r.Status, r.Design[capacity], r.Objective)
	// Output: optimal: capacity 5.00, cost 38.80
}
