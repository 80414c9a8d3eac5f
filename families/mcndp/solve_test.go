package mcndp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/internal/countdown"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// random returns a small instance that may be infeasible.
func random(seed uint64) *Instance {
	rng := rand.New(rand.NewPCG(seed, 1))
	nodes := 3 + rng.IntN(4)
	c := class{Nodes: nodes, Arcs: min(nodes*(nodes-1), nodes+rng.IntN(5)), Commodities: 1 + rng.IntN(6),
		FixedRatio: fixedRatios[rng.IntN(3)], Tightness: 1.3 * float64(1+rng.IntN(3))}
	in := c.draw(rng)
	in.Name = fmt.Sprintf("random%d", seed)
	return in
}

// quietStart are options of a start that nobody follows.
var quietStart = decompose.StartOptions{Report: func(float64, float64, bool) {}}

// exactOptions ask for the optimum.
func exactOptions() decompose.Options {
	o := decompose.DefaultOptions()
	o.Benders.Gap = 0
	return o
}

// brute prices all designs with the recourse.
func brute(t *testing.T, in *Instance) float64 {
	r := mustRecourse(t, in)
	best, n := math.Inf(1), in.arcs()
	y := make([]float64, n)
	for mask := range 1 << n {
		for j := range y {
			y[j] = float64(mask >> j & 1)
		}
		if q, feasible, err := r.Solve(context.Background(), y); err != nil {
			t.Fatal(err)
		} else if feasible {
			best = min(best, in.fixedCost(y)+q)
		}
	}
	return best
}

func mustRecourse(t testing.TB, in *Instance) *recourseSolver {
	t.Helper()
	r, err := newRecourse(in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) || math.IsInf(a, 1) && math.IsInf(b, 1)
}

// flows stands for the scheme auto whose master has no node, so that the tree over designs and flows does it all.
const flows decompose.Scheme = "flows"

// TestExactEqualsBruteForce solves small instances by every scheme, with and without heuristics, and compares with all
// designs.
func TestExactEqualsBruteForce(t *testing.T) {
	for seed := range uint64(40) {
		in := random(seed)
		want := brute(t, in)
		for _, scheme := range []decompose.Scheme{decompose.Auto, decompose.BBC, decompose.Outer, decompose.Dual, flows} {
			for _, heuristic := range []bool{true, false} {
				p := (&program{in: in, sets: in.cutSets(cutset.Proven), dual: dualOptions}).hooks()
				o := exactOptions()
				if o.Scheme, o.Benders.Heuristic = scheme, heuristic; scheme == flows {
					o.Scheme, p.Preparation.Rest.Nodes = decompose.Auto, 0
				}
				r, err := decompose.Solve(context.Background(), p, o)
				if err != nil {
					t.Fatalf("seed %d scheme %s: %v", seed, scheme, err)
				}
				checkOptimal(t, in, r, want)
			}
		}
	}
}

// checkOptimal compares a result with the optimum, +Inf for none.
func checkOptimal(t *testing.T, in *Instance, r *benders.Result, want float64) {
	t.Helper()
	if math.IsInf(want, 1) {
		if r.Status != lp.Infeasible {
			t.Errorf("%s: status %v, want infeasible", in.Name, r.Status)
		}
		return
	}
	if r.Status != lp.Optimal || !near(r.Objective, want) || r.Bound > want*(1+1e-9) {
		t.Errorf("%s: %v, objective %.9g, bound %.9g, want %.9g", in.Name, r.Status, r.Objective, r.Bound, want)
		return
	}
	q, feasible, err := mustRecourse(t, in).Solve(context.Background(), r.Design)
	if err != nil || !feasible || !near(in.fixedCost(r.Design)+q, r.Objective) {
		t.Errorf("%s: the design costs %g, not %g (%v)", in.Name, in.fixedCost(r.Design)+q, r.Objective, err)
	}
}

// TestExactEqualsFull compares with branch and cut on the compact model.
func TestExactEqualsFull(t *testing.T) {
	for seed := range uint64(6) {
		c := class{Nodes: 6, Arcs: 14, Commodities: 8, FixedRatio: fixedRatios[seed%3], Tightness: 1 + float64(seed%2)}
		in, err := generate(context.Background(), c, seed)
		if err != nil {
			t.Fatal(err)
		}
		o := decompose.Options{Method: decompose.Full, Scheme: decompose.Auto, Benders: benders.DefaultOptions()}
		o.Benders.Gap, o.Benders.TimeLimit = 0, 5*time.Minute
		full, err := pipeline.Solve(context.Background(), in, o)
		if err != nil || full.Status != lp.Optimal {
			t.Fatalf("%s: %v %v", in.Name, full, err)
		}
		r, err := pipeline.Solve(context.Background(), in, exactOptions())
		if err != nil {
			t.Fatal(err)
		}
		checkOptimal(t, in, r, full.Objective)
	}
}

// TestRootBound compares the bound of the root, without branching, with the strong linear relaxation and its cut-set
// rows.
func TestRootBound(t *testing.T) {
	for seed := range uint64(4) {
		in, err := generate(context.Background(), class{Nodes: 6, Arcs: 18, Commodities: 10, FixedRatio: 0.05, Tightness: 1.5}, seed)
		if err != nil {
			t.Fatal(err)
		}
		relaxed, err := simplex.Solve(context.Background(), in.compact(), simplex.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		o := exactOptions()
		o.Benders.MaxNodes, o.Benders.RootRounds, o.Benders.Heuristic = 1, 1000, false
		o.Benders.InOut.Stalls = 20
		r, err := pipeline.Solve(context.Background(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		if !(r.Bound >= relaxed.Objective*(1-1e-5)) {
			t.Errorf("%s: root bound %.9g, strong relaxation %.9g", in.Name, r.Bound, relaxed.Objective)
		}
	}
}

// TestRecourseAgainstCompact compares the recourse at fractional points with the compact model at fixed y.
func TestRecourseAgainstCompact(t *testing.T) {
	for seed := range uint64(20) {
		in := random(seed)
		rng := rand.New(rand.NewPCG(seed, 2))
		model := in.compact()
		model.Rows = append([]lp.Row(nil), model.Rows...)
		for i := range in.Master().Rows { // they speak of designs, not of the recourse
			model.Rows[i].Lower = math.Inf(-1)
		}
		r := mustRecourse(t, in)
		for range 5 {
			fixed, y := model.Clone(), make([]float64, in.arcs())
			for j := range y {
				y[j] = min(1, 1.5*rng.Float64())
				fixed.Cols[j].Lower, fixed.Cols[j].Upper, fixed.Cols[j].Integer = y[j], y[j], false
			}
			want, err := simplex.Solve(context.Background(), fixed, simplex.DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			q, feasible, err := r.Solve(context.Background(), y)
			if err != nil {
				t.Fatal(err)
			}
			if feasible != (want.Status == lp.Optimal) || feasible && !near(q+in.fixedCost(y), want.Objective) {
				t.Errorf("seed %d: %g (%v), the compact model says %g (%v)", seed, q+in.fixedCost(y), feasible, want.Objective, want.Status)
			}
			u := make([]float64, in.size())
			short, err := r.Shortage(context.Background(), y, u)
			if err != nil {
				t.Fatal(err)
			}
			if feasible != (short <= 1e-9) {
				t.Errorf("seed %d: feasible %v, and a shortage of %g", seed, feasible, short)
			}
		}
	}
}

// TestLimits stops runs at once: statuses, never errors.
func TestLimits(t *testing.T) {
	in, err := generate(context.Background(), class{Nodes: 10, Arcs: 35, Commodities: 20, FixedRatio: 0.1, Tightness: 2}, 3)
	if err != nil {
		t.Fatal(err)
	}
	o := decompose.DefaultOptions()
	o.Benders.TimeLimit = 0
	if r, err := pipeline.Solve(context.Background(), in, o); err != nil || r.Status != lp.TimeLimit {
		t.Errorf("no time: %v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := pipeline.Solve(ctx, in, decompose.DefaultOptions()); err != nil || r.Status != lp.Interrupted {
		t.Errorf("cancelled: %v, %v", r, err)
	}
}

// TestPreparationKeepsItsDesign interrupts the preparation of a run at many moments: once a design was priced, the run
// returns one, with what it costs and a bound.
func TestPreparationKeepsItsDesign(t *testing.T) {
	in := class{Nodes: 7, Arcs: 22, Commodities: 12, FixedRatio: fixedRatios[1], Tightness: 1.3}.draw(rand.New(rand.NewPCG(1, 2)))
	whole, err := pipeline.Solve(context.Background(), in, exactOptions())
	if err != nil || whole.Status != lp.Optimal {
		t.Fatal(whole, err)
	}
	kept := 0
	for calls := range 60 {
		pre, err := prepare(countdown.After(7*calls), in, in.cutSets(cutset.Proven), quietStart, dualOptions)
		if err != nil {
			t.Fatal(err)
		}
		if best := pre.search.Best; pre.Bound > whole.Objective*(1+1e-9) || best.Cost < whole.Objective*(1-1e-9) {
			t.Errorf("after %d calls: a design of %v; bound %v, optimum %v", calls, best.Cost, pre.Bound, whole.Objective)
		}
		if pre.search.Best.Y != nil {
			kept++
		}
	}
	if kept < 10 {
		t.Errorf("%d interrupted preparations had a design", kept)
	}
}
