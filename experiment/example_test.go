package experiment_test

import (
	"context"
	"fmt"
	"os"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/experiment"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/cap"
)

// The stages of an experiment keep everything in one folder. A stage that is called again does what is missing.
func Example() {
	dir, err := os.MkdirTemp("", "experiment")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	split := experiment.DefaultSplitOptions()
	split.Shapes, split.MinBases = []experiment.Shape{{Family: "cap", Shape: "12x6"}}, 4
	split.Train, split.Validation, split.Test = 4, 2, 2
	e, err := experiment.Split(ctx, dir, []families.Family{cap.Family}, nil, split)
	if err != nil {
		fmt.Println(err)
		return
	}
	states, train, eval := statesOptions(), trainOptions(), experiment.DefaultEvalOptions()
	eval.Repeats = 1
	eval.Specs = []experiment.Spec{{Method: decompose.Exact, Scheme: decompose.Auto},
		{Method: decompose.Hybrid, Scheme: decompose.Auto}}
	for _, stage := range []func() error{
		func() error { return e.CollectStates(ctx, states) },
		func() error { return e.Train(ctx, train) },
		func() error { return e.Evaluate(ctx, eval) },
	} {
		if err := stage(); err != nil {
			fmt.Println(err)
			return
		}
	}
	records, _, err := e.Records()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range records {
		fmt.Println(r.ID, r.Method, r.Status)
	}
	// Unordered output:
	// cap-12x6-test-001 exact optimal
	// cap-12x6-test-001 hybrid optimal
	// cap-12x6-test-002 exact optimal
	// cap-12x6-test-002 hybrid optimal
}
