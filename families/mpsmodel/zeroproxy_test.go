package mpsmodel

import (
	"context"
	"math"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

// TestRandomProxies solves random models by a network whose weights are all zero, alone and in a hybrid, by both
// schemes and with a gap that no float64 reaches: bounds stay valid, and a hybrid ends at the optimum. PROXYBD_BULK and
// PROXYBD_SEED are those of TestRandomModels.
func TestRandomProxies(t *testing.T) {
	count, first := bulk(t, 100)
	counts := map[string]int{}
	for k := range uint64(count) {
		seed := first + k
		u := randomInstance(t, seed)
		if u == nil {
			continue
		}
		m, _, err := pipeline.NewModel(Family, u, families.ModelOptions{Hidden: []int{2}, Seed: 1})
		if err != nil { // unbounded, or nothing to predict
			counts["no network"]++
			continue
		}
		for _, p := range m.Net.Params() {
			clear(p.Value)
		}
		truth := answers(u)[:1]
		for _, method := range []decompose.Method{decompose.Proxy, decompose.Hybrid} {
			for _, scheme := range []decompose.Scheme{decompose.BBC, decompose.Outer} {
				o := bulkOptions()
				o.Gap = 1e-9
				r, err := pipeline.Solve(context.Background(), u, decompose.Options{Method: method, Scheme: scheme, Model: m, Benders: o})
				if err != nil {
					counts["failed"]++
					t.Logf("seed %d: failed, %s %s: %v", seed, method, scheme, err)
					continue
				}
				a := answer{way: string(method) + " " + string(scheme), status: r.Status, objective: r.Objective, bound: r.Bound}
				if u.Problem.Maximize {
					a.objective, a.bound = -a.objective, -a.bound
				}
				counts[a.status.String()]++
				tol := 1e-5 * max(1, math.Abs(truth[0].objective))
				both := append(truth[:1:1], a)
				bad := a.status == lp.Optimal && compare(both) == wrong
				if truth[0].status == lp.Optimal {
					bad = bad || a.bound > truth[0].objective+tol || a.objective < truth[0].objective-tol || a.status == lp.Unbounded
				}
				if bad && !within(u, both) {
					t.Errorf("seed %d: %v", seed, both)
				}
			}
		}
	}
	t.Logf("%d models: %v", count, counts)
}
