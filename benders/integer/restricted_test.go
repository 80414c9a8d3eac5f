package integer_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
)

// TestPointsTogether counts the programs on which the search over the values of all points finds a better design, and
// holds every design against the extensive form. The same numbers of one and two threads are the same bits.
func TestPointsTogether(t *testing.T) {
	found := 0
	for seed := range uint64(60) {
		p := random(rand.New(rand.NewPCG(seed, 5)), mixed+int(seed%2))
		want, err := extensive(t.Context(), p)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}

		var costs, bounds [2]float64
		for k := range costs {
			o := decompose.DefaultOptions()
			o.Threads = k + 1
			o.Benders.MaxNodes = 20000
			o.Log = func(line string) {
				if strings.HasPrefix(line, "points of scenarios together") {
					found++
				}
			}
			got, err := decomposed(t.Context(), p, o)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			costs[k] = got.Objective
			bounds[k] = got.Bound
			if got.Design == nil {
				continue
			}
			if cost := price(t, p, got.Design); !(math.Abs(cost-got.Objective) <= 1e-5*max(1, math.Abs(cost))) {
				t.Errorf("seed %d: the design costs %v, not %v", seed, cost, got.Objective)
			}
			if beyond := got.Objective - want.Objective; beyond < -1e-5*max(1, math.Abs(want.Objective)) && !p.Core.Maximize {
				t.Errorf("seed %d: a cost of %v, and the optimum is %v", seed, got.Objective, want.Objective)
			}
		}
		same := func(v [2]float64) bool { return math.Float64bits(v[0]) == math.Float64bits(v[1]) }
		if !same(costs) || !same(bounds) {
			t.Errorf("seed %d: costs %v and bounds %v of one and two threads", seed, costs, bounds)
		}
	}
	if found == 0 {
		t.Error("no program had a better design from its points")
	}
}
