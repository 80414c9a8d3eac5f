package mpsmodel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/verify"
)

// recordedRun solves and records an instance, and verifies the record.
func recordedRun(u *generic.Plain, m decompose.Method, o benders.Options) (*benders.Result, *record.Record, error) {
	ctx := context.Background()
	res, rec, err := pipeline.Record(ctx, u, decompose.Options{Method: m, Scheme: decompose.Auto, Benders: o})
	if err != nil || rec == nil {
		return res, rec, err
	}
	report, err := verify.Verify(ctx, rec, nil)
	if err != nil && !errors.Is(err, verify.ErrClaim) {
		return res, rec, fmt.Errorf("rejected: %w", err)
	}
	if err != nil && whole(res, rec) && res.Status != lp.Infeasible && rec.Design != nil {
		return res, rec, fmt.Errorf("a record that proves the run is said to fall short: %w", err)
	}
	h := rec.Header
	if report.Bound < float64(h.Bound) || report.Objective > float64(h.Objective) {
		return res, rec, fmt.Errorf("rejected: proven %g and %g, claimed %g and %g", report.Objective, report.Bound, h.Objective, h.Bound)
	}
	return res, rec, nil
}

// whole reports whether a record proves all that the result of its run says.
func whole(res *benders.Result, rec *record.Record) bool {
	if rec == nil {
		return false
	}
	_, bound, err := rec.Claims()
	return err == nil && bound == res.Bound && (rec.Design == nil) == (res.Design == nil)
}

// provable reports whether first-stage columns have what a proof needs: a bound, or integrality to make one by a split.
func provable(u *generic.Plain) bool {
	for _, c := range u.Problem.Compact.Cols[:u.Problem.First] {
		if math.IsInf(c.Lower, -1) && math.IsInf(c.Upper, 1) {
			return false
		}
	}
	return true
}

// TestRandomRecords records runs on random models and verifies them: no record is rejected, the results agree with
// branch and cut on the whole model. PROXYBD_BULK and PROXYBD_SEED are those of TestRandomModels.
func TestRandomRecords(t *testing.T) {
	count, first := bulk(t, 150)
	counts := map[string]int{}
	for k := range uint64(count) {
		seed := first + k
		u := randomInstance(t, seed)
		if u == nil {
			continue
		}
		method := ways[2*(seed%2)].method
		res, rec, err := recordedRun(u, method, bulkOptions())
		if err != nil {
			counts["failed"]++
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		kind := res.Status.String()
		if rec != nil && !whole(res, rec) {
			kind += map[bool]string{true: ", proven in part: columns with bounds", false: ", proven in part: free columns"}[provable(u)]
			if rec.Design == nil && res.Design != nil {
				kind += ", no exact point"
			} else if provable(u) {
				t.Logf("seed %d: %v, objective %.10g, bound %.10g, proven %.10g and %.10g", seed, res.Status, res.Objective, res.Bound,
					rec.Header.Objective, rec.Header.Bound)
			}
		}
		counts[kind]++
		truth := answers(u)[:1]
		a := answer{way: "recorded", status: res.Status, objective: res.Objective, bound: res.Bound}
		if u.Problem.Maximize {
			a.objective, a.bound = -a.objective, -a.bound
		}
		if compare(append(truth, a)) == wrong && !within(u, append(truth, a)) {
			counts["wrong"]++
			t.Errorf("seed %d: %v", seed, append(truth, a))
		}
	}
	t.Logf("%d models: %v", count, counts)
}

// TestRejectedRecords records models whose records were rejected once, since a leaf had the weights of its parent
// without their fractions, and a run that ends at a limit on a model without a bound, which was called optimal at 0
// since the proof came upon a design.
func TestRejectedRecords(t *testing.T) {
	for _, seed := range []uint64{3005576, 3013567, 3015046} {
		u := randomInstance(t, seed)
		for _, m := range []decompose.Method{decompose.Exact, decompose.Aggregated} {
			if _, _, err := recordedRun(u, m, bulkOptions()); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
	}
	o := bulkOptions()
	o.MaxNodes = 100
	res, _, err := recordedRun(randomInstance(t, 3016596), decompose.Exact, o)
	if err != nil || res.Status != lp.Unbounded && !res.Status.Limited() {
		t.Errorf("without a bound: %v, %v", res.Status, err)
	}
}
