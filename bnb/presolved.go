package bnb

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/proxybd/proxybd/bnb/presolve"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// presolved is the model that the caller gave, where the search works on a reduced one. The search, its LP,
// its cuts and its incumbent know only the reduced model; points go out by verify and starts come in by
// admit.
type presolved struct {
	p        *problem // the given model
	r        *presolve.Reduced
	opt      Options
	fallback []float64 // a start that the reduced model has no place for
}

// solvePresolved reduces the model, searches the reduced one and takes the result back.
func solvePresolved(ctx context.Context, m *lp.Model, opt Options, hooks Hooks, start time.Time) (Result, error) {
	r, err := reduceFor(ctx, m, opt, hooks, start)
	if err != nil {
		return failed(), err
	}
	spent := time.Since(start)
	if r.Status == lp.Infeasible {
		res := Result{Status: lp.Infeasible, Objective: math.NaN(), Bound: inf, Gap: inf, Elapsed: spent}
		if m.Maximize {
			res.Bound = -inf
		}
		res.Parts[PartPresolve] = PartStatistics{Calls: 1, Time: spent}
		return res, nil
	}
	var out *presolved
	given, outer := opt, hooks
	if r.Model != m {
		p, err := newProblem(m, opt.Tolerances)
		if err != nil {
			return failed(), err
		}
		out = &presolved{p: p, r: r, opt: opt}
		if hooks.Presolved != nil {
			hooks.Presolved(r.Model)
		}
		opt = out.admit(opt)
		hooks = out.inform(ctx, hooks)
	}
	s, err := newSearch(r.Model, opt, hooks, start)
	if err != nil {
		return failed(), err
	}
	s.standFor(out, r.Facts)
	s.clock.presolved(spent)
	res, err := s.solve(ctx)
	if out == nil {
		return res, err
	}
	res = out.result(ctx, res)
	if errors.Is(err, ErrNumerical) && !opt.sub && opt.restarts == 0 {
		return solvePlain(ctx, m, given, outer, start, res)
	}
	return res, err
}

// solvePlain searches the given model after the search of the reduced one has ended in a numerical failure, with the
// best point of that as a start: a point that the reduced model admits need not satisfy the given one to its
// tolerances.
func solvePlain(ctx context.Context, m *lp.Model, opt Options, hooks Hooks, start time.Time, failed Result) (
	Result, error) {
	if failed.X != nil {
		opt.Start = append([][]float64{failed.X}, opt.Start...)
	}
	opt.MaxWork = math.Max(0, opt.MaxWork-failed.Work)
	if opt.MaxNodes < math.MaxInt {
		opt.MaxNodes = max(0, opt.MaxNodes-failed.Nodes)
	}
	s, err := newSearch(m, opt, hooks, start)
	if err != nil {
		return failed, err
	}
	s.clock.merge(failed.Elapsed, &failed.Parts)
	res, err := s.solve(ctx)
	res.Nodes += failed.Nodes
	res.LPIterations += failed.LPIterations
	res.UserCuts += failed.UserCuts
	res.LazyCuts += failed.LazyCuts
	res.Work += failed.Work
	res.Span += failed.Span
	return res, err
}

// reduceFor runs presolve as far as the hooks allow. Lazy rows, and cuts, points and branchings by the columns
// of the caller, ask for a model with the same columns and the same feasible points.
func reduceFor(ctx context.Context, m *lp.Model, opt Options, hooks Hooks, start time.Time) (*presolve.Reduced, error) {
	o := presolve.DefaultOptions()
	o.Feasibility = opt.Tolerances.Feasibility
	o.KeepColumns = hooks.Lazy != nil || hooks.User != nil || hooks.Heuristic != nil || hooks.Branch != nil
	o.Reductions &^= opt.presolveOff
	if opt.TimeLimit < math.MaxInt64 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, start.Add(opt.TimeLimit))
		defer cancel()
	}
	return presolve.Reduce(ctx, m, o)
}

// admit returns the options of the search in the reduced model. A start that is feasible, but stands for no
// feasible point of the reduced model, serves as a cutoff and as the answer if nothing better is found.
func (g *presolved) admit(opt Options) Options {
	reduced, err := newProblem(g.r.Model, opt.Tolerances)
	if err != nil {
		return opt
	}
	starts := make([][]float64, 0, len(opt.Start))
	best := inf
	if opt.HasCutoff {
		best = g.p.sense * opt.Cutoff
	}
	for _, x := range opt.Start {
		y := g.openCounted(g.r.Project(x))
		starts = append(starts, y)
		v := g.p.value(x)
		if g.feasible(x) && v < best && !(reduced.violation(y) <= opt.Tolerances.Feasibility) {
			best, g.fallback = v, x
			opt.HasCutoff, opt.Cutoff = true, g.p.sense*v
		}
	}
	opt.Start = starts
	if opt.guide != nil {
		opt.guide = g.r.Project(opt.guide)
	}
	return opt
}

// openCounted leaves open the columns that presolve made integer and whose value in y is not: such a start may be
// feasible, but is not the best of its kind.
func (g *presolved) openCounted(y []float64) []float64 {
	for k, j := range g.r.Cols {
		if g.r.Model.Cols[k].Integer && !g.p.integer[j] && math.Abs(y[k]-math.Round(y[k])) > g.opt.Tolerances.Integrality {
			y[k] = math.NaN()
		}
	}
	return y
}

// feasible reports whether x satisfies the given model, integrality included.
func (g *presolved) feasible(x []float64) bool {
	for _, j := range g.p.ints {
		if x[j] != math.Round(x[j]) {
			return false
		}
	}
	return g.p.violation(x) <= g.opt.Tolerances.Feasibility
}

// verify returns the point of the given model that x stands for, and whether it satisfies that model and is as good.
// Where substitutions made a violation grow, or the objective, the continuous columns are optimised again for its
// integer columns.
func (g *presolved) verify(ctx context.Context, x []float64) ([]float64, bool) {
	full := g.r.Restore(x)
	want := g.p.sense * g.r.Model.Evaluate(x)
	if g.feasible(full) && g.p.value(full) <= want+leafTol*math.Max(1, math.Abs(want)) {
		return full, true
	}
	m := g.p.relaxation()
	for _, j := range g.p.ints {
		v := math.Round(full[j])
		if v < m.Cols[j].Lower || v > m.Cols[j].Upper {
			return full, false
		}
		m.Cols[j].Lower, m.Cols[j].Upper = v, v
	}
	o := simplex.DefaultOptions()
	o.Tolerances.Primal = math.Min(o.Tolerances.Primal, g.opt.Tolerances.Feasibility/lpTighter)
	sol, err := simplex.Solve(ctx, m, o)
	if err != nil || sol.Status != lp.Optimal {
		return full, false
	}
	for j := range full {
		if g.p.integer[j] {
			full[j] = math.Round(full[j])
		} else {
			full[j] = math.Min(math.Max(sol.X[j], g.p.lower[j]), g.p.upper[j])
		}
	}
	return full, g.feasible(full) && g.p.value(full) <= want+leafTol*math.Max(1, math.Abs(want))
}

// inform wraps the hooks that are told of points without a say in the search, so that they see the columns of
// the given model.
func (g *presolved) inform(ctx context.Context, hooks Hooks) Hooks {
	wrap := func(f func(Candidate)) func(Candidate) {
		if f == nil {
			return nil
		}
		return func(c Candidate) {
			if c.X != nil {
				c.X, _ = g.verify(ctx, c.X)
			}
			if c.Values != nil {
				c.Values, _ = g.verify(ctx, c.Values)
			}
			f(c)
		}
	}
	hooks.Incumbent, hooks.Node = wrap(hooks.Incumbent), wrap(hooks.Node)
	return hooks
}

// result takes the result of the search back to the given model.
func (g *presolved) result(ctx context.Context, res Result) Result {
	ctx = context.WithoutCancel(ctx) // what was verified before the end is verified again
	if res.X != nil {
		res.X, _ = g.verify(ctx, res.X)
		res.X, res.Objective = g.p.tidy(res.X, g.opt.Tolerances)
	} else if g.fallback != nil {
		res.X = append([]float64(nil), g.fallback...)
		res.Objective = g.p.sense * g.p.value(res.X)
		res.Incumbents++
	}
	for k := range res.Pool {
		q := &res.Pool[k]
		q.X, _ = g.verify(ctx, q.X)
		q.X, q.Objective = g.p.tidy(q.X, g.opt.Tolerances)
	}
	if res.X == nil || res.Status == lp.Unbounded {
		return res
	}
	objective := g.p.sense * res.Objective
	bound := math.Min(g.p.sense*res.Bound, objective)
	res.Bound, res.Gap = g.p.sense*bound, lp.RelativeGap(objective, bound)
	if res.Status == lp.ObjectiveLimit || res.Status == lp.Infeasible { // nothing is better than the fallback
		res.Status = lp.Optimal
	}
	return res
}
