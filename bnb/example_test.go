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
	index := make([]int32, len(value))
	for j, v := range value {
		index[j] = int32(m.AddCol(lp.Col{Cost: v, Upper: 2, Integer: true}))
	}
	m.AddRow(lp.Row{Name: "weight", Lower: math.Inf(-1), Upper: 15}, index, weight)

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
	var ends [][2]int
	for i := range n {
		for j := i + 1; j < n; j++ {
			m.AddCol(lp.Col{Cost: math.Hypot(x[i]-x[j], y[i]-y[j]), Upper: 1, Integer: true})
			ends = append(ends, [2]int{i, j})
		}
	}
	for i := range n {
		var index []int32
		var ones []float64
		for e, uv := range ends {
			if uv[0] == i || uv[1] == i {
				index, ones = append(index, int32(e)), append(ones, 1)
			}
		}
		m.AddRow(lp.Row{Lower: 2, Upper: 2}, index, ones)
	}

	// cycle returns the cities on the cycle of x through city 0.
	cycle := func(x []float64) []bool {
		on := make([]bool, n)
		on[0] = true
		for range n {
			for e, uv := range ends {
				if x[e] > 0.5 && on[uv[0]] != on[uv[1]] {
					on[uv[0]], on[uv[1]] = true, true
				}
			}
		}
		return on
	}
	lazy := func(_ context.Context, c bnb.Candidate) (bnb.Separation, error) {
		on := cycle(c.X)
		cut := bnb.Cut{Lower: 2, Upper: math.Inf(1)}
		for e, uv := range ends {
			if on[uv[0]] != on[uv[1]] {
				cut.Index, cut.Value = append(cut.Index, int32(e)), append(cut.Value, 1)
			}
		}
		if len(cut.Index) == 0 {
			return bnb.Separation{}, nil // one tour
		}
		return bnb.Separation{Cuts: []bnb.Cut{cut}}, nil
	}
	res, err := bnb.Solve(context.Background(), m, bnb.DefaultOptions(), bnb.Hooks{Lazy: lazy})
	if err != nil || res.Status != lp.Optimal {
		fmt.Println(res.Status, err)
		return
	}
	fmt.Printf("%v, length %.3f, lazy cuts used: %v\n", res.Status, res.Objective, res.LazyCuts > 0)
	// Output: optimal, length 14.000, lazy cuts used: true
}
