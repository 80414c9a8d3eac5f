package ufl_test

import (
	"fmt"
	"path/filepath"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families"
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

func ExampleCertifier() {
	in := &ufl.Instance{Location: &families.Location{Facilities: 2, Clients: 1, Fixed: []float64{5, 5}, Cost: []float64{1, 4}}}
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
