package mcndp

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/twostage"
)

// TestMerged compares the recourse with one flow an origin with that with one a commodity, at random designs: the
// costs, which designs have none, the loads, and the cuts, which are exact at their design and hold at the others.
func TestMerged(t *testing.T) {
	ctx := context.Background()
	feasible, without := 0, 0
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 64))
		in := class{Nodes: 7, Arcs: 24, Commodities: 20, FixedRatio: 0.05, Tightness: 1 + 2*rng.Float64()}.draw(rng)
		exact, truth := mustExact(t, in), mustRecourse(t, in)
		var cuts []benders.Cut
		for range 12 {
			y := make([]float64, in.arcs())
			for j := range y {
				if rng.Float64() < 0.8 {
					y[j] = 1
				}
			}
			q, has, err := exact.recourse.Solve(ctx, y)
			if err != nil {
				t.Fatal(err)
			}
			want, ok, err := truth.split(ctx, y)
			if err != nil || has != ok || !near(q, want) {
				t.Fatalf("seed %d: %g %v, one flow a commodity gives %g %v (%v)", seed, q, has, want, ok, err)
			}
			for k := range cuts {
				if v := cuts[k].Value(y); ok && v > want*(1+1e-9) {
					t.Errorf("seed %d: a cut says %g of a design of %g", seed, v, want)
				}
			}
			if !ok {
				without++
				continue
			}
			feasible++
			load, cost := make([]float64, in.arcs()), 0.0
			exact.recourse.merged.loads(load)
			for j, v := range load {
				if cost += v * in.Cost[j]; v > in.Capacity[j]*y[j]+1e-6 {
					t.Errorf("seed %d: arc %d carries %g of %g", seed, j, v, in.Capacity[j]*y[j])
				}
			}
			if !near(cost, q) {
				t.Errorf("seed %d: flows of %g, not %g", seed, cost, q)
			}
			sep, err := exact.Separate(ctx, benders.Point{Y: y, Integer: true})
			if err != nil || !sep.Exact || !near(sep.Value, q) {
				t.Fatalf("seed %d: a cut of %g for %g (%v)", seed, sep.Value, q, err)
			}
			if err := check(in, &sep.Cuts[0]); err != nil {
				t.Error(err)
			}
			cuts = append(cuts, sep.Cuts...)
		}
	}
	if feasible < 50 || without < 50 {
		t.Errorf("%d designs with a recourse, %d without", feasible, without)
	}
}

func mustExact(t testing.TB, in *Instance) *exactSeparator {
	t.Helper()
	e, err := newExact(in)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestShortcut compares what the shortcut says of scenarios at designs, and its multipliers made certificates, with the
// linear programs of the skeleton.
func TestShortcut(t *testing.T) {
	ctx := context.Background()
	priced, unknown := 0, 0
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 65))
		in := class{Nodes: 5, Arcs: 14, Commodities: 8, FixedRatio: 0.05, Tightness: 1 + rng.Float64()}.draw(rng)
		draws := make([]draw, 3)
		for s := range draws {
			draws[s].Probability = 1.0 / 3
			for _, d := range in.Demand {
				if rng.IntN(6) == 0 {
					d = 0
				}
				draws[s].Demand = append(draws[s].Demand, d*(0.5+rng.Float64()))
			}
		}
		n, err := newScenarios(in, draws)
		if err != nil {
			t.Fatal(err)
		}
		two, err := twostage.NewScenarios(n.Stochastic())
		if err != nil {
			t.Fatal(err)
		}
		view, err := two.View()
		if err != nil {
			t.Fatal(err)
		}
		short, err := n.newShortcut()
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			y := make([]float64, in.arcs())
			for j := range y {
				if rng.Float64() < 0.85 {
					y[j] = 1
				}
			}
			for s := range draws {
				if err := view.Set(s); err != nil {
					t.Fatal(err)
				}
				want, feasible, err := view.Value(ctx, y)
				if err != nil {
					t.Fatal(err)
				}
				cost, lambda, known, err := short.Price(ctx, y, s)
				if err != nil || known && !feasible {
					t.Fatalf("seed %d: %v, %v", seed, known, err)
				}
				if !known {
					unknown++
					continue
				}
				priced++
				cut, err := view.Certify(benders.Optimality, lambda)
				if err != nil || !near(cost, want) || !near(cut.ValueDown(y), want) {
					t.Errorf("seed %d: %g, cut %g, the linear program says %g (%v)", seed, cost, cut.ValueDown(y), want, err)
				}
			}
		}
		half := make([]float64, in.arcs())
		for j := range half {
			half[j] = 0.5
		}
		if _, _, known, err := short.Price(ctx, half, 0); err != nil || known {
			t.Errorf("seed %d: the program of designs prices another point: %v", seed, err)
		}
	}
	if priced < 50 || unknown < 10 {
		t.Errorf("%d priced, %d not", priced, unknown)
	}
}
