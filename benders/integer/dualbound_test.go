package integer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
)

// TestDualBoundHoldsForAnyMultipliers takes multipliers at random, some of them NaN or infinite and most with another sum
// than the costs, and holds what they prove against the cheapest design by enumeration.
func TestDualBoundHoldsForAnyMultipliers(t *testing.T) {
	finiteBounds := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 11))
		p, r := prepared(t, binaryProgram(rng))
		best := math.Inf(1)
		for _, y := range designs(len(p.master.Cols)) {
			if _, feasible, err := r.price(t.Context(), y, math.Inf(1)); err != nil || !feasible {
				t.Fatal(feasible, err)
			}
			best = min(best, p.master.Evaluate(y)+r.upper())
		}

		run := &run{p: p, base: p.relaxed.Program(), best: math.Inf(1), pricer: r}
		start := decompose.NoStart()
		d := newScenarioDual(run, r, &start, benders.DefaultOptions())
		d.nodes = 1 + rng.IntN(3)
		for _, centred := range []bool{false, true} {
			pi := make([][]float64, len(p.weight))
			for s := range pi {
				for range p.master.Cols {
					v := []float64{rng.NormFloat64() * 5, 1e6 * rng.NormFloat64(), math.NaN(), math.Inf(1)}[min(3, rng.IntN(16))]
					pi[s] = append(pi[s], v)
				}
			}
			if centred {
				pi = d.centred(pi)
			} else {
				for s := range pi {
					pi[s] = finite(pi[s])
				}
			}
			found, err := d.evaluate(t.Context(), pi)
			if err != nil {
				t.Fatal(err)
			}
			planes := make([]plane, len(found))
			for s := range found {
				planes[s] = found[s].plane
				if planes[s].z == nil {
					planes[s].z = make([]float64, len(d.f))
				}
			}
			bound := d.total(planes)
			if !math.IsInf(bound, 0) {
				finiteBounds++
			}
			if !(bound <= best+1e-7*max(1, math.Abs(best))) {
				t.Errorf("seed %d: %v proves %v, and the optimum is %v", seed, pi, bound, best)
			}
		}
	}
	if finiteBounds < 60 {
		t.Errorf("only %d finite bounds", finiteBounds)
	}
}
