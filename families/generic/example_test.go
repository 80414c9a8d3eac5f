package generic_test

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families/pipeline"
)

// A family that declares no more than its models has every method.
func ExamplePlain() {
	in, err := transport.Generate("4x5", 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, method := range []decompose.Method{decompose.Exact, decompose.Full} {
		o := decompose.DefaultOptions()
		o.Method = method
		r, err := pipeline.Solve(context.Background(), in, o)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %v, cost %.0f\n", method, r.Status, r.Objective)
	}
	// Output:
	// exact: optimal, cost 110
	// full: optimal, cost 110
}
