package simplex_test

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// Dantzig's first example of a production plan: maximise 3x + 5y.
func production() *lp.Model {
	m := &lp.Model{Maximize: true}
	x := m.AddCol(lp.Col{Name: "x", Cost: 3, Upper: lp.Inf})
	y := m.AddCol(lp.Col{Name: "y", Cost: 5, Upper: lp.Inf})
	m.AddRow(lp.Row{Lower: -lp.Inf, Upper: 4}, []int32{int32(x)}, []float64{1})
	m.AddRow(lp.Row{Lower: -lp.Inf, Upper: 12}, []int32{int32(y)}, []float64{2})
	m.AddRow(lp.Row{Lower: -lp.Inf, Upper: 18}, []int32{int32(x), int32(y)}, []float64{3, 2})
	return m
}

func ExampleSolve() {
	m := production()
	sol, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sol.Status, sol.Objective)
	fmt.Println("x", sol.X)
	fmt.Println("row duals", sol.RowDual)
	fmt.Println("checked", simplex.Check(m, sol).OK(1e-9))
	// Output:
	// optimal 36
	// x [2 6]
	// row duals [0 1.5 1]
	// checked true
}

func ExampleSolver() {
	s, err := simplex.New(production(), simplex.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	solve := func(what string) {
		r, err := s.Solve(context.Background(), simplex.NoLimits())
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s %v %.4g %.4g\n", what, r.Status, r.Objective, s.X())
	}
	solve("first:")
	s.SetColBounds(1, 0, 5) // branch on y <= 5
	solve("branch:")
	cut := s.AddRow(-lp.Inf, 7, []int32{0, 1}, []float64{1, 1})
	solve("cut:")
	s.DeleteRows([]lp.Con{cut})
	s.SetCost(0, 1)
	solve("cost:")
	// Output:
	// first: optimal 36 [2 6]
	// branch: optimal 33 [2.667 5]
	// cut: optimal 31 [2 5]
	// cost: optimal 27.67 [2.667 5]
}

func ExampleCheckFarkas() {
	m := &lp.Model{}
	x := m.AddCol(lp.Col{Upper: 1})
	y := m.AddCol(lp.Col{Upper: 1})
	m.AddRow(lp.Row{Lower: 3, Upper: lp.Inf}, []int32{int32(x), int32(y)}, []float64{1, 1})
	sol, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sol.Status, sol.Ray, simplex.CheckFarkas(m, sol.Ray))
	// Output:
	// infeasible [1] <nil>
}

func ExampleSolver_Ray() {
	m := &lp.Model{}
	x := m.AddCol(lp.Col{Cost: -1, Upper: lp.Inf})
	y := m.AddCol(lp.Col{Cost: 0, Upper: lp.Inf})
	m.AddRow(lp.Row{Lower: -lp.Inf, Upper: 1}, []int32{int32(x), int32(y)}, []float64{1, -1})
	s, err := simplex.New(m, simplex.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := s.Solve(context.Background(), simplex.NoLimits())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Status, s.Ray(), simplex.CheckPrimalRay(m, s.Ray()))
	// Output:
	// unbounded [1 1] <nil>
}
