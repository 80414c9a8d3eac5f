package twostage_test

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/lp"
)

// A plant of size y is built at 3 a unit; then demand for 4 or 10 units comes, each with probability 1/2. A unit sells for
// 10, and no more than y can be made.
func ExampleSolve() {
	m := &lp.Model{Name: "plant", Maximize: true}
	y := m.AddCol(lp.Col{Name: "size", Cost: -3, Upper: 20, Integer: true})
	for _, demand := range []float64{4, 10} {
		x := m.AddCol(lp.Col{Name: fmt.Sprintf("sold_%g", demand), Cost: 5, Upper: demand})
		m.AddRow(lp.Row{Name: fmt.Sprintf("size_%g", demand), Lower: 0, Upper: lp.Inf}, []int32{int32(y), int32(x)}, []float64{1, -1})
	}
	r, err := twostage.Solve(context.Background(), m, nil, decompose.DefaultOptions()) // the integer column is the first stage
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v: size %g, profit %g\n", r.Status, r.Design[0], r.Objective)
	// Output: optimal: size 10, profit 40
}

// The farmer of Birge and Louveaux (Introduction to Stochastic Programming, section 1.1) has 500 acres for wheat, corn and
// beets, and must feed cattle from the harvest or the market. Here the yields are 70% to 130% of the mean, in 50 scenarios.
func ExampleSolve_farmer() {
	const scenarios = 50
	m := &lp.Model{Name: "farmer"}
	row := func(lower, upper float64, cols []int, values ...float64) {
		i := m.AddRow(lp.Row{Lower: lower, Upper: upper}, nil, nil)
		for k, j := range cols {
			m.AddEntry(i, j, values[k])
		}
	}
	col := func(name string, cost, upper float64) int {
		return m.AddCol(lp.Col{Name: name, Cost: cost, Upper: upper})
	}
	wheat, corn, beets := col("wheat", 150, 500), col("corn", 230, 500), col("beets", 260, 500)
	row(0, 500, []int{wheat, corn, beets}, 1, 1, 1)
	for s := range scenarios {
		yield := 0.7 + 0.6*float64(s)/(scenarios-1)
		second := func(name string, cost, upper float64) int { return col(fmt.Sprint(name, s), cost/scenarios, upper) }
		row(200, lp.Inf, []int{wheat, second("buy wheat", 238, lp.Inf), second("sell wheat", -170, lp.Inf)}, 2.5*yield, 1, -1)
		row(240, lp.Inf, []int{corn, second("buy corn", 210, lp.Inf), second("sell corn", -150, lp.Inf)}, 3*yield, 1, -1)
		row(0, lp.Inf, []int{beets, second("sell beets", -36, 6000), second("sell more beets", -10, lp.Inf)}, 20*yield, -1, -1)
	}
	acres := func(j int) bool { return j < 3 }
	for _, method := range []decompose.Method{decompose.Exact, decompose.Aggregated, decompose.Full} {
		o := decompose.DefaultOptions()
		o.Method, o.Benders.Gap = method, 1e-9
		r, err := twostage.Solve(context.Background(), m, acres, o)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %v, profit %.0f\n", method, r.Status, -r.Objective)
	}
	// Output:
	// exact: optimal, profit 107687
	// aggregated: optimal, profit 107687
	// full: optimal, profit 107687
}
