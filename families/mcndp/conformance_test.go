package mcndp

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/conformance"
	"github.com/proxybd/proxybd/benders/proxy"
)

// TestConformance runs the suite that all families share.
func TestConformance(t *testing.T) {
	var total conformance.Count
	for seed := range uint64(8) {
		in := random(seed)
		c := NewCertifier(in, Penalty(in))
		f := &conformance.Fixture{
			Name:    fmt.Sprintf("seed %d", seed),
			Problem: in.Problem,
			Compact: in.Compact(),
			Exact: func() benders.Separator {
				e, err := NewExact(in)
				if err != nil {
					t.Fatal(err)
				}
				return e
			},
			Certifier: func() proxy.Certifier { return NewHeads(in, Penalty(in)) },
			Check:     func(cut *benders.Cut) error { return Check(in, cut) },
			Predict: func(rng *rand.Rand, _ []float64) []float64 {
				u := make([]float64, in.size())
				for k := range u {
					u[k] = 30 * in.Demand[k%in.Commodities()] * rng.Float64()
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
		first := len(in.Master().Rows)
		for v := range in.Nodes {
			for i, d := range in.Demand {
				f.Predicted, f.Scale = append(f.Predicted, first+i*in.Nodes+v), append(f.Scale, 1/d)
			}
		}
		total.Add(conformance.Run(t, f, seed))
	}
	t.Logf("%+v", total)
	if total.Cuts < 200 || total.Projected == 0 || total.Smooth < 30 || total.Strongest < 10 {
		t.Errorf("%+v: the suite had little to look at", total)
	}
}
