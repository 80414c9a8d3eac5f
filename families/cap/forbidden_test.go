package cap

import (
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders/conformance"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/familytest"
)

// forbid forbids pairs of an instance at random, each with the same probability.
func forbid(rng *rand.Rand, in *Instance, part float64) *Instance {
	familytest.Forbid(rng, in.Location, part)
	in.penalise()
	return in
}

// TestForbiddenConformance runs the suite of all families on instances whose facilities may not serve some clients:
// exact runs, certificates in rationals, feasibility cuts, the strongest completion, proxies with any weights.
func TestForbiddenConformance(t *testing.T) {
	var total conformance.Count
	for seed := range uint64(16) {
		rng := rand.New(rand.NewPCG(seed, 71))
		in := forbid(rng, randomInstance(rng, 3+rng.IntN(4), 2+rng.IntN(7)), 0.3)
		conformance.Run(t, fixtureOf(t, in, seed), seed, &total)
	}
	t.Logf("%+v", total)
	if total.Cuts < 300 || total.Infeasible < 10 || total.Strongest < 5 {
		t.Errorf("%+v: the suite had little to look at", total)
	}
}

// TestForbiddenAgainstCompact compares runs with the whole model, where the forbidden columns are fixed.
func TestForbiddenAgainstCompact(t *testing.T) {
	feasible, reasons := familytest.AgainstCompact(t, 300, func(seed uint64) families.Instance {
		rng := rand.New(rand.NewPCG(seed, 72))
		return forbid(rng, randomInstance(rng, 1+rng.IntN(7), 1+rng.IntN(8)), 0.6*rng.Float64())
	})
	t.Log(feasible, reasons)
	if feasible < 80 || reasons["client"] < 10 || reasons["clients"] < 10 {
		t.Errorf("%d feasible, reasons %v: little to look at", feasible, reasons)
	}
}
