package twostage_test

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/lp"
)

// A plant of size y is built at 3 a unit; then demand for 4 or 10 units comes, each with probability 1/2. A unit sells for
// 10, and no more than y can be made.
func ExampleNew() {
	m := &lp.Model{Name: "plant", Maximize: true}
	y := m.AddCol(lp.Col{Name: "size", Cost: -3, Upper: 20, Integer: true})
	for _, demand := range []float64{4, 10} {
		x := m.AddCol(lp.Col{Name: fmt.Sprintf("sold_%g", demand), Cost: 5, Upper: demand})
		m.AddRow(lp.Row{Name: fmt.Sprintf("size_%g", demand), Lower: 0, Upper: lp.Inf}, []int32{int32(y), int32(x)}, []float64{1, -1})
	}
	p, err := twostage.New(m, nil, twostage.Options{}) // the integer column is the first stage
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	exact, err := twostage.NewExact(p, twostage.DefaultExactOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	problem, err := exact.Benders(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := benders.BranchAndCut(ctx, problem, exact, benders.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v: size %g, profit %g, %d scenarios\n", r.Status, r.Design[0], -r.Objective, p.Components())
	// Output: optimal: size 10, profit 40, 2 scenarios
}
