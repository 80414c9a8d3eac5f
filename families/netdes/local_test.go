package netdes

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/families/pipeline"
)

// TestPricesAreThoseOfTheLinearPrograms prices random designs by flows and by the program, and holds the cut of each
// against the prices of the others.
func TestPricesAreThoseOfTheLinearPrograms(t *testing.T) {
	feasible := 0
	for seed := range uint64(4) {
		in, err := generate("8x4-H", seed)
		if err != nil {
			t.Fatal(err)
		}
		p, rng := newPricer(in.Data), rand.New(rand.NewPCG(seed, 3))
		type priced struct {
			y     []float64
			cost  float64
			slope []float64
			side  float64
		}
		var list []priced
		for range 12 {
			y := make([]float64, in.Data.arcs())
			for e := range y {
				if rng.Float64() < 0.7 {
					y[e] = 1
				}
			}
			want, ok, err := pipeline.Price(context.Background(), in, y)
			if err != nil {
				t.Fatal(err)
			}
			cost, err := p.Price(context.Background(), y)
			if carries := p.Carries(y); err != nil || carries != ok || ok == math.IsInf(cost, 1) {
				t.Fatalf("seed %d: %g, %v, carried %v; want %g, %v", seed, cost, err, carries, want, ok)
			}
			if !ok {
				continue
			}
			if math.Abs(cost-want) > 1e-7*want {
				t.Errorf("seed %d: %g, want %g", seed, cost, want)
			}
			if cost, err = p.Price(context.Background(), y); err != nil {
				t.Fatal(err)
			}
			slope := make([]float64, len(y))
			list = append(list, priced{y, cost, slope, p.Cut(slope)})
		}
		feasible += len(list)
		for i, c := range list {
			for k, at := range list {
				v := c.side
				for e, y := range at.y {
					v += c.slope[e] * y
				}
				if v > at.cost*(1+1e-9) || i == k && v < at.cost*(1-1e-9) {
					t.Errorf("seed %d: the cut of design %d is %g at design %d, which costs %g", seed, i, v, k, at.cost)
				}
			}
		}
	}
	if feasible < 10 {
		t.Errorf("%d designs have a recourse", feasible)
	}
}

// TestSearchFindsDesigns looks for designs before any relaxation, and prices what it finds.
func TestSearchFindsDesigns(t *testing.T) {
	in, err := generate("10x10-L", 1)
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(in.Data)
	if err := s.start(context.Background()); err != nil || s.Best.Y == nil {
		t.Fatal(err)
	}
	all := make([]float64, in.Data.arcs())
	for e := range all {
		all[e] = 1
	}
	allOpen, _, err := pipeline.Price(context.Background(), in, all)
	if err != nil {
		t.Fatal(err)
	}
	cost, ok, err := pipeline.Price(context.Background(), in, s.Best.Y)
	if err != nil || !ok || math.Abs(cost-s.Best.Cost) > 1e-7*cost || cost > allOpen/2 {
		t.Errorf("%g, %v, %v; want %g, well below %g", cost, ok, err, s.Best.Cost, allOpen)
	}
}

// TestRefusalsHoldForAllDesigns holds the row of every design that is refused against all others.
func TestRefusalsHoldForAllDesigns(t *testing.T) {
	refused := 0
	for seed := range uint64(8) {
		in, err := generate("7x4-H", seed)
		if err != nil {
			t.Fatal(err)
		}
		p, rng := newPricer(in.Data), rand.New(rand.NewPCG(seed, 4))
		var list [][]float64
		for range 60 {
			y := make([]float64, in.Data.arcs())
			for e := range y {
				if rng.Float64() < 0.6 {
					y[e] = 1
				}
			}
			list = append(list, y)
		}
		for k, y := range list {
			if p.Carries(y) {
				continue
			}
			refused++
			slope := make([]float64, len(y))
			constant := p.Refute(slope)
			for i, other := range list {
				v := constant
				for e, x := range other {
					v += slope[e] * x
				}
				if v > 0 && p.Carries(other) || i == k && v <= 0 {
					t.Errorf("seed %d: the row of design %d is %g at design %d", seed, k, v, i)
				}
			}
		}
	}
	if refused < 50 {
		t.Errorf("%d designs are refused", refused)
	}
}

// unexplained is a pricer that does not say why it refuses.
type unexplained struct{ lagrange.Pricer }

// TestRefusalsSpareRoutes searches with rows of refused designs and without: the design is the same, and what is asked
// is far less.
func TestRefusalsSpareRoutes(t *testing.T) {
	in, err := generate("14x5-L", 2)
	if err != nil {
		t.Fatal(err)
	}
	var best, visited [2]float64
	for k := range best {
		s := newSearch(in.Data)
		if k == 1 {
			s.LocalSearch = lagrange.NewLocalSearch(in.Data.arcs(), unexplained{s.p}, nil)
		}
		if _, err := s.Descend(t.Context(), s.p.routed(s.point), descent); err != nil {
			t.Fatal(err)
		}
		if err := s.Kick(t.Context(), 10, descent); err != nil {
			t.Fatal(err)
		}
		best[k], visited[k] = s.Best.Cost, float64(s.Visited())
	}
	if best[0] != best[1] || math.IsInf(best[0], 1) || visited[0] > visited[1]/2 {
		t.Errorf("costs %g, designs %g", best, visited)
	}
}
