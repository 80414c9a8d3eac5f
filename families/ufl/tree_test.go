package ufl

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/lp"
)

// tightOptions ask for a gap that no start closes.
func tightOptions() benders.Options {
	o := benders.DefaultOptions()
	o.Gap = 1e-6
	return o
}

func TestBranchAndBoundAgainstBruteForce(t *testing.T) {
	nodes, o := 0, tightOptions()
	seeds(t, 25, func(t *testing.T, rng *rand.Rand, in *Instance) {
		best, _ := bruteForce(in)
		optimum := float(best)
		start := []int32{int32(rng.IntN(in.Facilities))}
		for range 3 {
			r, err := branchAndBound(context.Background(), in, start, adversarialDuals(rng, in), o)
			if err != nil {
				t.Fatal(err)
			}
			nodes += r.Nodes
			if r.Objective != in.TotalCost(instance.Open(r.Design)) || r.Status != lp.Optimal {
				t.Fatalf("%+v", r)
			}
			if !(r.Objective <= optimum*(1+2*o.Gap)+1e-300) || rat(r.Bound).Cmp(best) > 0 || !(r.Bound >= r.Objective*(1-2*o.Gap)-1e-300) {
				t.Fatalf("design %g, bound %g, optimum %g", r.Objective, r.Bound, optimum)
			}
		}
	})
	if nodes < 1000 {
		t.Errorf("%d nodes in all: the tree was hardly used", nodes)
	}
}

// TestBranchAndBoundOnLargerInstances checks against designs of a long search, which no bound may exceed, on instances
// whose trees branch.
func TestBranchAndBoundOnLargerInstances(t *testing.T) {
	for seed := range uint64(6) {
		in, err := generate(customClass(50, 60), seed)
		if err != nil {
			t.Fatal(err)
		}
		r, err := branchAndBound(context.Background(), in, greedy(in), levelDuals(in), tightOptions())
		if err != nil {
			t.Fatal(err)
		}
		d := search(context.Background(), in, searchOptions{Seed: seed, Kicks: 3000, Stall: 3000})
		if r.Status != lp.Optimal || r.Bound > d.Cost || r.Objective > d.Cost*(1+1e-6) {
			t.Errorf("seed %d: %+v, the search found %g", seed, r, d.Cost)
		}
	}
}

func TestBranchAndBoundStopsEarly(t *testing.T) {
	in, err := generate(customClass(80, 80), 1)
	if err != nil {
		t.Fatal(err)
	}
	pi, start, o := levelDuals(in), greedy(in), tightOptions()
	full, err := branchAndBound(context.Background(), in, start, pi, o)
	if err != nil || full.Status != lp.Optimal || full.Nodes < 5 {
		t.Fatalf("%+v %v", full, err)
	}
	few := o
	few.MaxNodes = 2
	r, err := branchAndBound(context.Background(), in, start, pi, few)
	if err != nil || r.Status != lp.NodeLimit || r.Bound > full.Objective || r.Bound < 0.5*full.Objective {
		t.Errorf("two nodes: %+v %v", r, err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	r, err = branchAndBound(cancelled, in, start, pi, o)
	if err != nil || r.Status != lp.Interrupted || r.Bound > full.Objective || r.Objective != in.TotalCost(instance.Open(r.Design)) {
		t.Errorf("cancelled: %+v %v", r, err)
	}
}

// TestBranchAndBoundOnLibrary proves the published values of the M instances optimal; those of MR are given as best
// known only.
func TestBranchAndBoundOnLibrary(t *testing.T) {
	values := optima(t)
	names := []string{"MO1", "MO2", "MO3", "MO4", "MP1", "MP2", "MP3", "MP4", "MQ1", "MQ2", "MQ3", "MQ4"}
	if !testing.Short() {
		names = append(names, "MR1", "MR2", "MR3", "MR4")
	}
	for _, name := range append(names, "BildeKrarup.B1.1", "GalvaoRaggi.150.1", "Euclid.1011EuclS.txt", "Uniform.1023UnifS.txt") {
		in := load(t, name)
		d := search(context.Background(), in, defaultSearch)
		r, err := branchAndBound(context.Background(), in, d.Open, levelDuals(in), tightOptions())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: cost %.6f, bound %.6f, %d nodes", name, r.Objective, r.Bound, r.Nodes)
		if r.Status != lp.Optimal || !(math.Abs(r.Objective-values[name]) <= 2e-6*values[name]) {
			t.Errorf("%s: %+v, published %g", name, r, values[name])
		}
	}
}
