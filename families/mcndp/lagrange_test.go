package mcndp

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// TestLagrangianBounds evaluates the relaxation at random multipliers, with cut-set rows, and settles arcs: no design is
// below the bound, and none within the limit disagrees with what is settled.
func TestLagrangianBounds(t *testing.T) {
	for seed := range uint64(12) {
		in := random(seed)
		best := brute(t, in)
		if math.IsInf(best, 1) {
			continue
		}
		rng, r := rand.New(rand.NewPCG(seed, 30)), mustRecourse(t, in)
		l := newLagrangian(in)
		l.limit(best)
		v := l.volume()
		v.Restart(l)
		for range 40 {
			v.Improve(context.Background(), l, 10)
			if _, err := l.separate(v); err != nil {
				t.Fatal(err)
			}
			if v.Bound > best*(1+1e-9) {
				t.Errorf("seed %d: bound %.12g, the optimum is %.12g", seed, v.Bound, best)
			}
		}
		trial, slope := make([]float64, len(v.Multipliers)), make([]float64, len(v.Multipliers))
		for range 20 {
			for k, m := range v.Multipliers {
				trial[k] = m * (0.5 + rng.Float64())
			}
			l.Project(trial)
			if bound, _ := l.Evaluate(trial, slope); bound > best*(1+1e-9) {
				t.Errorf("seed %d: bound %.12g, the optimum is %.12g", seed, bound, best)
			}
		}
		y := make([]float64, in.Arcs())
		for mask := range 1 << len(y) {
			agrees := true
			for j := range y {
				y[j] = float64(mask >> j & 1)
				agrees = agrees && !(l.state[j] == fixedClosed && y[j] == 1 || l.state[j] == fixedOpen && y[j] == 0)
			}
			if agrees {
				continue
			}
			if q, feasible, err := r.Solve(context.Background(), y); err != nil || feasible && in.fixedCost(y)+q < best*(1-1e-9) {
				t.Errorf("seed %d: a design of cost %.12g was settled away, %v", seed, in.fixedCost(y)+q, err)
			}
		}
	}
}

// TestLocalSearch checks that prices are true and that designs only get better.
func TestLocalSearch(t *testing.T) {
	for seed := range uint64(10) {
		in, err := Generate(context.Background(), learnt, seed)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewLocalSearch(in)
		if err != nil {
			t.Fatal(err)
		}
		y := ones(in.Arcs())
		first, _, err := s.Cost(context.Background(), y)
		if err != nil {
			t.Fatal(err)
		}
		delete(s.known, string(designBytes(y)))
		last, err := s.Descend(context.Background(), y, 200)
		if err != nil || last > first {
			t.Errorf("seed %d: from %g to %g, %v", seed, first, last, err)
		}
		q, feasible, err := mustRecourse(t, in).Solve(context.Background(), s.Best.Y)
		if err != nil || !feasible || !near(in.fixedCost(s.Best.Y)+q, s.Best.Cost) {
			t.Errorf("seed %d: the best design costs %g, not %g", seed, in.fixedCost(s.Best.Y)+q, s.Best.Cost)
		}
	}
}
