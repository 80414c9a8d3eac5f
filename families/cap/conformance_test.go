package cap

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

// TestConformance runs the suite that all families share.
func TestConformance(t *testing.T) {
	var total conformance.Count
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 61))
		in := randomInstance(rng, 2+rng.IntN(5), 2+rng.IntN(7))
		conformance.Run(t, fixtureOf(t, in, seed), seed, &total)
	}
	t.Logf("%+v", total)
	if total.Cuts < 300 || total.Projected == 0 || total.Smooth < 50 || total.Strongest < 20 || total.Infeasible < 10 {
		t.Errorf("%+v: the suite had little to look at", total)
	}
}

// fixtureOf returns the fixture of an instance.
func fixtureOf(t *testing.T, in *Instance, seed uint64) *conformance.Fixture {
	c := newCertifier(in)
	f := &conformance.Fixture{
		Name:      fmt.Sprintf("seed %d", seed),
		Problem:   in.problem,
		Compact:   in.compact(),
		Exact:     func() benders.Separator { return newExact(in) },
		Certifier: func() proxy.Certifier { return newCertifier(in) },
		Check:     func(cut *benders.Cut) error { return Check(in, cut) },
		Predict: func(rng *rand.Rand, _ []float64) []float64 {
			lambda := make([]float64, in.Clients)
			for i := range lambda {
				lambda[i] = (slices.Max(in.Row(i)) + 10) * rng.Float64()
			}
			return lambda
		},
		Value: func(dst, lambda, y []float64) (float64, error) {
			if dst == nil {
				return c.Value(lambda, y), nil
			}
			return c.Supergradient(dst, lambda, y), nil
		},
	}
	f.Hybrid = hybridOf(t, in, seed)
	for i := range in.Clients {
		f.Predicted = append(f.Predicted, len(in.Master().Rows)+i)
	}
	return f
}

// TestHybrid runs the part of the suite that is about the hybrid, on instances that its first phase does not end.
func TestHybrid(t *testing.T) {
	var total conformance.Count
	for seed := range uint64(6) {
		in := randomInstance(rand.New(rand.NewPCG(seed, 63)), 6+int(seed), 10+int(seed))
		f := &conformance.Fixture{Name: fmt.Sprintf("seed %d", seed), Problem: in.problem, Compact: in.compact(), Hybrid: hybridOf(t, in, seed)}
		conformance.RunHybrid(t, f, seed, &total)
	}
	if total.Phased < 4 {
		t.Errorf("%+v: the first phase ended nearly all", total)
	}
}

// hybridOf returns the hybrid of an instance with random weights, some of them spoilt, after hardly any preparation.
func hybridOf(t testing.TB, in *Instance, seed uint64) func(context.Context, benders.Options) (*benders.Result, error) {
	m, err := proxy.New(network{}, []int{8}, seed)
	if err != nil {
		t.Fatal(err)
	}
	if seed%2 == 1 {
		spoil(m, rand.New(rand.NewPCG(seed, 62)))
	}
	return func(ctx context.Context, o benders.Options) (*benders.Result, error) {
		p := newProgram(in)
		p.dual.Steps, p.dual.Kicks, p.dual.Probe = 1, 0, 0
		return decompose.Solve(ctx, p.hooks(), decompose.Options{Method: decompose.Hybrid, Scheme: decompose.Auto, Model: m, Benders: o})
	}
}
