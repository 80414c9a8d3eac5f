package scenario_test

import (
	"context"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/lp/stoch"
)

// TestBunches checks that linear programs are solved without a pivot at bases behind certificates, and none where
// certificates are not shared.
func TestBunches(t *testing.T) {
	t.Parallel()
	program := plants(400, false)
	p, err := scenario.New(program)
	if err != nil {
		t.Fatal(err)
	}
	result, err := decompose.Solve(context.Background(), p.Program(), decompose.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	n := result.Scenarios
	if n.Bunched == 0 || n.Bunched > n.LPs {
		t.Errorf("%d of %d linear programs took no pivot", n.Bunched, n.LPs)
	}

	for s := range program.Scenarios { // a random cost: a dual-feasible set of its own
		c := &program.Scenarios[s].Changes[0]
		*c = stoch.Change{Kind: stoch.Cost, Col: 8, Value: 1 + float64(s%7)}
	}
	if p, err = scenario.New(program); err != nil {
		t.Fatal(err)
	}
	if result, err = decompose.Solve(context.Background(), p.Program(), decompose.DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	if n := result.Scenarios; n.Bunched > 0 || n.LPs == 0 {
		t.Errorf("random costs: %d of %d linear programs took no pivot", n.Bunched, n.LPs)
	}
}
