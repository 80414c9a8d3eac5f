package benders_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// TestHybridEndsOptimal mixes a separator of weak but valid cuts with the exact one: both are used, and unlike
// the weak one alone the run ends with a proven gap.
func TestHybridEndsOptimal(t *testing.T) {
	var total benders.Uses
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 4))
		s := randomSite(rng, 3+rng.IntN(6), 3+rng.IntN(5), seed%2 == 1)
		want := s.brute()
		if math.IsInf(want, 1) {
			continue
		}
		for _, d := range drivers {
			opt := benders.DefaultOptions()
			opt.Gap = 0
			noise := rand.New(rand.NewPCG(seed, 5))
			weak := &separator{site: s, choose: func(_ int, exact float64) float64 { return exact * noise.Float64() }}
			strong := &separator{site: s, choose: identity, exact: true}
			r, err := d.solve(context.Background(), s.problem(false), benders.NewHybrid(weak, strong, opt.Violation), opt)
			if err != nil {
				t.Fatalf("seed %d %s: %v", seed, d.name, err)
			}
			if r.Status != lp.Optimal || !near(r.Objective, want) {
				t.Errorf("seed %d %s: %v objective %v, want %v", seed, d.name, r.Status, r.Objective, want)
			}
			total.Quick += r.Uses.Quick
			total.Thorough += r.Uses.Thorough
			if r.Uses.Thorough != strong.calls || r.Uses.Quick+r.Uses.Thorough != weak.calls {
				t.Errorf("seed %d %s: uses %+v, calls %d and %d", seed, d.name, r.Uses, weak.calls, strong.calls)
			}
		}
	}
	if total.Quick < 40 || total.Thorough < 40 {
		t.Errorf("uses %+v: one of the two had nothing to do", total)
	}
}
