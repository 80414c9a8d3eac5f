package scenario_test

import (
	"context"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// TestZeroWeights solves random programs in which a scenario has the probability 0, which neither costs nor needs
// anything, as in the deterministic equivalent.
func TestZeroWeights(t *testing.T) {
	seen := map[lp.Status]int{}
	for seed := range uint64(250) {
		p := draw(seed)
		if len(p.Scenarios) < 2 {
			continue
		}
		p.Scenarios[int(seed)%len(p.Scenarios)].Probability = 0
		p.Normalise()
		m, err := p.Extensive()
		if err != nil {
			t.Fatal(err)
		}
		o := bnb.DefaultOptions()
		o.MaxNodes = 20000
		want, err := bnb.Solve(context.Background(), m, o, bnb.Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		if want.Status != lp.Optimal && want.Status != lp.Infeasible && want.Status != lp.Unbounded {
			continue
		}
		seen[want.Status]++
		compare(t, seed, p, m, want, decompose.Exact, true)
		compare(t, seed, p, m, want, decompose.Aggregated, true)
	}
	t.Log(seen)
}
