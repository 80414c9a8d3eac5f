package scenario

import (
	"context"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Solve solves a program with scenarios by any method. The first-stage columns are in front in the skeleton, so that
// their handles index the design; its objective and its bound are in the sense of the program.
func Solve(ctx context.Context, p *stoch.Program, o decompose.Options) (*benders.Result, error) {
	q, err := New(p)
	if err != nil {
		return nil, err
	}

	// The pipeline of every method does the rest; it negates a maximisation back.
	return decompose.Solve(ctx, q.Program(), o)
}
