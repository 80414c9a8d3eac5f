package simplex

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex/presolve"
)

// presolveGain is the least share of rows and columns that presolve must remove to be used.
const presolveGain = 0.02

// coldStart is the result of a model made of the whole one: after presolve, folded, or its dual.
type coldStart struct {
	Result
	begun bool      // there is such a model
	basis *Basis    // of the whole model; nil where there is none
	sol   *Solution // of the whole model, where it is optimal; after presolve where it holds to the tolerances
}

// solveCold solves m from scratch, after presolve if the options have it, or from the basis of its dual.
func solveCold(ctx context.Context, m *lp.Model, opt Options, at logged) (*Solution, error) {
	start := time.Now()
	first, err := presolved(ctx, m, opt, at, start)
	if err != nil {
		return nil, err
	}
	if first.sol != nil {
		return first.sol, nil
	}

	// What presolve has left, if anything, has had its dual already.
	if !first.begun {
		first = solveDual(ctx, m, opt, at)
	}
	s, err := first.solver(m, opt, at, start)
	if err != nil {
		return nil, err
	}
	sol, err := s.follow(ctx, &first.Result)
	if errors.Is(err, ErrNumerical) {
		return s.rescaled(ctx, m, start, err)
	}
	return sol, err
}

// rescaled solves m, whose solver failed, from scratch with scaling where there was none and the other way round. The
// failure is returned where that gives no answer to the tolerances.
func (s *Solver) rescaled(ctx context.Context, m *lp.Model, start time.Time, failure error) (*Solution, error) {
	// The other scaling gives other pivots.
	opt := s.opt
	opt.Scale = !opt.Scale
	other, err := New(m, opt)
	if err != nil {
		return nil, err
	}

	other.logged = s.logged
	other.spend(&s.result, start)
	sol, err := other.follow(ctx, &s.result)
	if err != nil || sol.Status == lp.Optimal && !sol.holds(m, opt.Tolerances) {
		return nil, failure
	}
	return sol, nil
}

// solver returns a solver of m, the whole model, that goes on from the result and basis of first, which began at start.
func (first *coldStart) solver(m *lp.Model, opt Options, at logged, start time.Time) (*Solver, error) {
	s, err := newAt(m, opt, first.basis)
	if err != nil {
		return nil, err
	}

	s.logged = at
	s.start.once = true
	if first.basis != nil {
		s.start.advanced = true
		s.start.bound = first.Bound
	}
	if first.begun {
		s.spend(&first.Result, start)
	}
	return s, nil
}

// follow solves the whole model after one made of it, which has used what first counts.
func (s *Solver) follow(ctx context.Context, first *Result) (*Solution, error) {
	// What the model before has used counts for the whole.
	r, err := s.Solve(ctx, s.opt.Limits)
	if err != nil {
		return nil, err
	}

	r.include(first)
	return s.Solution(r), nil
}

// unfinished reports a status that leaves open whether there is an optimum.
func unfinished(st lp.Status) bool {
	return st != lp.Optimal && st != lp.Infeasible && st != lp.Unbounded
}

// spend takes what a model solved before has used off the limits; it was begun at start.
func (s *Solver) spend(used *Result, start time.Time) {
	s.opt.Limits.spend(used, start)
	s.logged.iterations += used.Iterations
	s.logged.next = s.logClock() + s.opt.LogEvery
}

// presolved solves what presolve leaves of m, if the options have it. Nothing keeps what it has built, so
// that the solvers of the reduced and of the whole model do not exist at the same time.
func presolved(ctx context.Context, m *lp.Model, opt Options, at logged, start time.Time) (first coldStart, err error) {
	if !opt.Presolve {
		return first, nil
	}

	// Presolve that removes next to nothing is not used.
	p, err := presolve.Run(m, presolve.Options{Reductions: presolve.All, MinGain: presolveGain})
	if err != nil || p.Model == nil || p.Status == presolve.Unchanged {
		return first, err
	}

	// Presolve looks at every entry about twice.
	work := 2 * float64(m.NumEntries())
	before := Result{Work: work, Span: work}
	opt.Limits.spend(&before, start)
	inner := at.inner
	at.inner = true
	opt.logSize("presolve", p.Model)

	// What is left is solved like a whole model, from the basis of its dual where that pays.
	start = time.Now()
	first = solveDual(ctx, p.Model, opt, at)
	s, err := first.solver(p.Model, opt, at, start)
	if err != nil {
		return first, err
	}
	r, err := s.Solve(ctx, s.opt.Limits)
	r.include(&first.Result)
	r.include(&before)
	first = coldStart{Result: r, begun: true}
	if err != nil { // the whole model decides
		return first, nil
	}

	// An optimum that does not hold in m to the tolerances, or a ray, is found again from the basis of m.
	sol := s.lift(p, r)
	first.basis = &sol.Basis
	if r.Status == lp.Optimal && sol.holds(m, opt.Tolerances) {
		first.sol = sol
		s.logged.inner = inner
		s.logEnd()
	}
	return first, nil
}

// lift takes the last solution of s, the solver of a reduced model, back to the whole one.
func (s *Solver) lift(p *presolve.Reduced, r Result) *Solution {
	// Postsolve takes the primal and the dual solution and the basis back together.
	post := p.Postsolve(presolve.Solution{
		X:           s.X(),
		RowActivity: s.RowActivity(),
		RowDual:     s.RowDual(),
		ReducedCost: s.ReducedCost(),
		Cols:        convert[presolve.Status](s.basis.status[:s.n]),
		Rows:        convert[presolve.Status](s.basis.status[s.n:]),
	})
	return &Solution{
		Result:      r,
		X:           post.X,
		RowActivity: post.RowActivity,
		RowDual:     post.RowDual,
		ReducedCost: post.ReducedCost,
		Basis:       Basis{Cols: convert[VarStatus](post.Cols), Rows: convert[VarStatus](post.Rows)},
	}
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
	sense := senseOf(m)

	// A nonbasic variable is at its bound, and its reduced cost has the sign that belongs there.
	good := func(st VarStatus, x, d, lo, up float64) bool {
		d *= sense
		over := max(lo-x, x-up)
		wrong := 0.0
		switch {
		case st == Basic || st == AtZero:
			wrong = math.Abs(d)
		case lo == up:
		case st == AtLower:
			wrong = -d
			over = max(over, math.Abs(x-lo))
		default:
			wrong = d
			over = max(over, math.Abs(x-up))
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
