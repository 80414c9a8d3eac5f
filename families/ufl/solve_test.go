package ufl

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

// TestSchemesEqualBruteForce solves tiny instances of every kind, forbidden pairs among them, by every scheme with
// either exact separation, with and without the heuristic, and compares with the enumeration of all designs.
func TestSchemesEqualBruteForce(t *testing.T) {
	seeds(t, 12, func(t *testing.T, _ *rand.Rand, in *Instance) {
		best, _ := bruteForce(in)
		optimum := float(best)
		for _, method := range []decompose.Method{decompose.Exact, decompose.Aggregated} {
			for _, scheme := range []decompose.Scheme{decompose.Auto, decompose.BBC, decompose.Outer, decompose.Dual} {
				if method == decompose.Aggregated && scheme == decompose.Dual {
					continue
				}
				for _, heuristic := range []bool{true, false} {
					o := decompose.DefaultOptions()
					o.Method, o.Scheme, o.Benders.Heuristic, o.Benders.Gap = method, scheme, heuristic, 1e-6
					r, err := pipeline.Solve(context.Background(), in, o)
					if err != nil {
						t.Fatalf("%s %v %v: %v", method, scheme, heuristic, err)
					}
					slack := 2e-6 * math.Abs(optimum)
					if r.Status != lp.Optimal || !(math.Abs(r.Objective-optimum) <= slack) || !(r.Bound <= optimum+slack) {
						t.Errorf("%s %v %v: %v, cost %v, bound %v, optimum %v", method, scheme, heuristic, r.Status, r.Objective, r.Bound, optimum)
					}
					if r.Design == nil || in.TotalCost(instance.Open(r.Design)) != r.Objective && !near(in.TotalCost(instance.Open(r.Design)), r.Objective) {
						t.Errorf("%s %v %v: the design does not cost %v", method, scheme, heuristic, r.Objective)
					}
				}
			}
		}
	})
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// TestCapCosts checks that capping changes no design that can be optimal, and leaves tame instances alone.
func TestCapCosts(t *testing.T) {
	seeds(t, 30, func(t *testing.T, _ *rand.Rand, in *Instance) {
		known := in.TotalCost(greedy(in))
		capped := capCosts(in, known)
		if err := capped.Validate(); err != nil {
			t.Fatal(err)
		}
		eachDesign(in.Facilities, func(open []int32) {
			before, after := in.TotalCost(open), capped.TotalCost(open)
			if after > before || before <= known && after != before || before > known && !(after > known) {
				t.Errorf("design %v costs %v, capped %v, known %v", open, before, after, known)
			}
		})
	})
	in, err := generate(customClass(10, 10), 1)
	if err != nil {
		t.Fatal(err)
	}
	if capCosts(in, in.TotalCost(greedy(in))) != in {
		t.Error("an instance without forbidden pairs was copied")
	}
}

// TestSolveStops checks every way to stop early: a status, a design, and a bound that holds.
func TestSolveStops(t *testing.T) {
	in, err := generate(customClass(60, 60), 4)
	if err != nil {
		t.Fatal(err)
	}
	full, err := pipeline.Solve(context.Background(), in, decompose.DefaultOptions())
	if err != nil || full.Status != lp.Optimal {
		t.Fatalf("%+v, %v", full, err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		set    func(*decompose.Options)
		status lp.Status
	}{
		{"cancelled", cancelled, func(*decompose.Options) {}, lp.Interrupted},
		{"cancelled dual tree", cancelled, func(o *decompose.Options) { o.Scheme = decompose.Dual }, lp.Interrupted},
		{"no time", context.Background(), func(o *decompose.Options) { o.Benders.TimeLimit = 0 }, lp.TimeLimit},
		{"no time, dual tree", context.Background(), func(o *decompose.Options) { o.Scheme, o.Benders.TimeLimit = decompose.Dual, time.Nanosecond }, lp.TimeLimit},
		{"no nodes", context.Background(), func(o *decompose.Options) { o.Scheme, o.Benders.MaxNodes = decompose.Dual, 0 }, lp.NodeLimit},
	} {
		o := decompose.DefaultOptions()
		c.set(&o)
		r, err := pipeline.Solve(c.ctx, in, o)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if r.Status != c.status && r.Status != lp.Optimal || r.Bound > full.Objective*(1+1e-9) || r.Objective < full.Objective*(1-1e-9) {
			t.Errorf("%s: %v, cost %v, bound %v; the optimum is %v", c.name, r.Status, r.Objective, r.Bound, full.Objective)
		}
	}
	o := decompose.DefaultOptions()
	o.Benders.Gap = -1
	if _, err := pipeline.Solve(context.Background(), in, o); !errors.Is(err, benders.ErrOptions) {
		t.Errorf("a negative gap: %v", err)
	}
	if _, err := pipeline.Solve(context.Background(), &Instance{&location.Location{}}, decompose.DefaultOptions()); !errors.Is(err, instance.ErrInstance) {
		t.Errorf("an empty instance: %v", err)
	}
}

// TestNodeLimitOfAuto holds the dual tree and the master together to the nodes of the run.
func TestNodeLimitOfAuto(t *testing.T) {
	c, err := classOf("MO") // with a gap that the preparation leaves open
	if err != nil {
		t.Fatal(err)
	}
	in, err := generate(c, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{0, 1, 5, 20} {
		o := decompose.DefaultOptions()
		o.Benders.Gap, o.Benders.MaxNodes = 1e-6, limit
		p := newProgram(in).hooks()
		p.Preparation.Tree.Nodes = 5
		r, err := decompose.Solve(context.Background(), p, o)
		if err != nil || r.Nodes > limit || r.Status != lp.NodeLimit && r.Status != lp.Optimal || limit == 0 && r.Status != lp.NodeLimit {
			t.Errorf("%d nodes: %v after %d, %v", limit, r.Status, r.Nodes, err)
		}
	}
}
