package mcndp

import (
	"context"
	"math"
	"testing"

	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/families"
)

// TestSearchPricesDesigns compares what the local search says of designs with their cost, and its cuts with the costs
// of all of them.
func TestSearchPricesDesigns(t *testing.T) {
	ctx := context.Background()
	n, err := generateScenarios("5x12x4", "3:normal:0.3:0.5", 7)
	if err != nil {
		t.Fatal(err)
	}
	search, err := n.newSearch(n.Network.cutSetsFor(cutset.All, n.most))
	if err != nil {
		t.Fatal(err)
	}
	arcs := n.Network.Arcs()
	p := search.pricer
	type priced struct{ y, slope []float64 }
	var list []priced
	var costs, sides []float64
	for mask := range 64 {
		y := make([]float64, arcs)
		for j := range y {
			if j >= 6 || mask>>j&1 == 0 {
				y[j] = 1
			}
		}
		want, feasible, err := families.Price(ctx, n, y)
		if err != nil {
			t.Fatal(err)
		}
		got := math.Inf(1)
		if p.Carries(y) {
			if got, err = p.Price(ctx, y); err != nil {
				t.Fatal(err)
			}
		}
		if feasible == math.IsInf(got, 1) || feasible && math.Abs(got-want) > 1e-7*want {
			t.Errorf("design %b: %g, not %g (%v)", mask, got, want, feasible)
		}
		if !feasible {
			continue
		}
		slope := make([]float64, arcs)
		sides = append(sides, p.Cut(slope))
		list, costs = append(list, priced{y, slope}), append(costs, want)
		trimmed := append([]float64(nil), y...)
		if p.Trim(trimmed) {
			less, feasible, err := families.Price(ctx, n, trimmed)
			if err != nil || !feasible || less > want*(1+1e-9) {
				t.Errorf("design %b: %g, trimmed %g %v, %v", mask, want, less, feasible, err)
			}
		}
	}
	if len(list) < 2 || len(list) == 64 {
		t.Fatalf("%d designs have a recourse", len(list))
	}
	for a := range list {
		for b := range list {
			value := sides[a]
			for j, v := range list[b].y {
				value += list[a].slope[j] * v
			}
			if value > costs[b]*(1+1e-7) || a == b && value < costs[a]*(1-1e-7) {
				t.Errorf("the cut of design %d has the value %g at design %d, which costs %g", a, value, b, costs[b])
			}
		}
	}
}
