package location

import (
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/lp"
)

// AddAssignment adds to a model whose first n columns open facilities the part of the strong formulation that serves
// clients: a column x_i_j in [0,1] for the share of client i that facility j serves, a row serve_i that makes the
// shares of a client at least one, and a row link_i_j for x_i_j <= y_j. The columns are client by client; those of
// pairs that are not allowed are fixed at 0.
func (in *Location) AddAssignment(model *lp.Model) {
	clients := in.Clients
	n := in.Facilities
	first := len(model.Cols)
	model.Grow(3 * clients * n)
	for i := range clients {
		for j, c := range in.Row(i) {
			share := lp.Col{Name: fmt.Sprintf("x_%d_%d", i, j)}
			if in.Allowed(i, j) {
				share.Cost = c
				share.Upper = 1
			}
			model.AddCol(share)
		}
	}

	// Costs are not negative, so that at least one is as good as exactly one; the dual of an inequality has a sign.
	index := make([]int32, n)
	ones := slices.Repeat([]float64{1}, n)
	for i := range clients {
		for j := range n {
			index[j] = int32(first + i*n + j)
		}
		model.AddRow(lp.Row{Name: fmt.Sprintf("serve_%d", i), Lower: 1, Upper: lp.Inf}, index, ones)
	}

	// One link for each pair is the strong formulation: its relaxation is tighter than with one row a facility.
	for k := range clients * n {
		model.AddRow(lp.Row{Name: fmt.Sprintf("link_%d_%d", k/n, k%n), Lower: 0, Upper: lp.Inf},
			[]int32{int32(k % n), int32(first + k)}, []float64{1, -1})
	}
}

// assignmentViolation returns the largest by which shares leave their bounds, a link or a row of a client, as Excess
// measures it.
func assignmentViolation(y, x []float64) float64 {
	n := len(y)
	worst := 0.0
	for i := range len(x) / n {
		// A share needs an open facility, and a client all of its shares.
		total := 0.0
		for j, v := range x[i*n : (i+1)*n] {
			total += v
			worst = max(worst, tables.Excess(v, 0, y[j], 0))
		}
		worst = max(worst, tables.Excess(total, 1, math.Inf(1), 0))
	}
	return worst
}
