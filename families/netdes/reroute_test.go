package netdes

import (
	"math"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/families/pipeline"
)

// TestReroutesFindDesigns makes neighbours of a design: each has a recourse, none keeps an arc that it can do without,
// the best one costs what the linear programs say, and a second run finds the same.
func TestReroutesFindDesigns(t *testing.T) {
	in, err := generate("14x5-L", 3)
	if err != nil {
		t.Fatal(err)
	}
	var best [2][]float64
	for k := range best {
		s := newSearch(in.Data)
		first := s.p.routed(s.point)
		start, err := s.Price(t.Context(), slices.Clone(first))
		if err != nil {
			t.Fatal(err)
		}

		// A cycle ends after its last neighbour, whatever the portions it was run in.
		ended := false
		for n := 0; !ended; n += 100 * (k + 1) {
			if ended, err = s.reroutes.run(t.Context(), s.LocalSearch, 100*(k+1)); err != nil || n > cycle {
				t.Fatal(n, err)
			}
		}
		cost, feasible, err := pipeline.Price(t.Context(), in, s.Best.Y)
		if err != nil || !feasible || math.Abs(cost-s.Best.Cost) > 1e-7*cost {
			t.Errorf("%g, %v, %v; want %g", cost, feasible, err, s.Best.Cost)
		}
		if !(s.Best.Cost < start) {
			t.Errorf("%g is not below the first design's %g", s.Best.Cost, start)
		}
		best[k] = s.Best.Y
	}
	if !slices.Equal(best[0], best[1]) {
		t.Error("the portions of a cycle change what it finds")
	}
}

// TestReduceLeavesNoUselessArc closes arcs of designs with all arcs, after which no single one can be left out.
func TestReduceLeavesNoUselessArc(t *testing.T) {
	for seed := range uint64(5) {
		in, err := generate("8x4-H", seed)
		if err != nil {
			t.Fatal(err)
		}
		p := newPricer(in.Data)
		y := slices.Repeat([]float64{1}, in.Data.arcs())
		if !p.Carries(y) {
			t.Fatalf("seed %d: no design", seed)
		}
		p.reduce(y)
		cost, err := p.Price(t.Context(), y)
		if err != nil || math.IsInf(cost, 1) {
			t.Fatalf("seed %d: %g, %v", seed, cost, err)
		}
		for e, v := range y {
			if v == 0 {
				continue
			}
			y[e] = 0
			if p.Carries(y) {
				if without, err := p.Price(t.Context(), y); err != nil || without < cost*(1-1e-9) {
					t.Errorf("seed %d: without arc %d it costs %g, not %g, %v", seed, e, without, cost, err)
				}
			}
			y[e] = 1
		}
	}
}
