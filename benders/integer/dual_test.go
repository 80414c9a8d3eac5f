package integer_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/integer"
	"github.com/proxybd/proxybd/lp"
)

// TestDualDecomposition holds the bound and the design of dual decomposition against the extensive form, with integer and
// with continuous recourse, of every kind of first stage: the bound is never beyond the optimum and never worse than that
// of the first round, and the design costs what is said.
func TestDualDecomposition(t *testing.T) {
	closed, found := 0, 0
	const count = 120
	for seed := range uint64(count) {
		p := random(rand.New(rand.NewPCG(seed, 9)), int(seed)%kinds)
		if seed%3 == 0 {
			p = p.ContinuousRecourse()
		}
		want, err := extensive(t.Context(), p)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}

		o := decompose.DefaultOptions()
		o.Method = decompose.Decoupled
		o.Threads = 1
		o.Benders.MaxIterations = 40
		got, err := integer.Solve(t.Context(), p, o)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if want.Status != lp.Optimal {
			if got.Design != nil || got.Status == lp.Optimal {
				t.Errorf("seed %d: %v, and the extensive form is %v", seed, got.Status, want.Status)
			}
			continue
		}
		found++

		// In the sense of a minimisation, bound <= optimum <= cost.
		sign := 1.0
		if p.Core.Maximize {
			sign = -1
		}
		tolerance := 1e-6 * max(1, math.Abs(want.Objective))
		if sign*(got.Bound-want.Objective) > tolerance {
			t.Errorf("seed %d: the bound %v is beyond the optimum %v", seed, got.Bound, want.Objective)
		}
		if got.Design == nil {
			continue
		}
		if sign*(want.Objective-got.Objective) > tolerance {
			t.Errorf("seed %d: a design of cost %v, and the optimum is %v", seed, got.Objective, want.Objective)
		}
		if cost := price(t, p, got.Design); !(math.Abs(cost-got.Objective) <= 1e-5*max(1, math.Abs(cost))) {
			t.Errorf("seed %d: the design costs %v, not %v", seed, cost, got.Objective)
		}
		if math.Abs(got.Objective-want.Objective) <= 1e-4*max(1, math.Abs(want.Objective)) {
			closed++
		}
	}
	t.Logf("%d of %d programs with an optimum have an optimal design", closed, found)
	if found < count/2 || closed < found*3/4 {
		t.Errorf("only %d of %d designs are optimal", closed, found)
	}
}

// TestDualDecompositionIsDeterministic takes the same steps for every number of threads.
func TestDualDecompositionIsDeterministic(t *testing.T) {
	p := random(rand.New(rand.NewPCG(5, 9)), general)
	var first []float64
	for _, threads := range []int{1, 2, 3} {
		o := decompose.DefaultOptions()
		o.Method = decompose.Decoupled
		o.Threads = threads
		o.Benders.Gap = 0
		got, err := integer.Solve(t.Context(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		bits := append([]float64{got.Bound, got.Objective, float64(got.Iterations), float64(got.Visited)}, got.Design...)
		if first == nil {
			first = bits
		}
		if !slices.Equal(first, bits) {
			t.Errorf("%d threads: %v, not %v", threads, bits, first)
		}
	}
}

// TestDualDecompositionEnds stops runs by limits, which are statuses.
func TestDualDecompositionEnds(t *testing.T) {
	p := random(rand.New(rand.NewPCG(5, 9)), general)
	o := decompose.DefaultOptions()
	o.Method = decompose.Decoupled
	o.Benders.TimeLimit = time.Nanosecond
	got, err := integer.Solve(t.Context(), p, o)
	if err != nil || got.Status != lp.TimeLimit {
		t.Errorf("%v, %v", got, err)
	}
	o = decompose.DefaultOptions()
	o.Method = decompose.Decoupled
	o.Benders.MaxIterations = 0
	if got, err = integer.Solve(t.Context(), p, o); err != nil || !(got.Status == lp.IterationLimit || got.Status == lp.Optimal) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestDualDecompositionOfLinearPrograms ends at the optimum where nothing is integer: linear programs have no duality gap.
func TestDualDecompositionOfLinearPrograms(t *testing.T) {
	for seed := range uint64(40) {
		p := random(rand.New(rand.NewPCG(seed, 10)), continuous).ContinuousRecourse()
		want, err := extensive(t.Context(), p)
		if err != nil || want.Status != lp.Optimal {
			continue
		}

		// Without the start the bound is that of the multipliers alone.
		o := decompose.DefaultOptions()
		o.Method = decompose.Decoupled
		o.Threads = 1
		o.Benders.Heuristic = false
		o.Benders.MaxIterations = 500
		got, err := integer.Solve(t.Context(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(got.Bound-want.Objective) <= 1e-4*max(1, math.Abs(want.Objective))) {
			t.Errorf("seed %d: the bound %v after %d rounds, and the optimum is %v", seed, got.Bound, got.Iterations, want.Objective)
		}
	}
}
