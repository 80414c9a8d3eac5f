package simplex

import (
	"context"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// TestLogAgreesAtLimits stops solves everywhere, after presolve, as their duals and plainly: the last record of the log
// must show the objective or bound of the result, nothing where there is neither, and the bound must hold.
func TestLogAgreesAtLimits(t *testing.T) {
	stopped, bounded, dualized := 0, 0, 0
	for seed := range uint64(150) {
		for _, tall := range []bool{false, true} {
			c := newCertified(seed)
			if tall {
				c = newTall(seed)
			}
			if c.status != lp.Optimal {
				continue
			}
			opt := DefaultOptions()
			opt.Presolve = seed%2 == 0
			for k := range 40 {
				var rec recorder
				opt.Limits.Iterations, opt.Log, opt.LogEvery = k, slog.New(&rec), time.Nanosecond
				r, err := Solve(context.Background(), c.model, opt)
				if err != nil {
					t.Fatalf("seed %d, limit %d: %v", seed, k, err)
				}
				for _, x := range rec.records {
					if x[""].String() == "dualize" {
						dualized++
					}
				}
				if end := rec.records[len(rec.records)-1]; end[""].String() != "simplex done" ||
					!sameShown(end["objective"].Float64(), &r.Result) {
					t.Fatalf("seed %d, limit %d: log %v, result %+v", seed, k, end, r.Result)
				}
				if r.Status == lp.Optimal {
					break
				}
				stopped++
				if !isInf(r.Bound) {
					bounded++
				}
				over := r.Bound - c.objective
				if c.model.Maximize {
					over = -over
				}
				if over > 1e-6*(1+math.Abs(c.objective)+c.size) {
					t.Fatalf("seed %d, limit %d: bound %g, optimum %g", seed, k, r.Bound, c.objective)
				}
			}
		}
	}
	t.Log(stopped, bounded, dualized)
	if stopped == 0 || bounded == 0 || dualized == 0 {
		t.Error("one of the ways was not taken")
	}
}

// sameShown reports whether v is what the log shows of a result, but for rounding: its objective, else its bound, NaN
// where there is neither.
func sameShown(v float64, r *Result) bool {
	want := r.Objective
	if math.IsNaN(want) {
		want = r.Bound
	}
	return math.Abs(v-want) <= 1e-9*(1+math.Abs(want)) || math.IsNaN(v) && isInf(want)
}

// A feasible point of the dual that has been reached before a limit is a bound of the model.
func TestBoundOfTheDual(t *testing.T) {
	kept := 0
	for seed := range uint64(300) {
		c := newTall(seed)
		if c.status != lp.Optimal {
			continue
		}
		opt := DefaultOptions()
		opt.Presolve = false
		for k := range 40 {
			opt.Limits.Iterations = k
			first := solveDual(context.Background(), c.model, opt, logged{})
			if first.basis == nil || math.IsNaN(first.Bound) {
				continue
			}
			r, err := Solve(context.Background(), c.model, opt)
			if err != nil {
				t.Fatalf("seed %d, limit %d: %v", seed, k, err)
			}
			worse := first.Bound - r.Bound
			if c.model.Maximize {
				worse = -worse
			}
			if worse > 1e-6*(1+math.Abs(r.Bound)) {
				t.Fatalf("seed %d, limit %d: bound %g, the dual had %g", seed, k, r.Bound, first.Bound)
			}
			kept++
		}
	}
	if kept == 0 {
		t.Error("no dual had a feasible point")
	}
}
