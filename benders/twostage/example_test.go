package twostage_test

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/lp"
)

// A plant of some size is built at 3 a unit; then demand for 4 or 10 units comes, each with probability 1/2. A unit
// sells for 10, and no more than the size can be made.
func ExampleSolve() {
	m := &lp.Model{Name: "plant", Maximize: true}
	size := m.Integer("size", -3, 0, 20)
	for _, demand := range []float64{4, 10} {
		m.AtMost(0, m.Between(fmt.Sprintf("sold_%g", demand), 5, 0, demand), size.Times(-1))
	}
	r, err := twostage.Solve(context.Background(), m, nil, decompose.DefaultOptions()) // the integer column is the first stage
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v: size %g, profit %g\n", r.Status, r.X[size], r.Objective)
	// Output: optimal: size 10, profit 40
}

// The farmer of Birge and Louveaux (Introduction to Stochastic Programming, section 1.1) has 500 acres for wheat, corn
// and beets, and must feed cattle from the harvest or the market. Here the yields are 70% to 130% of the mean, in 50
// scenarios.
func ExampleSolve_farmer() {
	const scenarios = 50
	m := &lp.Model{Name: "farmer", Maximize: true}
	wheat, corn, beets := m.Nonnegative("wheat", -150), m.Nonnegative("corn", -230), m.Nonnegative("beets", -260)
	m.AtMost(500, wheat, corn, beets)
	for s := range scenarios {
		yield := 0.7 + 0.6*float64(s)/(scenarios-1)
		price := func(what string, each float64) lp.Var { return m.Nonnegative(fmt.Sprint(what, s), each/scenarios) }
		m.AtLeast(200, wheat.Times(2.5*yield), price("buy wheat", -238), price("sell wheat", 170).Times(-1))
		m.AtLeast(240, corn.Times(3*yield), price("buy corn", -210), price("sell corn", 150).Times(-1))
		quota := m.Between(fmt.Sprint("sell beets", s), 36./scenarios, 0, 6000)
		m.AtLeast(0, beets.Times(20*yield), quota.Times(-1), price("sell more beets", 10).Times(-1))
	}
	for _, method := range []decompose.Method{decompose.Exact, decompose.Aggregated, decompose.Full} {
		o := decompose.DefaultOptions()
		o.Method, o.Benders.Gap = method, 1e-9
		r, err := twostage.Solve(context.Background(), m, []lp.Var{wheat, corn, beets}, o)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %v, profit %.0f, %.0f acres of wheat\n", method, r.Status, r.Objective, r.X[wheat])
	}
	// Output:
	// exact: optimal, profit 107687, 147 acres of wheat
	// aggregated: optimal, profit 107687, 147 acres of wheat
	// full: optimal, profit 107687, 147 acres of wheat
}
