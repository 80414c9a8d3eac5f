package cflp

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/lp"
)

// brute returns the cost of the best design by enumeration, +Inf if there is none.
func brute(t *testing.T, in *Instance) float64 {
	tr, best := NewTransport(in), math.Inf(1)
	eachDesign(in.Facilities, func(y []float64) {
		q, ok, err := tr.Solve(context.Background(), y)
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range y {
			q += v * in.Fixed[j]
		}
		if ok {
			best = min(best, q)
		}
	})
	return best
}

// variants are the option sets that every instance is solved with.
func variants() map[string]SolveOptions {
	tight := DefaultSolveOptions()
	tight.Benders.Gap = 0
	whole, outer, plain, outerPlain := tight, tight, tight, tight
	whole.Reduce = false
	outer.Scheme, outerPlain.Scheme = OuterLoop, OuterLoop
	plain.Benders.Heuristic, outerPlain.Benders.Heuristic = false, false
	noProbe := tight
	noProbe.Dual.Iterations, noProbe.Dual.Probe = 5, 0
	return map[string]SolveOptions{"default": DefaultSolveOptions(), "tight": tight, "whole": whole, "outer": outer, "plain": plain,
		"outer plain": outerPlain, "no probe": noProbe}
}

// TestSolveEqualsBruteForce solves random instances by every scheme, infeasible ones among them.
func TestSolveEqualsBruteForce(t *testing.T) {
	infeasible := 0
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 31))
		in := randomInstance(rng, 1+rng.IntN(9), 1+rng.IntN(12))
		want := brute(t, in)
		if math.IsInf(want, 1) {
			infeasible++
		}
		for name, o := range variants() {
			r, err := Solve(context.Background(), in, ExactSeparation(), o)
			if err != nil {
				t.Fatalf("seed %d %s: %v", seed, name, err)
			}
			if math.IsInf(want, 1) {
				if r.Status != lp.Infeasible || r.Design != nil {
					t.Errorf("seed %d %s: %v, design %v, want infeasible", seed, name, r.Status, r.Design)
				}
				continue
			}
			if r.Status != lp.Optimal || !(math.Abs(r.Objective-want) <= (o.Benders.Gap+1e-7)*max(1, want)) || !(r.Bound <= want+1e-6*max(1, want)) {
				t.Errorf("seed %d %s: %v objective %v bound %v, want %v", seed, name, r.Status, r.Objective, r.Bound, want)
				continue
			}
			s := NewLocalSearch(in)
			if cost, err := s.Cost(context.Background(), families.Open(r.Design)); err != nil || !(math.Abs(cost-r.Objective) <= 1e-9*max(1, cost)) {
				t.Errorf("seed %d %s: the design costs %v, reported %v (%v)", seed, name, cost, r.Objective, err)
			}
		}
	}
	if infeasible < 5 || infeasible > 60 {
		t.Errorf("%d of 120 instances are infeasible", infeasible)
	}
}

// TestSolveEqualsFullModel compares with branch and cut on the compact model.
func TestSolveEqualsFullModel(t *testing.T) {
	for seed := range uint64(6) {
		in, err := Generate(Class{Facilities: 8, Clients: 12, Ratio: 1.5 + float64(seed)}, seed)
		if err != nil {
			t.Fatal(err)
		}
		o := bnb.DefaultOptions()
		o.Gap = 1e-9
		want, err := bnb.Solve(context.Background(), in.Compact(), o, bnb.Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		for name, o := range variants() {
			r, err := Solve(context.Background(), in, ExactSeparation(), o)
			if err != nil || r.Status != lp.Optimal || !(math.Abs(r.Objective-want.Objective) <= (o.Benders.Gap+1e-6)*want.Objective) {
				t.Errorf("seed %d %s: %+v, full model %v (%v)", seed, name, r, want.Objective, err)
			}
		}
	}
}

// TestLagrangianIsABound compares the bound with the optimum and checks that what is settled is so in every
// design within the limit.
func TestLagrangianIsABound(t *testing.T) {
	settled := 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 32))
		in := randomInstance(rng, 2+rng.IntN(7), 1+rng.IntN(10))
		want := brute(t, in)
		if math.IsInf(want, 1) {
			continue
		}
		o := DefaultDualOptions()
		o.Gap = 0
		p, err := prepare(context.Background(), in, o, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if !(min(p.Bound, p.Fixing.UB) <= want*(1+1e-8)+1e-9) || !(p.Design.Cost >= want-1e-9*max(1, want)) {
			t.Errorf("seed %d: bound %v, design %v, optimum %v", seed, p.Bound, p.Design.Cost, want)
		}
		settled += len(p.Fixing.Closed) + len(p.Fixing.Opened)
		s := NewLocalSearch(in)
		eachDesign(in.Facilities, func(y []float64) {
			cost, err := s.Cost(context.Background(), families.Open(y))
			if err != nil {
				t.Fatal(err)
			}
			if !(cost <= p.Design.Cost) {
				return
			}
			for _, j := range p.Fixing.Closed {
				if y[j] == 1 {
					t.Errorf("seed %d: facility %d is settled closed, open in a design of cost %v <= %v", seed, j, cost, p.Design.Cost)
				}
			}
			for _, j := range p.Fixing.Opened {
				if y[j] == 0 {
					t.Errorf("seed %d: facility %d is settled open, closed in a design of cost %v <= %v", seed, j, cost, p.Design.Cost)
				}
			}
		})
	}
	if settled < 200 {
		t.Errorf("only %d facilities were settled", settled)
	}
}

// TestLagrangianAtAnyMultipliers evaluates the relaxation at random multipliers: each value bounds the optimum.
func TestLagrangianAtAnyMultipliers(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 33))
		in := randomInstance(rng, 1+rng.IntN(6), 1+rng.IntN(8))
		want := brute(t, in)
		l := newLagrangian(in)
		lambda := make([]float64, in.Clients)
		for range 5 {
			adversarial(rng, in, lambda)
			l.certifier.Project(lambda)
			switch bound := l.evaluate(lambda); {
			case math.IsInf(bound, 1) && !math.IsInf(want, 1):
				t.Fatalf("seed %d: the relaxation is infeasible, the optimum is %v", seed, want)
			case !math.IsInf(want, 1) && !(bound <= want+1e-7*max(1, want)):
				t.Fatalf("seed %d: bound %v above the optimum %v", seed, bound, want)
			}
		}
	}
}

// TestLocalSearch checks that no neighbour of a local optimum is better, and its price.
func TestLocalSearch(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 34))
		in := randomInstance(rng, 3+rng.IntN(6), 2+rng.IntN(10))
		s, fresh := NewLocalSearch(in), NewLocalSearch(in)
		open := s.Round(randomPoint(rng, in.Facilities))
		if open == nil {
			if in.Feasible(ones(in.Facilities)) {
				t.Errorf("seed %d: no rounding of a feasible instance", seed)
			}
			continue
		}
		d, err := s.Descend(context.Background(), open, 10000)
		if err != nil {
			t.Fatal(err)
		}
		for a := range in.Facilities {
			for b := range a + 1 { // b = a: a alone is opened or closed
				y := in.Design(d.Open)
				if y[b] == y[a] && b < a {
					continue // not a swap
				}
				if y[a] = 1 - y[a]; b < a {
					y[b] = 1 - y[b]
				}
				cost, err := fresh.Cost(context.Background(), families.Open(y))
				if err != nil {
					t.Fatal(err)
				}
				if cost < d.Cost*(1-1e-8)-1e-9 {
					t.Errorf("seed %d: %v costs %v, its neighbour %v costs %v", seed, d.Open, d.Cost, families.Open(y), cost)
				}
			}
		}
	}
}

// TestSolveLimits stops runs at once: statuses, never errors.
func TestSolveLimits(t *testing.T) {
	in, err := Generate(Class{Facilities: 30, Clients: 60, Ratio: 3}, 5)
	if err != nil {
		t.Fatal(err)
	}
	full, err := Solve(context.Background(), in, ExactSeparation(), DefaultSolveOptions())
	if err != nil || full.Status != lp.Optimal {
		t.Fatal(full, err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, o := range variants() {
		if r, err := Solve(cancelled, in, ExactSeparation(), o); err != nil || r.Status != lp.Interrupted && r.Status != lp.Optimal {
			t.Errorf("%s cancelled: %+v, %v", name, r, err)
		}
		o.Benders.TimeLimit = 0
		r, err := Solve(context.Background(), in, ExactSeparation(), o)
		if err != nil || r.Status != lp.TimeLimit || r.Bound > full.Objective*(1+1e-9) {
			t.Errorf("%s without time: %+v, %v", name, r, err)
		}
		o.Benders.TimeLimit = 20 * time.Millisecond
		if r, err = Solve(context.Background(), in, ExactSeparation(), o); err != nil || r.Bound > full.Objective*(1+1e-9) || r.Objective < full.Bound*(1-1e-9) {
			t.Errorf("%s in 20 ms: %+v, %v", name, r, err)
		}
	}
}

// TestSolveErrors checks bad instances, options and separators.
func TestSolveErrors(t *testing.T) {
	in := randomInstance(rand.New(rand.NewPCG(1, 1)), 3, 3)
	o := DefaultSolveOptions()
	o.Benders.Gap = math.NaN()
	if _, err := Solve(context.Background(), in, ExactSeparation(), o); !errors.Is(err, benders.ErrOptions) {
		t.Errorf("NaN gap: %v", err)
	}
	o = DefaultSolveOptions()
	o.Dual.Probe = -1
	if _, err := Solve(context.Background(), in, ExactSeparation(), o); !errors.Is(err, families.ErrOptions) {
		t.Errorf("negative probe: %v", err)
	}
	bad := in.Clone()
	bad.Demand[1] = -1
	if _, err := Solve(context.Background(), bad, ExactSeparation(), DefaultSolveOptions()); !errors.Is(err, ErrInstance) {
		t.Errorf("negative demand: %v", err)
	}
	if _, err := NewExact(in).Separate(context.Background(), benders.Point{Y: []float64{1}}); !errors.Is(err, ErrInstance) {
		t.Errorf("short point: %v", err)
	}
}

// TestDeterminism solves twice.
func TestDeterminism(t *testing.T) {
	in, err := Generate(Class{Facilities: 25, Clients: 40, Ratio: 2}, 9)
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range variants() {
		a, err := Solve(context.Background(), in, ExactSeparation(), o)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Solve(context.Background(), in, ExactSeparation(), o)
		if err != nil || a.Objective != b.Objective || a.Bound != b.Bound || a.Nodes != b.Nodes || a.Cuts != b.Cuts || !slices.Equal(a.Design, b.Design) {
			t.Errorf("%s: %+v then %+v (%v)", name, a, b, err)
		}
	}
}
