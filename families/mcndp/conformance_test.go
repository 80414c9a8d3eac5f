package mcndp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/conformance"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/benders/proxy"
)

// TestConformance runs the suite that all families share.
func TestConformance(t *testing.T) {
	var total conformance.Count
	for seed := range uint64(8) {
		in := random(seed)
		c := newCertifier(in)
		f := &conformance.Fixture{
			Name:    fmt.Sprintf("seed %d", seed),
			Problem: in.problem,
			Compact: in.compact(),
			Exact: func() benders.Separator {
				e, err := newExact(in)
				if err != nil {
					t.Fatal(err)
				}
				return e
			},
			Certifier: func() proxy.Certifier { return newTwoHeads(in) },
			Check:     func(cut *benders.Cut) error { return check(in, cut) },
			Predict: func(rng *rand.Rand, _ []float64) []float64 {
				u := make([]float64, in.size())
				for k := range u {
					u[k] = 30 * in.Demand[k%in.commodities()] * rng.Float64()
				}
				return u
			},
			Value: func(dst, u, y []float64) (float64, error) {
				if dst == nil {
					return c.Value(benders.Optimality, u[:in.size()], y), nil
				}
				return c.Supergradient(benders.Optimality, dst[:in.size()], u[:in.size()], y), nil
			},
		}
		f.Hybrid = hybridOf(t, in, seed)
		first := len(in.Master().Rows)
		for v := range in.Nodes {
			for i, d := range in.Demand {
				f.Predicted, f.Scale = append(f.Predicted, first+i*in.Nodes+v), append(f.Scale, 1/d)
			}
		}
		conformance.Run(t, f, seed, &total)
	}
	t.Logf("%+v", total)
	if total.Cuts < 150 || total.Projected == 0 || total.Smooth < 30 || total.Strongest < 10 {
		t.Errorf("%+v: the suite had little to look at", total)
	}
}

// TestHybrid runs the part of the suite that is about the hybrid, on instances that its first phase does not end.
func TestHybrid(t *testing.T) {
	var total conformance.Count
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 63))
		in := class{Nodes: 7, Arcs: 20 + int(seed), Commodities: 12, FixedRatio: fixedRatios[rng.IntN(3)], Tightness: 1.3 * float64(1+rng.IntN(2))}.draw(rng)
		f := &conformance.Fixture{Name: fmt.Sprintf("seed %d", seed), Problem: in.problem, Compact: in.compact(), Hybrid: hybridOf(t, in, seed)}
		conformance.RunHybrid(t, f, seed, &total)
	}
	if total.Phased < 4 {
		t.Errorf("%+v: the first phase ended nearly all", total)
	}
}

// hybridOf returns the hybrid of an instance with random weights, some of them spoilt, after hardly any preparation.
func hybridOf(t testing.TB, in *Instance, seed uint64) func(context.Context, benders.Options) (*benders.Result, error) {
	m := untrained(t, in)
	if seed%2 == 1 {
		rng := rand.New(rand.NewPCG(seed, 62))
		for _, p := range m.Net.Params() {
			for k := range p.Value {
				if p.Value[k] *= 1e3 * rng.NormFloat64(); rng.IntN(100) == 0 {
					p.Value[k] = math.NaN()
				}
			}
		}
	}
	return func(ctx context.Context, o benders.Options) (*benders.Result, error) {
		p := &program{in: in, sets: in.cutSets(cutset.Proven), dual: lagrange.Options{Every: 1, Budget: 1}}
		return decompose.Solve(ctx, p.hooks(), decompose.Options{Method: decompose.Hybrid, Scheme: decompose.Auto, Model: m, Benders: o})
	}
}
