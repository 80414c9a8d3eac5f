package interior

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/proxybd/proxybd/internal/cholesky"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
	"github.com/proxybd/proxybd/simplex/presolve"
)

// run is one Solve.
type run struct {
	m     *lp.Model
	opt   Options
	ctx   context.Context
	began time.Time
	used  int // iterations of this method so far
}

// Solve solves m by the interior point method and, if the options have it, a crossover to a basis that the simplex
// method ends with. Limits, cancellation and a factor beyond Options.MaxBytes are statuses. Where the method ends
// without an optimum or a proof that holds, the simplex method solves m. An error wraps ErrOptions,
// simplex.ErrNumerical, or that of m.Validate.
func Solve(ctx context.Context, m *lp.Model, opt Options) (*simplex.Solution, error) {
	r, err := newRun(ctx, m, opt)
	if err != nil {
		return nil, err
	}
	return r.solve()
}

// newRun returns the run of a model and options that are valid.
func newRun(ctx context.Context, m *lp.Model, opt Options) (*run, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return &run{m: m, opt: opt, ctx: ctx, began: time.Now()}, nil
}

// solve is Solve once the run is made.
func (r *run) solve() (*simplex.Solution, error) {
	if !iterable(r.m) {
		return r.simplex()
	}
	p, err := r.presolve()
	if err != nil {
		return nil, err
	}

	// Presolve alone may have the answer, or a proof that the rays of the model itself show.
	switch p.Status {
	case presolve.Solved, presolve.UnboundedOrInfeasible:
		return r.simplex()
	case presolve.Infeasible:
		return r.certify()
	}

	// What is left may have no rows or columns, or be too small for the method to pay.
	isAuto := r.opt.maxFlops > 0
	if !iterable(p.Model) || isAuto && !isLarge(p.Model) {
		return r.simplex()
	}

	// A costly factorisation is left to the simplex method, in SolveAuto also one that needs too much memory. Solve has a
	// status for that.
	w, out, err := r.iterate(p.Model)
	if errors.Is(err, errCostly) || isAuto && errors.Is(err, ErrMemory) {
		return r.simplex()
	}
	if errors.Is(err, ErrMemory) {
		if r.opt.Log != nil {
			r.opt.Log.Warn(err.Error())
		}
		return r.limit(lp.MemoryLimit, nil)
	}

	// A run that is stopped before its first iterate has no bound.
	if errors.Is(err, cholesky.ErrStopped) {
		return r.limit(stopped(r.ctx), nil)
	}
	if err != nil {
		return nil, err
	}
	return r.conclude(p, w, out)
}

// iterable reports whether m has rows and columns, and no bounds that cross.
func iterable(m *lp.Model) bool {
	for j := range m.Cols {
		if m.Cols[j].Lower > m.Cols[j].Upper {
			return false
		}
	}
	for i := range m.Rows {
		if m.Rows[i].Lower > m.Rows[i].Upper {
			return false
		}
	}
	return len(m.Rows) > 0 && len(m.Cols) > 0
}

// presolve reduces the model as the simplex method does, if the options have it.
func (r *run) presolve() (*presolve.Reduced, error) {
	opt := presolve.Options{Reductions: presolve.All, MinGain: presolveGain}
	if !r.opt.Presolve {
		opt.MinGain = 1
		opt.Reductions = 0
	}
	p, err := presolve.Run(r.m, opt)
	if err == nil && p.Status == presolve.Reduction {
		r.opt.logSize(p.Model)
	}
	return p, err
}

// iterate runs the method on m, which is the given model or what presolve has left of it.
func (r *run) iterate(m *lp.Model) (*method, outcome, error) {
	f, err := newForm(m)
	if err != nil {
		return nil, stalled, err
	}
	if f.m == 0 || f.n == 0 {
		return nil, stalled, nil
	}
	w, err := newMethod(r.ctx, m, f, r.opt, r.began)
	if err != nil {
		return nil, stalled, err
	}

	w.logSystem()
	out := w.run()
	w.logEnd(out)
	r.used += w.iterations
	return w, out, nil
}

// conclude makes the answer of an outcome on what presolve has left.
func (r *run) conclude(p *presolve.Reduced, w *method, out outcome) (*simplex.Solution, error) {
	switch {
	case out == limited:
		return r.limit(w.stop, lift(p, r.m, w.point()))
	case out == infeasible, out == stalled && w != nil && w.suspected:
		if w.model == r.m {
			return r.refuted(w, out)
		}
		return r.certify()
	case out == optimal, out == stalled && w != nil && w.returnToBest():
		return r.cross(p, w.point())
	}
	return r.simplex()
}

// certify looks for a proof of infeasibility on the given model, whose rays need no postsolve. Without one that holds
// in doubled precision the simplex method decides.
func (r *run) certify() (*simplex.Solution, error) {
	w, out, err := r.iterate(r.m)
	switch {
	case errors.Is(err, ErrMemory), errors.Is(err, errCostly):
		return r.simplex()
	case errors.Is(err, cholesky.ErrStopped):
		return r.limit(stopped(r.ctx), nil)
	case err != nil:
		return nil, err
	case out == limited:
		return r.limit(w.stop, w.point())
	}
	return r.refuted(w, out)
}

// refuted returns the proof that the iterations on the given model have ended with, if they have.
func (r *run) refuted(w *method, out outcome) (*simplex.Solution, error) {
	if out != infeasible {
		return r.simplex()
	}
	// A point that satisfies everything to the tolerance may exist where the contradiction is as small, and what holds in
	// float64 alone is decided in exact arithmetic for a small model: the simplex method does both.
	ray := w.ray()
	distance, exact := contradiction(r.m, ray)
	small := len(r.m.Rows)*len(r.m.Cols) <= exactEntries
	isClear := distance > leastDistance*r.opt.Simplex.Tolerances.Primal
	switch {
	case exact && !isClear, !exact && small:
		return r.simplex()
	}
	sol, err := r.empty()
	if err != nil {
		return nil, err
	}
	sol.Status = lp.Infeasible
	sol.Dual = lp.RayPoint
	sol.Bound = w.sense * math.Inf(1)
	sol.Ray = ray
	return sol, nil
}

// cross turns the optimal point of what presolve has left into an answer: a basis of the given model, or the point
// itself where the options have no crossover and the point holds in the given model.
func (r *run) cross(p *presolve.Reduced, point *simplex.Solution) (*simplex.Solution, error) {
	if !r.opt.Crossover {
		sol := lift(p, r.m, point)
		sol.Residuals = simplex.Check(r.m, sol)
		sol.Tolerance = max(pointTol, sol.Residuals.Largest())
		if sol.Tolerance <= pointTol {
			return sol, nil
		}
	}

	opt := r.rest()
	sol, err := simplex.CrossOver(r.ctx, p.Model, opt, point)
	if errors.Is(err, simplex.ErrNumerical) {
		return r.simplex()
	}
	if err != nil {
		return nil, err
	}
	r.used += sol.Iterations
	if sol.Status.Limited() {
		return r.limit(sol.Status, lift(p, r.m, point))
	}
	return r.from(&lift(p, r.m, sol).Basis)
}

// rest returns the options of the simplex method with what is left of the limits.
func (r *run) rest() simplex.Options {
	opt := r.opt.Simplex
	opt.Limits = r.opt.Limits
	if opt.Limits.Iterations < math.MaxInt {
		opt.Limits.Iterations = max(0, opt.Limits.Iterations-r.used)
	}
	if opt.Limits.Time < math.MaxInt64 {
		opt.Limits.Time = max(0, opt.Limits.Time-time.Since(r.began))
	}
	return opt
}

// from solves the given model by the simplex method from a basis.
func (r *run) from(basis *simplex.Basis) (*simplex.Solution, error) {
	sol, err := simplex.SolveFrom(r.ctx, r.m, r.rest(), basis)
	if err == nil {
		sol.Iterations += r.used
	}
	return sol, err
}

// simplex solves the given model by the simplex method.
func (r *run) simplex() (*simplex.Solution, error) {
	sol, err := simplex.Solve(r.ctx, r.m, r.rest())
	if err == nil {
		sol.Iterations += r.used
	}
	return sol, err
}

// empty returns a solution without a point, with the slack basis.
func (r *run) empty() (*simplex.Solution, error) {
	opt := r.opt.Simplex
	opt.Log = nil
	s, err := simplex.New(r.m, opt)
	if err != nil {
		return nil, err
	}
	sol := s.Solution(simplex.Result{Objective: math.NaN(), Bound: math.Inf(-1), Iterations: r.used})
	if r.m.Maximize {
		sol.Bound = math.Inf(1)
	}
	return sol, nil
}

// limit returns the answer at a limit: no point, and the bound that the multipliers of an iterate prove, nil for none.
func (r *run) limit(status lp.Status, iterate *simplex.Solution) (*simplex.Solution, error) {
	sol, err := r.empty()
	if err != nil {
		return nil, err
	}
	sol.Status = status
	sol.Primal = lp.InfeasiblePoint
	sol.Dual = lp.InfeasiblePoint
	if iterate == nil {
		return sol, nil
	}
	bound, err := simplex.Bound(r.m, iterate.RowDual)
	if err == nil && !math.IsNaN(bound) {
		sol.Bound = bound
	}
	return sol, err
}
