package benders_test

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// unmet separates Q(y) = max(0, 20 - 4y): each unit of demand that y does not meet costs 4, and there is demand for 5.
type unmet struct{}

func (unmet) Source() benders.Source { return "exact" }

func (unmet) Separate(_ context.Context, p benders.Point) (benders.Separation, error) {
	cut := benders.Cut{Alpha: 20, Index: []int32{0}, Beta: []float64{-4}}
	return benders.Separation{Cuts: []benders.Cut{cut}, Value: max(0, cut.Value(p.Y)), Exact: true}, nil
}

// A problem needs its first-stage model, a lower bound on the recourse and its price, and a separator.
func ExampleBranchAndCut() {
	master := &lp.Model{Name: "units"}
	master.Integer("y", 3, 0, 10)
	p := &benders.Problem{Name: "units", Master: master, Epigraphs: 1, ThetaLower: []float64{0},
		Recourse: func(_ context.Context, y, q []float64) (bool, error) {
			q[0] = max(0, 20-4*y[0])
			return true, nil
		}}
	r, err := benders.BranchAndCut(context.Background(), p, unmet{}, benders.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v: y = %g at cost %g\n", r.Status, r.Design[0], r.Objective)
	// Output: optimal: y = 5 at cost 15
}
