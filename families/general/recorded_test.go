package general

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/verify"
)

// recordedRun solves and records an instance, and verifies the record: its claims must be those of the result.
func recordedRun(u *families.Plain, m decompose.Method, o benders.Options) (*benders.Result, *record.Record, error) {
	ctx := context.Background()
	res, rec, err := families.Record(ctx, u, decompose.Options{Method: m, Scheme: decompose.Auto, Benders: o})
	if err != nil || rec == nil {
		return res, rec, err
	}
	report, err := verify.Verify(ctx, rec, nil)
	if err != nil {
		return res, rec, fmt.Errorf("rejected: %w", err)
	}
	sign := 1.0
	if u.Problem.Maximize {
		sign = -1
	}
	if report.Bound < sign*res.Bound || rec.Design != nil && report.Objective > sign*res.Objective {
		return res, rec, fmt.Errorf("rejected: proven %g and %g, reported %g and %g", report.Objective, report.Bound, sign*res.Objective, sign*res.Bound)
	}
	return res, rec, nil
}

// provable reports whether first-stage columns have what a proof needs: a bound, or integrality to make one by a split.
func provable(u *families.Plain) bool {
	for _, c := range u.Problem.Compact.Cols[:u.Problem.First] {
		if math.IsInf(c.Lower, -1) && math.IsInf(c.Upper, 1) {
			return false
		}
	}
	return true
}

// TestRandomRecords records runs on random models and verifies them: no record is rejected, what is proven agrees with branch and
// cut on the whole model, and a run without a proof says so. PROXYBD_BULK and PROXYBD_SEED are those of TestRandomModels.
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
		if res.Status == lp.NotSolved {
			kind += map[bool]string{true: ", columns with bounds", false: ", free columns"}[provable(u)]
			if rec.Design == nil && res.Design != nil {
				kind += ", no exact point"
			}
		}
		counts[kind]++
		if res.Status == lp.NotSolved && provable(u) {
			t.Logf("seed %d: %v, objective %.10g, bound %.10g", seed, res.Status, res.Objective, res.Bound)
		}
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
