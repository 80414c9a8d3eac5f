package ufl_test

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families/ufl"
)

func ExampleRead() {
	in, err := ufl.Read(filepath.Join("testdata", "tiny.simple"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(in.Name, in.Facilities, in.Clients)
	// Output: M5x8-1 5 8
}

func ExampleBranchAndBound() {
	in, err := ufl.Generate(ufl.CustomClass(40, 40), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	pi, open := ufl.Ascent(in, 0)
	start, err := ufl.SearchFrom(ctx, in, ufl.DefaultSearchOptions(), open)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := ufl.BranchAndBound(ctx, in, start, pi, ufl.DefaultTreeOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("optimal %v, cost %.2f, bound %.2f\n", r.Complete, r.Design.Cost, r.Bound)
	// Output: optimal true, cost 611.73, bound 611.73
}

func ExampleCertifier() {
	in := &ufl.Instance{Facilities: 2, Clients: 1, Fixed: []float64{5, 5}, Cost: []float64{1, 4}}
	c := ufl.NewCertifier(in, false)
	pi := []float64{3} // a prediction
	c.Project(pi)
	s, err := c.Complete(pi, benders.Point{Y: []float64{0, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	cut := s.Cuts[0]
	fmt.Printf("theta_0 >= %g %+.0f y0, worth %.0f where only facility 1 is open; proven: %v\n",
		cut.Alpha, cut.Beta[0], cut.Value([]float64{0, 1}), ufl.Check(in, &cut) == nil)
	// Output: theta_0 >= 3 -2 y0, worth 3 where only facility 1 is open; proven: true
}
