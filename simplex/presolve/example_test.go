package presolve_test

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
	"github.com/proxybd/proxybd/simplex/presolve"
)

// A singleton row becomes a bound, which takes its dual back in the end.
func ExampleRun() {
	m := &lp.Model{}
	m.AddCol(lp.Col{Cost: 2, Lower: 0, Upper: lp.Inf})
	m.AddCol(lp.Col{Cost: 3, Lower: 0, Upper: lp.Inf})
	m.AddRow(lp.Row{Lower: 4, Upper: lp.Inf}, []int32{0, 1}, []float64{1, 1})
	m.AddRow(lp.Row{Lower: 2, Upper: lp.Inf}, []int32{1}, []float64{2})
	r, err := presolve.Run(m, presolve.Options{Reductions: presolve.SingletonRows})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Status, len(r.Model.Rows), r.Model.Cols[1].Lower)
	sol, err := simplex.Solve(context.Background(), r.Model, plain())
	if err != nil || sol.Status != lp.Optimal {
		fmt.Println(sol.Status, err)
		return
	}
	post := r.Postsolve(presolve.Solution{X: sol.X, RowActivity: sol.RowActivity, RowDual: sol.RowDual,
		ReducedCost: sol.ReducedCost,
		Cols:        statuses(sol.Basis.Cols), Rows: statuses(sol.Basis.Rows)})
	fmt.Println(post.X, post.RowDual)
	// Output:
	// reduction 1 1
	// [3 1] [2 0.5]
}
