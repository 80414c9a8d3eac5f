package interior

import (
	"context"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// SolveAuto solves m by the simplex method.
func SolveAuto(ctx context.Context, m *lp.Model, opt Options) (*simplex.Solution, error) {
	o := opt.Simplex
	o.Limits = opt.Limits
	return simplex.Solve(ctx, m, o)
}
