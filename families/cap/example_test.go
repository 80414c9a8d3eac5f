package cap_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/cap"
	"github.com/proxybd/proxybd/lp"
)

// Two facilities of capacity 5, two clients of demand 4: both are needed, and the cheaper one is full.
const small = `2 2
5 1
5 2
4  1 2
4  1 2
`

func ExampleSolve() {
	in, err := cap.Decode(strings.NewReader(small), "small", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := families.Solve(context.Background(), in, decompose.DefaultOptions())
	if err != nil || r.Status != lp.Optimal {
		fmt.Println(r, err)
		return
	}
	fmt.Printf("open %v, cost %.2f\n", families.Open(r.Design), r.Objective)
	// Output: open [0 1], cost 5.75
}

func ExampleCertifier() {
	in, err := cap.Decode(strings.NewReader(small), "small", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := cap.NewCertifier(in)
	lambda := []float64{2, 3} // any prediction
	c.Project(lambda)
	cut, err := c.Cut(benders.Optimality, lambda)
	if err == nil {
		err = cap.Check(in, &cut)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("theta >= %.2f%+.2f y0%+.2f y1\n", cut.Alpha, cut.Beta[0], cut.Beta[1])
	// Output: theta >= 5.00-2.25 y0-1.00 y1
}
