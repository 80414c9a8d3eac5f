package interior

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// SolveAuto solves m by the method that pays: a large model whose factorisation is cheap by the interior point method
// and a crossover, as Solve does, every other one by the simplex method. Limits of iterations, work or the objective
// are those of the simplex method, which then solves m. Errors are those of Solve.
func SolveAuto(ctx context.Context, m *lp.Model, opt Options) (*simplex.Solution, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}

	r := &run{m: m, opt: opt, ctx: ctx, began: time.Now()}
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
