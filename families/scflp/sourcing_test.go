package scflp_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/families/scflp"
	"github.com/proxybd/proxybd/lp"
)

// cheapest returns the least cost of serving all customers from j on, each from one open facility with room for it, by
// enumeration; +Inf where that cannot be.
func cheapest(d *scflp.Data, open int, demand, room []float64, j int) float64 {
	if j == d.Customers {
		return 0
	}
	best := math.Inf(1)
	for i := range d.Facilities {
		if open>>i&1 == 0 || room[i] < demand[j] {
			continue
		}
		room[i] -= demand[j]
		best = min(best, d.Cost[i][j]*demand[j]+cheapest(d, open, demand, room, j+1))
		room[i] += demand[j]
	}
	return best
}

// enumerated returns the least cost of all designs.
func enumerated(d *scflp.Data) float64 {
	best := math.Inf(1)
	for open := range 1 << d.Facilities {
		cost := 0.0
		for i, f := range d.Fixed {
			if open>>i&1 == 1 {
				cost += f
			}
		}
		for _, demand := range d.Demand {
			cost += cheapest(d, open, demand, append([]float64(nil), d.Capacity...), 0) / float64(d.Scenarios)
		}
		best = min(best, cost)
	}
	return best
}

// TestSingleSourcingAgainstEnumeration solves small instances with little room, some of which have no design, by several
// methods. What a solution says of a design agrees with its cost.
func TestSingleSourcingAgainstEnumeration(t *testing.T) {
	infeasible, dearer := 0, 0
	for seed := range uint64(30) {
		in, err := scflp.Generate("5x4:3", seed)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		d := *in.Data
		d.Single = true
		d.Capacity = nil
		for range d.Facilities {
			d.Capacity = append(d.Capacity, float64(25+rng.IntN(30)))
		}
		for s := range d.Demand {
			for j := range d.Demand[s] {
				d.Demand[s][j] = math.Round(d.Demand[s][j])
			}
		}
		if in, err = scflp.New("single", &d); err != nil {
			t.Fatal(err)
		}
		want := enumerated(&d)

		for _, method := range []decompose.Method{decompose.Exact, decompose.Full, decompose.Decoupled} {
			o := decompose.DefaultOptions()
			o.Method = method
			o.Threads = 1
			got, err := pipeline.Solve(t.Context(), in, o)
			if err != nil {
				t.Errorf("seed %d, %s: %v", seed, method, err)
				continue
			}
			if math.IsInf(want, 1) {
				infeasible++
				if got.Design != nil || method != decompose.Decoupled && got.Status != lp.Infeasible {
					t.Errorf("seed %d, %s: %v, and there is no design", seed, method, got.Status)
				}
				continue
			}
			if got.Bound > want*(1+1e-6) || got.Objective < want*(1-1e-6) {
				t.Errorf("seed %d, %s: %v to %v, and the optimum is %v", seed, method, got.Bound, got.Objective, want)
			}
			if method != decompose.Decoupled && !(math.Abs(got.Objective-want) <= 1.1e-4*want) {
				t.Errorf("seed %d, %s: %v %v, and the optimum is %v", seed, method, got.Status, got.Objective, want)
			}
			if method != decompose.Exact {
				continue
			}
			solution, err := in.Explain(t.Context(), got.Design)
			if err != nil || !(math.Abs(solution.Total()-got.Objective) <= 1e-6*want) {
				t.Errorf("seed %d: the solution costs %v, %v", seed, solution, err)
			}
		}

		// With split demands nothing is more expensive.
		d.Single = false
		split, err := scflp.New("split", &d)
		if err != nil {
			t.Fatal(err)
		}
		got, err := pipeline.Solve(t.Context(), split, decompose.DefaultOptions())
		if err != nil || got.Objective > want*(1+1e-4) {
			t.Errorf("seed %d: split demands cost %v, single sourcing %v, %v", seed, got.Objective, want, err)
		}
		if got.Objective < want*(1-1e-3) {
			dearer++
		}
	}
	if infeasible == 0 || dearer == 0 {
		t.Errorf("%d infeasible runs, %d instances where single sourcing costs more", infeasible, dearer)
	}
}

// TestSingleSourcingIsKept reads an instance with the option, and writes and reads it without.
func TestSingleSourcingIsKept(t *testing.T) {
	in, err := scflp.Generate("4x3:2", 1)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.json")
	if err := pipeline.Write(path, in); err != nil {
		t.Fatal(err)
	}
	single, err := scflp.Family.Read(path, families.ReadOptions{Set: map[string]string{"single-sourcing": "true"}})
	if err != nil || single.Hash() == in.Hash() {
		t.Fatalf("the option changes nothing: %v", err)
	}
	if err := pipeline.Write(path, single); err != nil {
		t.Fatal(err)
	}
	back, err := scflp.Family.Read(path, families.ReadOptions{})
	if err != nil || back.Hash() != single.Hash() || back.Label() != single.Label() {
		t.Errorf("read back: %v", err)
	}
}
