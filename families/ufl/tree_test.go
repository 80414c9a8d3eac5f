package ufl

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/families"
)

func TestBranchAndBoundAgainstBruteForce(t *testing.T) {
	nodes := 0
	seeds(t, 25, func(t *testing.T, rng *rand.Rand, in *Instance) {
		best, _ := bruteForce(in)
		optimum := float(best)
		start := Design{Open: []int32{int32(rng.IntN(in.Facilities))}} // any design, its cost not filled in
		for range 3 {
			o := DefaultTreeOptions()
			r, err := BranchAndBound(context.Background(), in, start, adversarialDuals(rng, in), o)
			if err != nil {
				t.Fatal(err)
			}
			nodes += r.Nodes
			if r.Design.Cost != in.TotalCost(r.Design.Open) || !r.Complete {
				t.Fatalf("%+v", r)
			}
			if !(r.Design.Cost <= optimum*(1+2*o.Gap)+1e-300) || rat(r.Bound).Cmp(best) > 0 || !(r.Bound >= r.Design.Cost*(1-2*o.Gap)-1e-300) {
				t.Fatalf("design %g, bound %g, optimum %g", r.Design.Cost, r.Bound, optimum)
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
		in, err := Generate(CustomClass(50, 60), seed)
		if err != nil {
			t.Fatal(err)
		}
		pi, open := Ascent(in, 0)
		r, err := BranchAndBound(context.Background(), in, Design{Open: open}, pi, DefaultTreeOptions())
		if err != nil {
			t.Fatal(err)
		}
		d, err := searchBest(context.Background(), in, SearchOptions{Seed: seed, Kicks: 3000, Stall: 3000})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Complete || r.Bound > d.Cost || r.Design.Cost > d.Cost*(1+1e-6) {
			t.Errorf("seed %d: %+v, the search found %g", seed, r, d.Cost)
		}
	}
}

func TestBranchAndBoundStopsEarly(t *testing.T) {
	in, err := Generate(CustomClass(80, 80), 1)
	if err != nil {
		t.Fatal(err)
	}
	pi, open := Ascent(in, 0)
	start := Design{Open: open}
	full, err := BranchAndBound(context.Background(), in, start, pi, DefaultTreeOptions())
	if err != nil || !full.Complete || full.Nodes < 5 {
		t.Fatalf("%+v %v", full, err)
	}
	o := DefaultTreeOptions()
	o.MaxNodes = 2
	r, err := BranchAndBound(context.Background(), in, start, pi, o)
	if err != nil || r.Complete || r.Bound > full.Design.Cost || r.Bound < 0.5*full.Design.Cost {
		t.Errorf("two nodes: %+v %v", r, err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	r, err = BranchAndBound(cancelled, in, start, pi, DefaultTreeOptions())
	if err != nil || r.Complete || r.Bound > full.Design.Cost || r.Design.Cost != in.TotalCost(r.Design.Open) {
		t.Errorf("cancelled: %+v %v", r, err)
	}
	for _, o := range []TreeOptions{{Gap: -1}, {Gap: 1}, {Gap: math.NaN()}, {MaxNodes: -1}} {
		if _, err := BranchAndBound(context.Background(), in, start, pi, o); !errors.Is(err, families.ErrOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := BranchAndBound(context.Background(), in, Design{}, pi, o); !errors.Is(err, families.ErrOptions) {
		t.Errorf("no start: %v", err)
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
		pi, open := Ascent(in, 0)
		d, err := SearchFrom(context.Background(), in, DefaultSearchOptions(), open)
		if err != nil {
			t.Fatal(err)
		}
		r, err := BranchAndBound(context.Background(), in, d, pi, DefaultTreeOptions())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: cost %.6f, bound %.6f, %d nodes", name, r.Design.Cost, r.Bound, r.Nodes)
		if !r.Complete || !(math.Abs(r.Design.Cost-values[name]) <= 2e-6*values[name]) {
			t.Errorf("%s: %+v, published %g", name, r, values[name])
		}
	}
}
