package interior

import (
	"context"
	"errors"
	"math"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// SolveAuto solves m by the method that pays: a large model whose factorisation is cheap by the interior point method
// and a crossover, as Solve does, every other one by the simplex method. That solves m too where there is a limit of
// iterations, work or the objective, which count for it alone, and without presolve. Errors are those of Solve.
func SolveAuto(ctx context.Context, m *lp.Model, opt Options) (*simplex.Solution, error) {
	r, err := newRun(ctx, m, opt)
	if err != nil {
		return nil, err
	}
	l := &opt.Limits
	counted := l.Iterations < math.MaxInt || !isInf(l.Work) || !isInf(l.Objective)
	if counted || !opt.Presolve || !isLarge(m) {
		return r.simplex()
	}
	r.opt.maxFlops = autoFlops
	return r.solve()
}

// isLarge reports whether m has as many rows and columns as the interior point method needs to pay.
func isLarge(m *lp.Model) bool { return len(m.Rows)+len(m.Cols) >= autoSize }

// errCostly is the error of a model whose factorisation takes more operations than the options allow.
var errCostly = errors.New("costly factorisation")
