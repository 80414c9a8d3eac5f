package mcndp

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

// TestIntegerFlows solves networks with scenarios whose flows are whole numbers by decomposition, and compares cost and
// status with the extensive form solved by branch and cut. The flows of the design are whole, and cost what the run says.
func TestIntegerFlows(t *testing.T) {
	solved, dearer := 0, 0
	for seed := range uint64(25) {
		drawn, err := generateScenarios(fmt.Sprintf("%dx%dx3", 4+seed%3, 9+seed%5), "3", seed)
		if err != nil {
			continue // the draw cannot be routed
		}
		for k := range drawn.Draws {
			for i, v := range drawn.Draws[k].Demand {
				drawn.Draws[k].Demand[i] = math.Ceil(v / 7)
			}
		}
		for j := range drawn.Network.Capacity {
			drawn.Network.Capacity[j] = math.Ceil(drawn.Network.Capacity[j]/7) + 0.5
		}
		in, err := makeScenarios(drawn.Network, drawn.Draws, true)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := in.Stochastic().Extensive()
		if err != nil {
			t.Fatal(err)
		}
		o := bnb.DefaultOptions()
		o.Gap = 1e-9
		want, err := bnb.Solve(context.Background(), whole, o, bnb.Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		run := decompose.DefaultOptions()
		run.Benders.Gap = 1e-7
		got, err := pipeline.Solve(context.Background(), in, run)
		if err != nil || got.Status != want.Status {
			t.Fatalf("seed %d: %v, %v %+v, the extensive form %v %g", seed, got.Status, err, got, want.Status, want.Objective)
		}
		if got.Status != lp.Optimal {
			continue
		}
		solved++
		if math.Abs(got.Objective-want.Objective) > 1e-6*want.Objective {
			t.Errorf("seed %d: %g, the extensive form %g", seed, got.Objective, want.Objective)
		}
		s, err := in.Explain(context.Background(), got.Design)
		if err != nil || math.Abs(s.Total()-got.Objective) > 1e-6*got.Objective {
			t.Errorf("seed %d: %v, %+v", seed, err, s)
		}
		split, err := makeScenarios(drawn.Network, drawn.Draws, false)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := pipeline.Solve(context.Background(), split, run); err != nil || r.Objective > got.Objective*(1+1e-7) {
			t.Errorf("seed %d: %v, %v with flows that may be split", seed, r.Objective, err)
		} else if r.Objective < got.Objective*(1-1e-6) {
			dearer++
		}
	}
	t.Log(solved, dearer)
	if solved < 10 || dearer < 3 {
		t.Errorf("%d solved, %d cost more than with flows that may be split", solved, dearer)
	}
}

// TestIntegerFlowsNeedWholeDemands refuses what whole flows cannot bring.
func TestIntegerFlowsNeedWholeDemands(t *testing.T) {
	in, err := generateNamed("4x10x2", 1)
	if err != nil {
		t.Fatal(err)
	}
	in.Demand[1] += 0.5
	if _, err := withIntegerFlows(in); err == nil {
		t.Error("a demand of a half")
	}
	in.Demand[1] -= 0.5
	one, err := withIntegerFlows(in)
	if err != nil {
		t.Fatal(err)
	}
	r, err := pipeline.Solve(context.Background(), one, decompose.DefaultOptions())
	if err != nil || r.Status != lp.Optimal {
		t.Errorf("%v, %v", r, err)
	}
	var _ families.Instance = one
}
