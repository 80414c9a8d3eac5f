package cap

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

// cutsAt notes at which designs a run was given violated cuts.
type cutsAt map[string]int

func (c cutsAt) Separated(p benders.Point, _ *benders.Separation, violated []benders.Cut) {
	if len(violated) > 0 {
		c[fmt.Sprint(p.Y)]++
	}
}

// TestProxyCutsAreBounded holds proxy runs against the paper's remark 4 and proposition 4: with a deterministic
// separator that makes one cut for each design, and asked at designs alone, a run adds at most |Y| cuts, none twice for
// a design, and ends at a fixed point, or with a proof.
func TestProxyCutsAreBounded(t *testing.T) {
	highest, fixed := 0.0, 0
	for seed := range uint64(80) {
		rng := rand.New(rand.NewPCG(seed, 111))
		in := randomInstance(rng, 2+rng.IntN(5), 1+rng.IntN(8))
		if math.IsInf(brute(t, in), 1) || in.TotalDemand() == 0 {
			continue
		}
		designs := 0
		eachDesign(in.Facilities, func(y []float64) {
			open := 0.0
			for j, v := range y {
				open += v * in.Capacity[j]
			}
			if open >= in.TotalDemand()*(1-1e-9) {
				designs++
			}
		})
		m := paperModel(t, in, seed)
		if seed%3 == 0 {
			spoil(m, rng)
		}
		for _, scheme := range []decompose.Scheme{decompose.BBC, decompose.Outer} {
			at := cutsAt{}
			o := decompose.DefaultOptions()
			o.Scheme, o.InOut = scheme, 1
			o.Benders.Heuristic, o.Benders.TrueCost, o.Benders.Fractional, o.Benders.Recorder = false, false, benders.Never, at
			o.Benders.Gap = 0
			r, err := pipeline.Solve(context.Background(), in, withModel(o, decompose.Proxy, m))
			if err != nil {
				t.Fatal(err)
			}
			if r.Cuts.Optimality > designs || r.Cuts.User+r.Cuts.Feasibility > 0 || len(at) != r.Cuts.Optimality ||
				r.Status != lp.FixedPoint && r.Status != lp.Optimal {
				t.Errorf("seed %d %s: %v after %+v at %d designs of %d", seed, scheme, r.Status, r.Cuts, len(at), designs)
			}
			highest = max(highest, float64(r.Cuts.Optimality)/float64(designs))
			if r.Status == lp.FixedPoint {
				fixed++
			}
		}
	}
	if highest < 0.5 || fixed == 0 {
		t.Errorf("at most %.0f%% of the designs had a cut, %d runs ended at a fixed point: the test proves too little", 100*highest, fixed)
	}
}
