package mcndp

import (
	"context"
	"math/rand/v2"
	"testing"
)

// TestFlowCoversHold separates random points of small instances, and checks every row at designs with random flows.
func TestFlowCoversHold(t *testing.T) {
	found, mixed := 0, 0
	for seed := range uint64(60) {
		in := random(seed)
		rng := rand.New(rand.NewPCG(seed, 5))
		f := newFlowModel(in)
		feasible := flowPoints(t, f, rng, 40)
		for range 20 {
			point := make([]float64, len(f.lp.Cols))
			for k := range point {
				if point[k] = rng.Float64() * rng.Float64(); k >= in.Arcs() {
					point[k] *= f.lp.Cols[k].Upper
				}
			}
			for _, c := range append(f.covers.separate(point, 100, true), f.links(point)...) {
				found++
				inside, flows, designs := c.Lower, false, false
				for k, j := range c.Index {
					inside -= c.Value[k] * point[j]
					flows, designs = flows || int(j) >= in.Arcs(), designs || int(j) < in.Arcs()
				}
				if flows && designs {
					mixed++
				}
				if inside < 1e-7 {
					t.Fatalf("seed %d: a row that the point does not violate, by %g", seed, inside)
				}
				for _, x := range feasible {
					value := 0.0
					for k, j := range c.Index {
						value += c.Value[k] * x[j]
					}
					if value < c.Lower-1e-6*max(1, c.Lower) {
						t.Fatalf("seed %d: a flow gives %g, the row asks for %g", seed, value, c.Lower)
					}
				}
			}
		}
	}
	if found < 1000 || mixed < 500 {
		t.Fatalf("%d rows, %d of them over designs and flows", found, mixed)
	}
}

// flowPoints returns points of designs with flows that are optimal for random costs.
func flowPoints(t *testing.T, f *flowModel, rng *rand.Rand, most int) (list [][]float64) {
	t.Helper()
	for range most {
		in := f.in.Clone()
		y := make([]float64, in.Arcs())
		for j := range y {
			in.Cost[j] = 0.1 + rng.Float64()
			if rng.Float64() < 0.7 {
				y[j] = 1
			}
		}
		flows := make([]float64, len(f.at))
		feasible, err := mustRecourse(t, in).Flows(context.Background(), y, flows)
		if err != nil {
			t.Fatal(err)
		}
		if feasible {
			list = append(list, f.point(y, flows))
		}
	}
	return list
}
