package ufl

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

// TestPaperRuns solves tiny instances by the paper's scheme and by its classic one, with aggregated cuts and with one a
// client: exact runs end at the optimum, bounds of untrained and spoilt networks hold, only the paper's scheme prices
// the designs that it visits, and classic runs add no cut at a fractional point.
func TestPaperRuns(t *testing.T) {
	separate := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 91))
		in := randomInstance(rng, 2+rng.IntN(5), 1+rng.IntN(8), "integer")
		best, _ := bruteForce(in)
		want, _ := best.Float64()
		m, _, err := pipeline.NewModel(Family, in, families.ModelOptions{Preset: families.Paper, Hidden: []int{12}, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if seed%2 == 0 {
			spoil(m, rng)
		}
		for _, scheme := range []decompose.Scheme{decompose.Paper, decompose.Classic} {
			for _, cuts := range append([]decompose.Cuts{decompose.CutsAuto}, decompose.CutsChoices...) {
				o := decompose.DefaultOptions()
				o.Method, o.Scheme, o.Model, o.ProxyCuts = decompose.Proxy, scheme, m, cuts
				o.Benders.Gap = 1e-6
				r, err := pipeline.Solve(context.Background(), in, o)
				if err != nil {
					t.Fatal(err)
				}
				slack := 1e-6 * max(1, want)
				if r.Bound > want+slack || !(r.Objective >= want-slack) || r.Cuts.User != 0 || (r.Pricing > 0) != (scheme == decompose.Classic) {
					t.Errorf("seed %d %s %s: %v, bound %g, cost %g, optimum %g, %+v", seed, scheme, cuts, r.Status, r.Bound,
						r.Objective, want, r.Cuts)
				}
				if cuts == decompose.Separately && r.Cuts.Optimality > 1 {
					separate++
				}
			}
			o := decompose.DefaultOptions()
			o.Scheme, o.Benders.Gap = scheme, 1e-6
			r, err := pipeline.Solve(context.Background(), in, o)
			if err != nil || r.Status != lp.Optimal || r.Objective > want+1e-6*max(1, want) || scheme == decompose.Classic && r.Cuts.User > 0 {
				t.Errorf("seed %d %s exact: %+v, %v, optimum %g", seed, scheme, r, err, want)
			}
		}
	}
	if separate == 0 {
		t.Error("no run had several cuts")
	}
}
