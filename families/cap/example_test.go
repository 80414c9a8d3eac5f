package cap_test

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families/cap"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

// Two facilities of capacity 5, two clients of demand 4: both are needed, and the cheaper one is full.
func ExampleInstance() {
	in := &cap.Instance{Location: &location.Location{Name: "small", Facilities: 2, Clients: 2,
		Capacity: []float64{5, 5}, Fixed: []float64{1, 2}, Demand: []float64{4, 4}, Cost: []float64{1, 2, 1, 2}}}
	r, err := pipeline.Solve(context.Background(), in, decompose.DefaultOptions())
	if err != nil || r.Status != lp.Optimal {
		fmt.Println(r, err)
		return
	}
	fmt.Printf("open %v, cost %.2f\n", instance.Open(r.Design), r.Objective)
	// Output: open [0 1], cost 5.75
}
