package integer_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// TestInterruptedRuns cancels runs at every line of their log and every report of their progress. Whatever a run was
// doing then, its bound must not pass the optimum, its design must cost what is said, and it must not call a program
// infeasible that has an optimum.
func TestInterruptedRuns(t *testing.T) {
	interrupted := 0
	for seed := range 60 {
		p := random(rand.New(rand.NewPCG(uint64(seed), 17)), seed%kinds)
		whole, err := extensive(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if whole.Status != lp.Optimal {
			continue
		}
		for _, method := range []decompose.Method{decompose.Exact, decompose.Decoupled} {
			for calls := 1; ; calls++ {
				out, complete := cancelled(t, p, method, calls)
				if complete || calls > 40 {
					break
				}
				if out.Status == lp.Interrupted {
					interrupted++
				}
				checkInterrupted(t, seed, p, out, whole.Objective)
			}
		}
	}
	if interrupted < 200 {
		t.Errorf("%d runs were interrupted: the test has no force", interrupted)
	}
}

// cancelled makes a run that is cancelled at a call of its log or its progress, and reports whether it ended before.
func cancelled(t *testing.T, p *stoch.Program, method decompose.Method, calls int) (*benders.Result, bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	count := func() {
		if calls--; calls == 0 {
			cancel()
		}
	}

	o := decompose.DefaultOptions()
	o.Threads = 1
	o.Method = method
	o.Log = func(string) { count() }
	o.Benders.MaxNodes = 2000
	o.Benders.LogEvery = 0
	o.Benders.Progress = func(benders.Progress) { count() }
	out, err := decomposed(ctx, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return out, calls > 0
}

// checkInterrupted holds a result against the optimum.
func checkInterrupted(t *testing.T, seed int, p *stoch.Program, out *benders.Result, optimum float64) {
	t.Helper()
	beyond := out.Bound - optimum
	if p.Core.Maximize {
		beyond = -beyond
	}
	if beyond > 2e-4*max(1, math.Abs(optimum)) {
		t.Errorf("seed %d, %v: the bound %v is beyond the optimum %v", seed, out.Status, out.Bound, optimum)
	}
	if out.Status == lp.Infeasible {
		t.Errorf("seed %d: infeasible, and the optimum is %v", seed, optimum)
	}
	if out.Design == nil {
		return
	}
	if cost := price(t, p, out.Design); !(math.Abs(cost-out.Objective) <= 1e-5*max(1, math.Abs(cost))) {
		t.Errorf("seed %d: the design costs %v, not %v", seed, cost, out.Objective)
	}
}
