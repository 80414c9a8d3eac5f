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
	x, y := m.Nonnegative("x", 3), m.Nonnegative("y", 5)
	m.AtMost(4, x)
	m.AtMost(12, y.Times(2))
	m.AtMost(18, x.Times(3), y.Times(2))
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
	m.AtLeast(3, m.Between("x", 0, 0, 1), m.Between("y", 0, 0, 1))
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
	x, y := m.Nonnegative("x", -1), m.Nonnegative("y", 0)
	m.AtMost(1, x, y.Times(-1))
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
