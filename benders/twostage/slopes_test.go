package twostage

import (
	"context"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestNoiseIsNoSlope makes the duals of relaxations in which a free first-stage column has no effect: as float64 their
// slope on it is seldom zero, and a master would follow one of 1e-17 until its tolerances end it. The same for a column
// whose whole cost the recourse pays back.
func TestNoiseIsNoSlope(t *testing.T) {
	for a := 1.0; a < 10; a++ {
		for b := 1.0; b < 10; b++ {
			for _, cost := range []float64{0, 0.1} {
				m := &lp.Model{}
				m.AddCol(lp.Col{Name: "y", Cost: cost, Lower: -lp.Inf, Upper: lp.Inf, Integer: true})
				m.AddCol(lp.Col{Name: "x", Cost: 1, Lower: -lp.Inf, Upper: lp.Inf})
				m.AddRow(lp.Row{Lower: 5, Upper: lp.Inf}, []int32{0, 1}, []float64{a, 7})
				m.AddRow(lp.Row{Lower: -3, Upper: lp.Inf}, []int32{0, 1}, []float64{-b, 0.3})
				p, err := New(m, nil, Options{})
				if err != nil {
					t.Fatal(err)
				}
				e, err := NewExact(p, DefaultExactOptions())
				if err != nil {
					t.Fatal(err)
				}
				problem, err := e.problem(context.Background())
				if err != nil {
					t.Fatalf("a = %g, b = %g, cost %g: %v", a, b, cost, err)
				}
				for _, c := range problem.Initial {
					slope := 0.0
					if len(c.Beta) > 0 {
						slope = c.Beta[0]
					}
					if slope != -cost {
						t.Errorf("a = %g, b = %g, cost %g: the slope is %g", a, b, cost, slope)
					}
				}
				if len(problem.Initial) == 0 {
					t.Errorf("a = %g, b = %g, cost %g: no cut", a, b, cost)
				}
			}
		}
	}
}
