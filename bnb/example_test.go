package bnb_test

import (
	"context"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// A knapsack built in code: the most valuable load of at most 15 kg, at most two pieces of each.
func ExampleSolve() {
	value, weight := []float64{4, 2, 10, 1, 2}, []float64{12, 1, 4, 1, 2}
	m := &lp.Model{Maximize: true}
	var take []lp.Var
	for _, v := range value {
		take = append(take, m.Integer("", v, 0, 2))
	}
	m.AtMost(15, lp.Dot(weight, take))

	res, err := bnb.Solve(context.Background(), m, bnb.DefaultOptions(), bnb.Hooks{})
	if err != nil || res.Status != lp.Optimal {
		fmt.Println(res.Status, err)
		return
	}
	fmt.Println(res.Status, res.Objective, res.X)
	// Output: optimal 29 [0 2 2 1 2]
}

// A travelling salesman tour by lazy subtour elimination: the model holds only the degree rows, and the
// hook cuts off every candidate that falls into several cycles.
func ExampleSolve_lazy() {
	x := []float64{0, 1, 1, 0, 5, 6, 6, 5}
	y := []float64{0, 0, 1, 1, 0, 0, 1, 1}
	n := len(x)
	m := &lp.Model{}
	edge := make([][]lp.Var, n) // of two cities
	for i := range n {
		edge[i] = make([]lp.Var, n)
		for j := range i {
			edge[i][j] = m.Binary(fmt.Sprintf("%d-%d", j, i), math.Hypot(x[i]-x[j], y[i]-y[j]))
			edge[j][i] = edge[i][j]
		}
	}
	leaving := func(in func(i int) bool) (sum lp.Sum) { // the edges that leave a set of cities
		for i := range n {
			for j := range n {
				if in(i) && !in(j) {
					sum = append(sum, edge[i][j].Times(1))
				}
			}
		}
		return sum
	}
	for i := range n {
		m.Equal(2, leaving(func(j int) bool { return i == j }))
	}
	lazy := func(_ context.Context, c bnb.Candidate) (s bnb.Separation, err error) {
		on := make([]bool, n) // the cycle through city 0
		on[0] = true
		for k := range n * n * n { // each pair n times
			i, j := k/n%n, k%n
			on[j] = on[j] || i != j && on[i] && c.X[edge[i][j]] > 0.5
		}
		if sum := leaving(func(i int) bool { return on[i] }); len(sum) > 0 {
			s.Cuts = append(s.Cuts, bnb.AtLeast(2, sum))
		}
		return s, nil
	}
	res, err := bnb.Solve(context.Background(), m, bnb.DefaultOptions(), bnb.Hooks{Lazy: lazy})
	if err != nil || res.Status != lp.Optimal {
		fmt.Println(res.Status, err)
		return
	}
	fmt.Printf("%v, length %.3f, lazy cuts used: %v\n", res.Status, res.Objective, res.LazyCuts > 0)
	// Output: optimal, length 14.000, lazy cuts used: true
}

// Batches of at least 8 tonnes, of one product only: a semi-continuous column and a special ordered set.
func ExampleSolve_logic() {
	m := &lp.Model{Maximize: true}
	a := m.Between("a", 4, 8, 18)
	b := m.Between("b", 3, 0, 12)
	m.AtMost(30, a, b.Times(2))
	err := m.Impose(lp.Logic{Semi: []lp.Var{a}, Sets: []lp.Set{{Name: "one", Kind: lp.SOS1, Vars: []lp.Var{a, b}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := bnb.Solve(context.Background(), m, bnb.DefaultOptions(), bnb.Hooks{})
	if err != nil || res.Status != lp.Optimal {
		fmt.Println(res.Status, err)
		return
	}
	fmt.Println(res.Objective, res.X[a], res.X[b], m.Own())
	// Output: 72 18 0 {1 2 0 2}
}
