package integer_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
)

// TestPointsTogether counts how often the search over the values of all points, and linear programs with fixed integer
// columns, find a better design, and holds every design against the extensive form. The numbers of one and two threads
// are the same bits.
func TestPointsTogether(t *testing.T) {
	found := map[string]int{}
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
				if what, _, ok := strings.Cut(line, " together: "); ok {
					found[what]++
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
	if found["points of scenarios"] == 0 || found["continuous columns"] == 0 {
		t.Errorf("better designs: %v", found)
	}
}
