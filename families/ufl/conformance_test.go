package ufl

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/conformance"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
)

// TestConformance runs the suite that all families share, with a cut a client and with one on the sum.
func TestConformance(t *testing.T) {
	var total conformance.Count
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 61))
		in := randomInstance(rng, 2+rng.IntN(5), 2+rng.IntN(7), []string{"uniform", "ties"}[seed%2])
		conformance.Run(t, fixtureOf(t, in, seed), seed, &total)
	}
	t.Logf("%+v", total)
	if total.Cuts < 500 || total.Projected == 0 || total.Smooth < 50 || total.Strongest < 20 {
		t.Errorf("%+v: the suite had little to look at", total)
	}
}

// fixtureOf returns the fixture of an instance.
func fixtureOf(t *testing.T, in *Instance, seed uint64) *conformance.Fixture {
	aggregated := seed%3 == 0
	c := newCertifier(in, aggregated)
	f := &conformance.Fixture{
		Name:      fmt.Sprintf("seed %d", seed),
		Problem:   func() *benders.Problem { return in.problem(aggregated) },
		Compact:   in.compact(),
		Exact:     func() benders.Separator { return newExact(in, aggregated) },
		Certifier: func() proxy.Certifier { return newCertifier(in, aggregated) },
		Check:     func(cut *benders.Cut) error { return Check(in, cut) },
		Predict: func(rng *rand.Rand, _ []float64) []float64 {
			pi := make([]float64, in.Clients)
			for i := range pi {
				pi[i] = slices.Max(in.Row(i)) * 1.1 * rng.Float64()
			}
			return pi
		},
		Value: func(dst, pi, y []float64) (float64, error) {
			if dst == nil {
				return c.Value(pi, y), nil
			}
			return c.supergradient(dst, pi, y), nil
		},
	}
	f.Hybrid = hybridOf(t, in, seed)
	for i := range in.Clients {
		f.Predicted = append(f.Predicted, len(in.master().Rows)+i)
	}
	return f
}

// TestHybrid runs the part of the suite that is about the hybrid, on instances that its first phase does not end.
func TestHybrid(t *testing.T) {
	var total conformance.Count
	for seed := range uint64(6) {
		in := randomInstance(rand.New(rand.NewPCG(seed, 63)), 25+int(seed), 40+int(seed), []string{"uniform", "ties"}[seed%2])
		f := &conformance.Fixture{Name: fmt.Sprintf("seed %d", seed), Problem: func() *benders.Problem { return in.problem(true) }, Compact: in.compact(), Hybrid: hybridOf(t, in, seed)}
		conformance.RunHybrid(t, f, seed, &total)
	}
	if total.Phased < 3 {
		t.Errorf("%+v: the first phase ended nearly all", total)
	}
}

// hybridOf returns the hybrid of an instance with random weights, some of them spoilt, after hardly any search. In
// every third one the tree without a master may not end the run.
func hybridOf(t testing.TB, in *Instance, seed uint64) func(context.Context, benders.Options) (*benders.Result, error) {
	m, err := proxy.New(network{Kind: supportRow, K: 4, Drawn: 1}, []int{8}, seed)
	if err != nil {
		t.Fatal(err)
	}
	if seed%2 == 1 {
		spoil(m, rand.New(rand.NewPCG(seed, 62)))
	}
	return func(ctx context.Context, o benders.Options) (*benders.Result, error) {
		p := newProgram(in)
		p.search.Kicks, p.dual.Steps, p.dual.Probe = 0, 1, 0
		hooks := p.hooks()
		if seed%3 == 0 {
			hooks.Preparation.Tree.Nodes = 0
		}
		return decompose.Solve(ctx, hooks, decompose.Options{Method: decompose.Hybrid, Scheme: decompose.Auto, Model: m, Benders: o})
	}
}
