package cap

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/conformance"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

// brute returns the cost of the best design by enumeration, +Inf if there is none.
func brute(t *testing.T, in *Instance) float64 {
	tr, best := newTransport(in), math.Inf(1)
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

// variant is a way to solve an instance.
type variant struct {
	decompose.Options
	whole, noProbe bool
}

// solve solves an instance in the way of a variant.
func (v *variant) solve(ctx context.Context, in *Instance) (*benders.Result, error) {
	p := newProgram(in)
	if v.noProbe {
		p.dual.Steps, p.dual.Probe = 5, 0
	}
	hooks := p.hooks()
	if v.whole {
		hooks.Preparation.Reduce = nil
	}
	return decompose.Solve(ctx, hooks, v.Options)
}

// variants are the ways in which every instance is solved.
func variants() map[string]variant {
	tight := variant{Options: decompose.DefaultOptions()}
	tight.Benders.Gap = 0
	whole, outer, plain, outerPlain, noProbe := tight, tight, tight, tight, tight
	whole.whole, noProbe.noProbe = true, true
	outer.Scheme, outerPlain.Scheme = decompose.Outer, decompose.Outer
	plain.Benders.Heuristic, outerPlain.Benders.Heuristic = false, false
	return map[string]variant{"default": {Options: decompose.DefaultOptions()}, "tight": tight, "whole": whole, "outer": outer,
		"plain": plain, "outer plain": outerPlain, "no probe": noProbe}
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
			r, err := o.solve(context.Background(), in)
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
			_, p := newSearch(in)
			if cost, err := p.Price(context.Background(), r.Design); err != nil || !(math.Abs(cost-r.Objective) <= 1e-9*max(1, cost)) {
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
		in, err := generate(class{Facilities: 8, Clients: 12, Ratio: 1.5 + float64(seed)}, seed)
		if err != nil {
			t.Fatal(err)
		}
		o := bnb.DefaultOptions()
		o.Gap = 1e-9
		want, err := bnb.Solve(context.Background(), in.compact(), o, bnb.Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		for name, o := range variants() {
			r, err := o.solve(context.Background(), in)
			if err != nil || r.Status != lp.Optimal || !(math.Abs(r.Objective-want.Objective) <= (o.Benders.Gap+1e-6)*want.Objective) {
				t.Errorf("seed %d %s: %+v, full model %v (%v)", seed, name, r, want.Objective, err)
			}
		}
	}
}

// TestSolveLimits stops runs at once: statuses, never errors.
func TestSolveLimits(t *testing.T) {
	in, err := generate(class{Facilities: 30, Clients: 60, Ratio: 3}, 5)
	if err != nil {
		t.Fatal(err)
	}
	full, err := pipeline.Solve(context.Background(), in, decompose.DefaultOptions())
	if err != nil || full.Status != lp.Optimal {
		t.Fatal(full, err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, o := range variants() {
		if r, err := o.solve(cancelled, in); err != nil || r.Status != lp.Interrupted && r.Status != lp.Optimal {
			t.Errorf("%s cancelled: %+v, %v", name, r, err)
		}
		o.Benders.TimeLimit = 0
		r, err := o.solve(context.Background(), in)
		if err != nil || r.Status != lp.TimeLimit || r.Bound > full.Objective*(1+1e-9) {
			t.Errorf("%s without time: %+v, %v", name, r, err)
		}
		o.Benders.TimeLimit = 20 * time.Millisecond
		if r, err = o.solve(context.Background(), in); err != nil || r.Bound > full.Objective*(1+1e-9) || r.Objective < full.Bound*(1-1e-9) {
			t.Errorf("%s in 20 ms: %+v, %v", name, r, err)
		}
	}
}

// TestSolveErrors checks bad instances, options and separators.
func TestSolveErrors(t *testing.T) {
	in := randomInstance(rand.New(rand.NewPCG(1, 1)), 3, 3)
	o := decompose.DefaultOptions()
	o.Benders.Gap = math.NaN()
	if _, err := pipeline.Solve(context.Background(), in, o); !errors.Is(err, benders.ErrOptions) {
		t.Errorf("NaN gap: %v", err)
	}
	bad := in.Clone()
	bad.Demand[1] = -1
	if _, err := pipeline.Solve(context.Background(), bad, decompose.DefaultOptions()); !errors.Is(err, instance.ErrInstance) {
		t.Errorf("negative demand: %v", err)
	}
	if _, err := newExact(in).Separate(context.Background(), benders.Point{Y: []float64{1}}); !errors.Is(err, instance.ErrInstance) {
		t.Errorf("short point: %v", err)
	}
}

// TestDeterminism solves twice.
func TestDeterminism(t *testing.T) {
	in, err := generate(class{Facilities: 25, Clients: 40, Ratio: 2}, 9)
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range variants() {
		a, err := o.solve(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		b, err := o.solve(context.Background(), in)
		if err != nil || a.Objective != b.Objective || a.Bound != b.Bound || a.Nodes != b.Nodes || a.Cuts != b.Cuts || !slices.Equal(a.Design, b.Design) {
			t.Errorf("%s: %+v then %+v (%v)", name, a, b, err)
		}
	}
}

// TestLagrangian runs the suite that all relaxations share.
func TestLagrangian(t *testing.T) {
	var total conformance.LagrangianCount
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 35))
		in := randomInstance(rng, 2+rng.IntN(6), 1+rng.IntN(10))
		_, exact := newSearch(in)
		f := &conformance.Lagrangian{Name: fmt.Sprintf("seed %d", seed), Accuracy: 1e-9,
			Relax: func() (lagrange.Binary, *lagrange.Volume) {
				l := newLagrangian(in)
				return l, l.volume()
			},
			Cost: func(y []float64) *big.Rat {
				cost, err := exact.Price(context.Background(), y)
				if err != nil || math.IsInf(cost, 1) {
					return nil
				}
				return new(big.Rat).SetFloat64(cost)
			},
			Rule:  func() lagrange.Rule { return lagrange.NewPseudoCosts(in.Fixed) },
			Local: func() *lagrange.LocalSearch { s, _ := newSearch(in); return s },
			Search: func() lagrange.Search {
				s, _ := newSearch(in)
				if _, err := s.Price(context.Background(), slices.Repeat([]float64{1}, in.Facilities)); err != nil {
					t.Fatal(err)
				}
				return s
			}}
		conformance.RunLagrangian(t, f, seed, &total)
	}
	t.Logf("%+v", total)
	if total.Fixed < 100 || total.Probed < 20 || total.Slopes < 50 || total.Nodes < 50 || total.Neighbours < 500 {
		t.Errorf("%+v: the suite had little to look at", total)
	}
}
