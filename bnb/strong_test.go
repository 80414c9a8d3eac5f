package bnb

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// TestBranchingRules counts nodes and probes in trees over a model with several knapsacks: with probes at every node
// there are more of these and fewer nodes, none takes more iterations than it may, and the optimum is the same.
func TestBranchingRules(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := &lp.Model{}
	const columns, rows = 40, 5
	index := make([]int32, columns)
	for j := range columns {
		m.AddCol(lp.Col{Cost: -float64(20 + rng.IntN(80)), Upper: 1, Integer: true})
		index[j] = int32(j)
	}
	for range rows {
		value, sum := make([]float64, columns), 0.0
		for j := range value {
			value[j] = float64(10 + rng.IntN(90))
			sum += value[j]
		}
		m.AddRow(lp.Row{Lower: -lp.Inf, Upper: sum / 3}, index, value)
	}
	var effort [branchingRules]effort
	var best [branchingRules]float64
	for rule := range branchingRules {
		opt := DefaultOptions()
		opt.Branching, opt.Gap = rule, 0
		s, err := newSearch(job{model: m, opt: opt, origin: origin{restarts: maxRestarts}, start: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.solve(context.Background())
		if err != nil || res.Status != lp.Optimal {
			t.Fatal(res.Status, err)
		}
		effort[rule], best[rule] = s.effort, res.Objective
		if left := s.effort.probesLeft(s.probing().share); left < -2*float64(s.probing().most) {
			t.Errorf("rule %d: %v iterations of probes left", rule, left)
		}
	}
	if best[0] != best[1] {
		t.Errorf("optima %v", best)
	}
	rely, probe := &effort[ByReliability], &effort[ByProbes]
	if probe.nodes >= rely.nodes || probe.ofProbes <= rely.ofProbes {
		t.Errorf("by probes %d nodes, %d iterations of probes, by reliability %d and %d", probe.nodes, probe.ofProbes,
			rely.nodes, rely.ofProbes)
	}
	opt := DefaultOptions()
	if opt.Branching = branchingRules; !errors.Is(opt.Validate(), ErrOptions) {
		t.Error("an unknown rule")
	}
}
