package familytest

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

// Forbid forbids pairs of a client and a facility at random, each with the same probability. The family sets their
// costs.
func Forbid(rng *rand.Rand, in *location.Location, part float64) {
	in.Forbidden = make([]bool, len(in.Cost))
	for k := range in.Forbidden {
		in.Forbidden[k] = rng.Float64() < part
	}
}

// AgainstCompact solves an instance for each of the first seeds by a scheme that changes from one to the next, and
// compares the run with the compact model solved by branch and cut: status, objective, the design with its recourse,
// and that exactly the infeasible instances have a reason. It returns how many are feasible, and how often the
// reasons begin with a word.
func AgainstCompact(t *testing.T, seeds uint64, instance func(seed uint64) families.Instance) (feasible int,
	reasons map[string]int) {
	t.Helper()
	ctx := context.Background()
	reasons = map[string]int{}
	schemes := []decompose.Scheme{decompose.Auto, decompose.BBC, decompose.Outer, decompose.Paper}
	for seed := range seeds {
		in := instance(seed)
		compact, err := pipeline.Compact(in)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := bnb.Solve(ctx, compact, bnb.DefaultOptions(), bnb.Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		o := decompose.DefaultOptions()
		o.Benders.Gap = 1e-7
		o.Scheme = schemes[seed%uint64(len(schemes))]
		r, err := pipeline.Solve(ctx, in, o)
		if err != nil {
			t.Fatalf("seed %d, %v: %v", seed, o.Scheme, err)
		}

		// Two ways to the same answer: of infeasible instances there is a reason, of others there is none.
		why, err := in.Capabilities().Diagnosed.Infeasibility(ctx)
		if err != nil {
			t.Fatal(err)
		}
		infeasible := whole.Status == lp.Infeasible
		if infeasible != (r.Status == lp.Infeasible) || infeasible != (why != "") {
			t.Fatalf("seed %d, %v: %v, because %q; the whole model is %v", seed, o.Scheme, r.Status, why, whole.Status)
		}
		if infeasible {
			reasons[strings.Fields(why)[0]]++
			continue
		}

		feasible++
		near := func(v float64) bool { return math.Abs(v-whole.Objective) <= 1e-6*max(1, whole.Objective) }
		s, err := in.Capabilities().Explainer.Explain(ctx, r.Design)
		agree := near(r.Objective) && err == nil && near(s.Total())
		if !agree || s.Violation > 1e-7 {
			t.Errorf("seed %d, %v: %g, %+v, %v; the whole model says %g", seed, o.Scheme, r.Objective, s, err,
				whole.Objective)
		}
	}
	return feasible, reasons
}
