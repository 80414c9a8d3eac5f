package instance

import (
	"fmt"

	"github.com/proxybd/proxybd/lp"
)

// Open returns the columns that a 0-1 design opens: y_j > 1/2, since solvers give 0.9999 for 1. Design is its inverse.
func Open(y []float64) []int32 {
	var open []int32
	for j, v := range y {
		if v > 0.5 {
			open = append(open, int32(j))
		}
	}
	return open
}

// Design returns the 0-1 vector of length n that opens the columns listed.
func Design(n int, open []int32) []float64 {
	y := make([]float64, n)
	for _, j := range open {
		y[j] = 1
	}
	return y
}

// Positive returns the positive entries of a vector and where they are, as a record lists a recourse solution.
func Positive(x []float64) (index []int32, value []float64) {
	for k, v := range x {
		if v > 0 {
			index = append(index, int32(k))
			value = append(value, v)
		}
	}
	return index, value
}

// Designs returns a first-stage model without rows: a binary column y0, y1, ... for every fixed cost.
func Designs(name string, fixed []float64) *lp.Model {
	model := &lp.Model{Name: name, Objective: "cost"}
	for j, f := range fixed {
		// Columns are numbered from 0, as in the formulas.
		model.AddCol(lp.Col{Name: fmt.Sprintf("y%d", j), Cost: f, Upper: 1, Integer: true})
	}
	return model
}
