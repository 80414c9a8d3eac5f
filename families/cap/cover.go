package cap

import (
	"cmp"
	"slices"

	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/internal/outward"
)

// coverRow is a row sum_j weight_j y_j >= need that every design with a feasible recourse satisfies.
type coverRow struct {
	weight []float64 // of each facility
	need   float64
}

// coverRows returns the capacity row, with no capacity above the demand, and the row of the least number of
// facilities that cover the demand. The first makes the recourse feasible; where capacities are alike the second, which
// holds for designs and not for all fractional points, is stronger.
func (in *Instance) coverRows() []coverRow {
	demand := in.TotalDemand()
	capacity := slices.Clone(in.Capacity)
	for j := range capacity {
		capacity[j] = min(capacity[j], demand)
	}

	// The least number of facilities: the largest ones first, until they cover the demand.
	descending := slices.Clone(capacity)
	slices.SortFunc(descending, func(a, b float64) int { return cmp.Compare(b, a) })
	least := 1
	covered := descending[0]
	for least < in.Facilities && covered < demand*(1-coverTolerance) {
		covered += descending[least]
		least++
	}

	return []coverRow{
		{weight: capacity, need: demand * (1 - coverTolerance)},
		{weight: slices.Repeat([]float64{1}, in.Facilities), need: float64(least)},
	}
}

// relaxed is the solution of min { sum_j g_j y_j : row, y in [0,1]^n } by its Lagrangian dual: the price tau of
// the row leaves each facility the reduced cost g_j - tau weight_j.
type relaxed struct {
	tau   float64   // the price of the row
	bound float64   // proven lower bound, alpha included
	y     []float64 // the solution
	order []int32   // the facilities that may be opened for the row
}

// solve solves the relaxation for a row and coefficients g, with facilities whose state is known. It returns false
// if the row cannot be satisfied. The bound is rounded down: it holds for the coefficients as they are.
func (r *relaxed) solve(row coverRow, alpha float64, g []float64, state []lagrange.State) bool {
	// Facilities that are open, or free with a negative coefficient, are in the solution. left is the need of the row that
	// they leave.
	r.order = r.order[:0]
	left := row.need
	for j, s := range state {
		r.y[j] = 0
		switch {
		case s == lagrange.Open, s == lagrange.Undecided && g[j] < 0:
			r.y[j] = 1
			left -= row.weight[j]
		case s == lagrange.Undecided && row.weight[j] > 0:
			r.order = append(r.order, int32(j))
		}
	}

	// The others fill the row in the order of their cost a unit of weight, as in the continuous knapsack. The last one
	// used gives the price.
	r.tau = 0
	if left > 0 {
		slices.SortFunc(r.order, func(a, b int32) int {
			return cmp.Or(cmp.Compare(g[a]*row.weight[b], g[b]*row.weight[a]), cmp.Compare(a, b))
		})
		for _, j := range r.order {
			r.tau = g[j] / row.weight[j]
			r.y[j] = min(1, left/row.weight[j])
			if left -= row.weight[j]; left <= 0 {
				break
			}
		}
		if left > 1e-9*row.need {
			return false
		}
	}

	// The bound alpha + tau need + sum of the negative reduced costs is a difference of two sums of nonnegative terms.
	var plus, minus outward.Sum
	plus.Add(alpha)
	if r.tau > 0 {
		plus.Add(max(0, outward.MulDown(r.tau, row.need)))
	}
	for j, s := range state {
		low, _ := r.reduced(row, g, j)
		switch {
		case s == lagrange.Closed || s == lagrange.Undecided && low >= 0:
		case low >= 0:
			plus.Add(low)
		default:
			minus.Add(-low)
		}
	}
	r.bound = outward.Down(plus.Down() - minus.Up())
	return true
}

// reduced returns bounds on the exact reduced cost g_j - tau weight_j.
func (r *relaxed) reduced(row coverRow, g []float64, j int) (low, high float64) {
	if r.tau == 0 {
		return g[j], g[j]
	}

	// The product is rounded towards the worse side of each bound.
	low = outward.AddDown(g[j], -outward.MulUp(r.tau, row.weight[j]))
	return low, outward.AddUp(g[j], -max(0, outward.MulDown(r.tau, row.weight[j])))
}
