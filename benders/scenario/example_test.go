package scenario_test

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// The farmer of Birge and Louveaux (Introduction to Stochastic Programming, section 1.1) as a skeleton with the mean yields
// and the changes of three scenarios. The best profit is 108390.
func ExampleSolve() {
	m := &lp.Model{Name: "farmer", Maximize: true}
	wheat, corn, beets := m.Nonnegative("wheat", -150), m.Nonnegative("corn", -230), m.Nonnegative("beets", -260)
	m.AtMost(500, wheat, corn, beets)
	feedWheat := m.AtLeast(200, wheat.Times(2.5), m.Nonnegative("buy wheat", -238), m.Nonnegative("sell wheat", 170).Times(-1))
	feedCorn := m.AtLeast(240, corn.Times(3), m.Nonnegative("buy corn", -210), m.Nonnegative("sell corn", 150).Times(-1))
	quota, more := m.Between("sell beets", 36, 0, 6000), m.Nonnegative("sell more beets", 10)
	sold := m.AtMost(0, quota, more, beets.Times(-20))
	p := &stoch.Program{Name: "farmer", Core: m, First: 3}
	for _, yield := range []float64{0.8, 1, 1.2} {
		p.Add(fmt.Sprintf("yield %g", yield), 1./3, stoch.SetEntry(feedWheat, wheat, 2.5*yield),
			stoch.SetEntry(feedCorn, corn, 3*yield), stoch.SetEntry(sold, beets, -20*yield))
	}
	r, err := scenario.Solve(context.Background(), p, decompose.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v, profit %.0f: %.0f acres of wheat, %.0f of corn, %.0f of beets\n", r.Status, r.Objective, r.Design[wheat],
		r.Design[corn], r.Design[beets])
	// Output: optimal, profit 108390: 170 acres of wheat, 80 of corn, 250 of beets
}
