package cap

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
)

// adversarial fills a prediction with what a broken network may say.
func adversarial(rng *rand.Rand, in *Instance, lambda []float64) {
	wild := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 5e-324, 1e-300, 1e300, math.MaxFloat64, -math.MaxFloat64}
	kind := rng.IntN(4)
	for i := range lambda {
		row := in.Row(i)
		switch lambda[i] = row[rng.IntN(len(row))]; {
		case kind == 0: // on kinks
		case kind == 1 || rng.IntN(3) > 0:
			lambda[i] += 20 * rng.NormFloat64()
		default:
			lambda[i] = wild[rng.IntN(len(wild))]
		}
	}
}

// eachDesign calls f with every design of n facilities.
func eachDesign(n int, f func(y []float64)) {
	y := make([]float64, n)
	for set := range 1 << n {
		for j := range y {
			y[j] = float64(set >> j & 1)
		}
		f(y)
	}
}

// TestCutsAreProven completes adversarial predictions for both cones, proves the cuts in rationals, and compares
// them with the exact recourse at every design.
func TestCutsAreProven(t *testing.T) {
	cuts := 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 21))
		in := randomInstance(rng, 1+rng.IntN(5), 1+rng.IntN(8))
		c, tr := newCertifier(in), newTransport(in)
		lambda := make([]float64, in.Clients)
		for _, kind := range []benders.Kind{benders.Optimality, benders.Feasibility} {
			adversarial(rng, in, lambda)
			if kind == benders.Optimality {
				c.Project(lambda)
			} else {
				c.ProjectFeasibility(lambda)
			}
			cut, err := c.Cut(kind, lambda)
			if err == nil {
				err = Check(in, &cut)
			}
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			cuts++
			eachDesign(in.Facilities, func(y []float64) {
				q, feasible, err := tr.Solve(context.Background(), y)
				if err != nil {
					t.Fatal(err)
				}
				v := cut.Value(y)
				if kind == benders.Feasibility && feasible && !(v <= 1e-9) {
					t.Fatalf("seed %d: a feasible design %v violates a feasibility cut by %v", seed, y, v)
				}
				if kind == benders.Optimality && feasible && !(v <= q+1e-9*max(1, q, cut.Alpha)) {
					t.Fatalf("seed %d: the cut says %v at %v, the recourse costs %v", seed, v, y, q)
				}
			})
		}
	}
	if cuts != 3000 {
		t.Errorf("%d cuts", cuts)
	}
}

// TestCheckRefuses spoils proven cuts in every coefficient.
func TestCheckRefuses(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 22))
		in := randomInstance(rng, 3, 6)
		c := newCertifier(in)
		lambda := make([]float64, in.Clients)
		adversarial(rng, in, lambda)
		c.Project(lambda)
		cut, err := c.Cut(benders.Optimality, lambda)
		if err != nil {
			t.Fatal(err)
		}
		scale := cut.Alpha + 1
		for k := range cut.Beta {
			beta := cut.Beta[k]
			cut.Beta[k] += 1e-9 * scale
			if Check(in, &cut) == nil {
				t.Errorf("seed %d: slope %d raised by %g passes", seed, k, 1e-9*scale)
			}
			cut.Beta[k] = beta
		}
		cut.Alpha += 1e-9 * scale
		if Check(in, &cut) == nil {
			t.Errorf("seed %d: alpha raised passes", seed)
		}
		cut.Alpha -= 1e-9 * scale
		cut.Certificate.Vector()[0] = math.NaN()
		if Check(in, &cut) == nil {
			t.Errorf("seed %d: a NaN multiplier passes", seed)
		}
	}
}

// TestCompletionIsStrongest compares the slopes with the greedy knapsack: no completion gives a larger cut.
func TestCompletionIsStrongest(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 23))
		in := randomInstance(rng, 1+rng.IntN(5), 1+rng.IntN(12))
		c := newCertifier(in)
		lambda := make([]float64, in.Clients)
		for i := range lambda {
			lambda[i] = 60 * rng.Float64()
		}
		c.Project(lambda)
		cut, err := c.Cut(benders.Optimality, lambda)
		if err != nil {
			t.Fatal(err)
		}
		y := randomPoint(rng, in.Facilities)
		if want, got := dualValue(in, lambda, y), cut.Value(y); !(math.Abs(want-got) <= 1e-11*(1+cut.Alpha)) {
			t.Fatalf("seed %d: the cut says %v, the strongest completion %v", seed, got, want)
		}
	}
}

// TestSupergradient checks the supergradient inequality everywhere, and finite differences where the function
// is smooth.
func TestSupergradient(t *testing.T) {
	smooth := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 24))
		in := randomInstance(rng, 1+rng.IntN(5), 1+rng.IntN(8))
		c := newCertifier(in)
		m := in.Clients
		lambda, other, g, moved := make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
		for i := range lambda {
			lambda[i], other[i] = 60*rng.Float64(), 60*rng.Float64()
		}
		y := randomPoint(rng, in.Facilities)
		v := c.Supergradient(g, lambda, y)
		bound := v
		for i := range lambda {
			bound += g[i] * (other[i] - lambda[i])
		}
		if got := c.Value(other, y); !(got <= bound+1e-9*(1+math.Abs(bound))) {
			t.Fatalf("seed %d: value %v above the linearisation %v", seed, got, bound)
		}
		const h = 1e-5
		for i := range lambda {
			copy(moved, lambda)
			moved[i] = lambda[i] + h
			up := (c.Value(moved, y) - v) / h
			moved[i] = lambda[i] - h
			down := (v - c.Value(moved, y)) / h
			if !(up <= g[i]+1e-6 && g[i] <= down+1e-6) {
				t.Fatalf("seed %d: client %d: supergradient %v outside [%v, %v]", seed, i, g[i], up, down)
			}
			if math.Abs(up-down) < 1e-6 {
				smooth++
			}
		}
	}
	if smooth < 500 {
		t.Errorf("only %d smooth directions", smooth)
	}
}

// TestProject checks the box: inside it nothing moves, outside the certified value does not fall.
func TestProject(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 25))
		in := randomInstance(rng, 1+rng.IntN(5), 1+rng.IntN(8))
		c, tr := newCertifier(in), newTransport(in)
		m := in.Clients
		y := randomPoint(rng, in.Facilities)
		if _, ok, err := tr.Solve(context.Background(), y); err != nil {
			t.Fatal(err)
		} else if ok {
			lambda := make([]float64, m)
			tr.Duals(lambda, nil)
			kept := append([]float64(nil), lambda...)
			if n := c.Project(lambda); n != 0 {
				t.Errorf("seed %d: %d entries of an optimal dual are not finite", seed, n)
			}
			for i := range kept {
				if math.Abs(kept[i]-lambda[i]) > 1e-9*(1+kept[i]) {
					t.Errorf("seed %d: the optimal dual %v of client %d became %v", seed, kept[i], i, lambda[i])
				}
			}
		}
		low := make([]float64, m)
		for i := range low {
			low[i] = c.low[i] * rng.Float64()
		}
		before := c.Value(low, y)
		c.Project(low)
		if after := c.Value(low, y); !(after >= before-1e-9) {
			t.Errorf("seed %d: the projection lowered the value from %v to %v", seed, before, after)
		}
		bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
		for i := range low {
			low[i] = bad[i%3]
		}
		if n := c.Project(low); n != m {
			t.Errorf("seed %d: %d of %d entries counted", seed, n, m)
		}
		if _, err := c.Cut(benders.Optimality, low); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// TestExactSeparation checks value, one-sidedness and proof of exact cuts at designs and fractional points.
func TestExactSeparation(t *testing.T) {
	infeasible := 0
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 26))
		in := randomInstance(rng, 1+rng.IntN(6), 1+rng.IntN(9))
		e, tr := newExact(in), newTransport(in)
		if seed%2 == 0 {
			core := make([]float64, in.Clients)
			adversarial(rng, in, core)
			e.certifier.Project(core)
			e.core = core
		}
		for range 4 {
			y := randomPoint(rng, in.Facilities)
			q, feasible, err := tr.Solve(context.Background(), y)
			if err != nil {
				t.Fatal(err)
			}
			s, err := e.Separate(context.Background(), benders.Point{Y: y})
			if err != nil || len(s.Cuts) != 1 || s.Infeasible == feasible {
				t.Fatalf("seed %d: %+v, %v", seed, s, err)
			}
			if err := Check(in, &s.Cuts[0]); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if !feasible {
				infeasible++
				sum := 0.0
				for _, v := range s.Cuts[0].Certificate.Vector() {
					sum += v
				}
				if v := s.Cuts[0].Value(y); !(v > 0) || math.Abs(sum-1) > 1e-9 {
					t.Fatalf("seed %d: the infeasible point %v has the value %v, the certificate the sum %v", seed, y, v, sum)
				}
				continue
			}
			if !s.Exact || !(s.Value <= q+1e-9*(1+q)) || !(s.Value >= q-1e-7*(1+q)) {
				t.Fatalf("seed %d: value %v exact %v, recourse %v", seed, s.Value, s.Exact, q)
			}
		}
	}
	if infeasible < 100 {
		t.Errorf("%d infeasible points", infeasible)
	}
}
