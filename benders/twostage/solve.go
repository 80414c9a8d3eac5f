package twostage

import (
	"context"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/lp"
)

// Solve solves a model in two stages by any method: first reports the columns of the first stage, nil takes the integer
// ones. The design of the result has a value for every column of the model that is in the first stage, in their order
// there; its objective and its bound are in the sense of the model. To solve a model more than once, with a proxy or
// states of its own, split it by New and hand the Program of the problem to decompose.Solve.
func Solve(ctx context.Context, m *lp.Model, first func(j int) bool, o decompose.Options) (*benders.Result, error) {
	p, err := New(m, first, Options{})
	if err != nil {
		return nil, err
	}
	return decompose.Solve(ctx, p.Program(), o)
}
