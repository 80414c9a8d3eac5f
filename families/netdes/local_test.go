package netdes

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/families"
)

// TestPricesAreThoseOfTheLinearPrograms prices random designs by flows and by the program, and holds the cut of each
// against the prices of the others.
func TestPricesAreThoseOfTheLinearPrograms(t *testing.T) {
	feasible := 0
	for seed := range uint64(4) {
		in, err := Generate("8x4-H", seed)
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
			y := make([]float64, in.Data.Arcs())
			for e := range y {
				if rng.Float64() < 0.7 {
					y[e] = 1
				}
			}
			want, ok, err := families.Price(context.Background(), in, y)
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
	in, err := Generate("10x10-L", 1)
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(in.Data)
	if err := s.start(context.Background()); err != nil || s.Best.Y == nil {
		t.Fatal(err)
	}
	all := make([]float64, in.Data.Arcs())
	for e := range all {
		all[e] = 1
	}
	most, _, err := families.Price(context.Background(), in, all)
	if err != nil {
		t.Fatal(err)
	}
	cost, ok, err := families.Price(context.Background(), in, s.Best.Y)
	if err != nil || !ok || math.Abs(cost-s.Best.Cost) > 1e-7*cost || cost > most/2 {
		t.Errorf("%g, %v, %v; want %g, well below %g", cost, ok, err, s.Best.Cost, most)
	}
}
