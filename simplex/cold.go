package simplex

import (
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex/presolve"
)

// presolveGain is the least share of rows and columns that presolve must remove to be used.
const presolveGain = 0.02

// coldStart is what presolving a model and solving the rest gave.
type coldStart struct {
	Result
	basis *Basis    // of the whole model; nil where presolve does not pay or cannot say
	sol   *Solution // of the whole model, where it is optimal and holds to the tolerances
}

// presolved solves what presolve leaves of m. What it has built is garbage afterwards, so that the solvers of
// the reduced and of the whole model do not exist at the same time.
func presolved(ctx context.Context, m *lp.Model, opt Options, start time.Time) (first coldStart, err error) {
	if err := opt.Validate(); err != nil {
		return first, err
	}
	p, err := presolve.Run(m, presolve.Options{Reductions: presolve.All, MinGain: presolveGain})
	if err != nil || p.Model == nil || p.Status == presolve.Unchanged {
		return first, err
	}
	first.Work = 2 * float64(m.NumEntries())
	if opt.TimeLimit < math.MaxInt64 {
		opt.TimeLimit = max(0, opt.TimeLimit-time.Since(start))
	}
	opt.MaxWork = max(0, opt.MaxWork-first.Work)
	s, err := New(p.Model, opt)
	if err != nil {
		return first, err
	}
	s.logged = logged{started: start, inner: true}
	s.logPresolve(p.Model)
	r, err := s.Solve(ctx)
	r.Work += first.Work
	first.Result = r
	if err != nil { // the whole model decides
		return first, nil
	}
	sol := s.lift(p, r)
	first.basis = &sol.Basis
	if r.Status == lp.Optimal && sol.holds(m, opt.Tolerances) {
		first.sol = sol
		s.logged.inner = false
		s.logEnd()
	}
	return first, nil
}

// lift takes the last solution of s, the solver of a reduced model, back to the whole one.
func (s *Solver) lift(p *presolve.Reduced, r Result) *Solution {
	post := p.Postsolve(presolve.Solution{X: s.X(), RowActivity: s.RowActivity(), RowDual: s.RowDual(), ReducedCost: s.ReducedCost(),
		Cols: convert[presolve.Status](s.status[:s.n]), Rows: convert[presolve.Status](s.status[s.n:])})
	return &Solution{Result: r, X: post.X, RowActivity: post.RowActivity, RowDual: post.RowDual, ReducedCost: post.ReducedCost,
		Basis: Basis{Cols: convert[VarStatus](post.Cols), Rows: convert[VarStatus](post.Rows)}}
}

// convert turns statuses of the one package into those of the other, which have the same numbers.
func convert[T, F ~uint8](from []F) []T {
	to := make([]T, len(from))
	for k, v := range from {
		to[k] = T(v)
	}
	return to
}

// holds checks an optimal solution that was not computed by a solver of m itself: bounds and signs
// absolutely to the tolerances, the rest as Check does. The objective is computed anew.
func (sol *Solution) holds(m *lp.Model, tol Tolerances) bool {
	sense := 1.0
	if m.Maximize {
		sense = -1
	}
	good := func(st VarStatus, x, d, lo, up float64) bool {
		over, wrong := max(lo-x, x-up), 0.0
		switch d *= sense; {
		case st == Basic || st == AtZero:
			wrong = math.Abs(d)
		case lo == up:
		case st == AtLower:
			wrong, over = -d, max(over, math.Abs(x-lo))
		default:
			wrong, over = d, max(over, math.Abs(x-up))
		}
		return over <= tol.Primal && wrong <= tol.Dual
	}
	for j := range m.Cols {
		if c := &m.Cols[j]; !good(sol.Basis.Cols[j], sol.X[j], sol.ReducedCost[j], c.Lower, c.Upper) {
			return false
		}
	}
	for i := range m.Rows {
		if r := &m.Rows[i]; !good(sol.Basis.Rows[i], sol.RowActivity[i], sol.RowDual[i], r.Lower, r.Upper) {
			return false
		}
	}
	sol.Objective = m.Evaluate(sol.X)
	sol.Bound = sol.Objective
	return Check(m, sol).OK(residualTol)
}
