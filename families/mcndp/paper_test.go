package mcndp

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

// paperModel returns the paper's network for an instance, with narrow layers.
func paperModel(t testing.TB, in *Instance, seed uint64) *proxy.Model {
	t.Helper()
	m, _, err := pipeline.NewModel(Family, in, families.ModelOptions{Preset: families.Paper, Hidden: []int{16}, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPaperSlope compares the slope of what both heads certify, behind their projections, with finite differences. At
// kinks the two may differ.
func TestPaperSlope(t *testing.T) {
	const h = 1e-6
	tried, agreed := 0, 0
	for seed := range uint64(10) {
		in, err := generate(context.Background(), learnt, seed)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 81))
		y := make([]float64, in.arcs())
		for j := range y {
			y[j] = rng.Float64()
		}
		v, err := paperModel(t, in, seed).On(in)
		if err != nil {
			t.Fatal(err)
		}
		l, err := v.TrainingSet(t.Context(), []benders.State{{Y: y}, {Y: y, Infeasible: true}})
		if err != nil {
			t.Fatal(err)
		}
		n := 2 * in.size()
		out, slope := make([]float64, n), make([]float64, n)
		for k := range out {
			out[k] = 1 + 2*rng.NormFloat64()
		}
		for state := range 2 {
			var value [1]float64
			if err := l.Certify(value[:], slope, out, nil, state, nil); err != nil {
				t.Fatal(err)
			}
			for range 40 {
				k := rng.IntN(in.size()) + state*in.size()
				at := func(d float64) float64 {
					old := out[k]
					out[k] += d
					w, err := l.Value(out, nil, state)
					if err != nil {
						t.Fatal(err)
					}
					out[k] = old
					return w
				}
				tried++
				if d := (at(h) - at(-h)) / (2 * h); math.Abs(d-slope[k]) <= 1e-5*(1+math.Abs(d)) {
					agreed++
				}
			}
		}
	}
	if agreed < tried*95/100 {
		t.Errorf("%d of %d slopes agree", agreed, tried)
	}
}

// TestPaperRunsAreSafe solves small instances as the paper does, with untrained networks and with noise for weights:
// every cut is proven, bounds are valid, the exact oracle is right, and designs of proxy runs are feasible after their
// repair, without a recourse problem solved before the price of the last design.
func TestPaperRunsAreSafe(t *testing.T) {
	for seed := range uint64(10) {
		in := random(seed)
		want := brute(t, in)
		m := paperModel(t, in, seed)
		path := filepath.Join(t.TempDir(), "m.safetensors")
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		if back, err := pipeline.LoadModel(Family, path); err != nil || back.Architecture != m.Architecture {
			t.Fatal(back, err)
		}
		if rng := rand.New(rand.NewPCG(seed, 82)); seed%3 == 0 {
			for _, p := range m.Net.Params() {
				for k := range p.Value {
					p.Value[k] = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(6)))
				}
			}
		}
		o := exactOptions()
		o.Scheme, o.Benders.TimeLimit, o.Benders.Recorder = decompose.Paper, 5*time.Minute, &prover{t: t, in: in}
		for _, method := range []decompose.Method{decompose.Exact, decompose.Proxy} {
			r, err := pipeline.Solve(context.Background(), in, withModel(o, method, m))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if math.IsInf(want, 1) {
				if method == decompose.Exact && r.Status != lp.Infeasible || r.Design != nil {
					t.Errorf("seed %d %s: %v with a design %v, and there is none", seed, method, r.Status, r.Design)
				}
				continue
			}
			slack := 1e-6 * want
			switch {
			case r.Bound > want+slack, r.Objective < want-slack,
				method == decompose.Exact && (r.Status != lp.Optimal || r.Objective > want*(1+o.Benders.Gap)+slack),
				method == decompose.Proxy && (r.Design == nil || r.Visited != 0 || r.Parts.Recourse != 0 || r.Pricing == 0):
				t.Errorf("seed %d %s: %v, bound %g, cost %g, optimum %g, %d designs priced, repair %+v", seed, method, r.Status,
					r.Bound, r.Objective, want, r.Visited, r.Repair)
			}
		}
	}
}

// TestPaperRepair gives the designs of a run that priced none a flow: where it opens arcs the flow certificate holds
// after that, and a design that has it stays as it is.
func TestPaperRepair(t *testing.T) {
	for seed := range uint64(8) {
		in, err := generate(context.Background(), learnt, seed)
		if err != nil {
			t.Fatal(err)
		}
		repair, err := newRepairer(in, in.cutSets(cutset.Whole), paperModel(t, in, seed))
		if err != nil {
			t.Fatal(err)
		}
		r := &benders.Result{Design: make([]float64, in.arcs()), Objective: math.NaN()}
		if err := repair.finish(t.Context(), r, nil); err != nil || !repair.router.route(slices.Clone(r.Design)) ||
			r.Repair.Designs != 1 || r.Repair.Opened == 0 || r.Repair.LPs != 0 {
			t.Fatalf("seed %d: %+v, %v", seed, r.Repair, err)
		}
		again := &benders.Result{Design: slices.Clone(r.Design), Objective: math.NaN()}
		if err := repair.finish(t.Context(), again, nil); err != nil || !slices.Equal(again.Design, r.Design) || again.Repair.Designs != 0 {
			t.Errorf("seed %d: %+v, %v", seed, again.Repair, err)
		}
	}
}
