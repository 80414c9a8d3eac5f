package bnb

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/proxybd/proxybd/bnb/presolve"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// presolved is the model that the caller gave, where the search works on a reduced one. The search, its LP,
// its cuts and its incumbent have the columns of the reduced model; verify takes points back to the given one, and
// admit takes starts to the reduced one.
type presolved struct {
	p        *problem // the given model
	r        *presolve.Reduced
	opt      Options
	breaker  *breaker  // rows of the reduced model that break symmetries, nil without
	fallback []float64 // a start that stands for no feasible point of the reduced model
}

// solvePresolved reduces the model, searches the reduced one and takes the result back.
func (j job) solvePresolved(ctx context.Context) (Result, error) {
	r, err := j.reduce(ctx)
	if err != nil {
		return failed(), err
	}

	// The time of presolve is that of a part of its own.
	if r.Status == lp.Infeasible {
		spent := time.Since(j.start)
		res := Result{
			Status:    lp.Infeasible,
			Objective: math.NaN(),
			Bound:     senseOf(j.model) * inf,
			Gap:       inf,
			Elapsed:   spent,
		}
		res.Parts[PartPresolve] = PartStatistics{Calls: 1, Time: spent}
		return res, nil
	}

	// The search and the admission of starts share the problem of the reduced model.
	p, err := newProblem(r.Model, j.opt.Tolerances)
	if err != nil {
		return failed(), err
	}
	b, p, err := j.breakSymmetries(ctx, r, p)
	if err != nil {
		return failed(), err
	}
	spent := time.Since(j.start)
	inner := j
	var original *presolved
	if r.Model != j.model {
		if original, err = j.takeOver(ctx, r, p, b, &inner); err != nil {
			return failed(), err
		}
	}
	s, err := newSearchOf(p, inner)
	if err != nil {
		return failed(), err
	}

	// The time before the search belongs to presolve.
	s.setOriginal(original, r.Facts)
	s.clock.presolved(spent)
	res, err := s.solve(ctx)
	if original == nil {
		return res, err
	}

	// The result is one of the given model from here on.
	res = original.result(ctx, res)
	if errors.Is(err, ErrNumerical) && !j.origin.subMIP && j.origin.restarts == 0 {
		return j.solvePlain(ctx, res)
	}
	return res, err
}

// takeOver makes inner the job of the reduced model, with the problem p, and returns the way back to the given model.
func (j job) takeOver(ctx context.Context, r *presolve.Reduced, p *problem, b *breaker,
	inner *job) (*presolved, error) {
	given, err := newProblem(j.model, j.opt.Tolerances)
	if err != nil {
		return nil, err
	}

	// The rest of the run works on the reduced model, with hooks that get points of the given one.
	g := &presolved{p: given, r: r, opt: j.opt, breaker: b}
	if j.hooks.Presolved != nil {
		j.hooks.Presolved(r.Model)
	}
	inner.model = r.Model
	inner.opt = g.admit(j.opt, p)
	inner.hooks = g.wrapHooks(ctx, j.hooks)
	inner.origin = j.origin.project(r)
	return g, nil
}

// solvePlain searches the given model after the search of the reduced one has ended in a numerical failure, with the
// best point of that as a start: a point that is feasible for the reduced model need not satisfy the given one to its
// tolerances. The result counts both searches.
func (j job) solvePlain(ctx context.Context, before Result) (Result, error) {
	// The best point of the first search is a start of the second one.
	if before.X != nil {
		j.opt.Start = append([][]float64{before.X}, j.opt.Start...)
	}

	// The second search gets what the first one has left of the limits.
	j.opt.MaxWork = math.Max(0, j.opt.MaxWork-before.Work)
	if j.opt.MaxNodes < math.MaxInt {
		j.opt.MaxNodes = max(0, j.opt.MaxNodes-before.Nodes)
	}
	s, err := newSearch(j)
	if err != nil {
		return before, err
	}

	s.clock.merge(before.Elapsed, &before.Parts)
	res, err := s.solve(ctx)
	res.addEffort(&before)
	return res, err
}

// reduce runs presolve as far as the hooks allow. Lazy rows, and cuts, points and branchings by the columns
// of the caller, need a model with the same columns and the same feasible points.
func (j job) reduce(ctx context.Context) (*presolve.Reduced, error) {
	// Lazy rows and implications are not in the rows of the model: with hooks that steer the search, or with
	// implications, no column may leave it.
	o := presolve.DefaultOptions()
	o.Feasibility = j.opt.Tolerances.Feasibility
	o.KeepColumns = j.hooks.steer() || j.model.Branched().Any()
	o.Reductions &^= j.opt.tuning.reductionsOff
	ctx, cancel := j.untilLimit(ctx)
	defer cancel()
	return presolve.Reduce(ctx, j.model, o)
}

// untilLimit returns a context that ends at the time limit too.
func (j job) untilLimit(ctx context.Context) (context.Context, context.CancelFunc) {
	if j.opt.TimeLimit < math.MaxInt64 {
		return context.WithDeadline(ctx, j.start.Add(j.opt.TimeLimit))
	}
	return ctx, func() {}
}

// admit returns the options of the search in the reduced model. A start that is feasible, but stands for no
// feasible point of the reduced model, serves as a cutoff and as the answer if nothing better is found.
func (g *presolved) admit(opt Options, reduced *problem) Options {
	// The best start that has no counterpart in the reduced model is kept aside as the fallback.
	best := inf
	if opt.HasCutoff {
		best = g.p.sense * opt.Cutoff
	}
	starts := make([][]float64, len(opt.Start))
	for k, x := range opt.Start {
		y := g.openCounted(g.r.Project(x))
		if g.breaker != nil {
			y = g.breaker.order(y)
		}
		starts[k] = y

		// The start is feasible and better than the ones before, but its projection violates the reduced model.
		v := g.p.value(x)
		if g.feasible(x) && v < best && !(reduced.violation(y) <= opt.Tolerances.Feasibility) {
			best = v
			g.fallback = x
			opt.setCutoff(g.p.sense * v)
		}
	}
	opt.Start = starts
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
	return g.p.integral(x, 0) && g.p.violation(x) <= g.opt.Tolerances.Feasibility
}

// verify returns the point of the given model that x stands for, and whether it satisfies that model and is as good.
// Where substitutions made a violation grow, or the objective, the continuous columns are optimised again for its
// integer columns.
func (g *presolved) verify(ctx context.Context, x []float64) ([]float64, bool) {
	// The objective of the restored point must be as good as that of the reduced one.
	full := g.r.Restore(x)
	want := g.p.sense * g.r.Model.Evaluate(x)
	want += leafTol * math.Max(1, math.Abs(want))
	if g.feasible(full) && g.p.value(full) <= want {
		return full, true
	}

	// The integer columns are fixed at the values of the restored point, and the LP gives the others.
	m := g.p.relaxation()
	for _, j := range g.p.ints {
		v := math.Round(full[j])
		if v < m.Cols[j].Lower || v > m.Cols[j].Upper {
			return full, false
		}
		setBounds(m, j, v, v)
		full[j] = v
	}
	g.p.eachTarget(full, full, func(j int32, lo, up float64) bool {
		setBounds(m, j, lo, up)
		return true
	})
	o := simplex.DefaultOptions()
	o.Tolerances.Primal = math.Min(o.Tolerances.Primal, g.opt.Tolerances.Feasibility/lpTighter)
	sol, err := simplex.Solve(ctx, m, o)
	if err != nil || sol.Status != lp.Optimal {
		return full, false
	}

	// The LP answers to its own tolerances: its values are put back on the integers and inside the bounds.
	for j := range full {
		if g.p.integer[j] {
			full[j] = math.Round(full[j])
		} else {
			full[j] = g.p.clamp(j, sol.X[j])
		}
	}
	return full, g.feasible(full) && g.p.value(full) <= want
}

// wrapHooks returns the hooks such that those that only observe points get them with the columns of the given model.
func (g *presolved) wrapHooks(ctx context.Context, hooks Hooks) Hooks {
	// Hooks that observe points get copies with the columns of the given model.
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
	hooks.Incumbent = wrap(hooks.Incumbent)
	hooks.Node = wrap(hooks.Node)
	return hooks
}

// result takes the result of the search back to the given model.
func (g *presolved) result(ctx context.Context, res Result) Result {
	ctx = context.WithoutCancel(ctx) // what was verified before the end is verified again

	// Without a better point the answer is the fallback, a start that the reduced model does not represent.
	if res.X != nil {
		res.X, _ = g.verify(ctx, res.X)
		res.X, res.Objective = g.p.tidy(res.X, g.opt.Tolerances)
	} else if g.fallback != nil {
		res.X = slices.Clone(g.fallback)
		res.Objective = g.p.sense * g.p.value(res.X)
		res.Incumbents++
	}
	for k := range res.Pool {
		res.Pool[k].X, _ = g.verify(ctx, res.Pool[k].X)
	}
	g.p.tidyAll(res.Pool, g.opt.Tolerances)
	if res.X == nil || res.Status == lp.Unbounded {
		return res
	}

	// The tidied point may have a slightly different objective, which the bound must not exceed.
	objective := g.p.sense * res.Objective
	bound := math.Min(g.p.sense*res.Bound, objective)
	res.Bound = g.p.sense * bound
	res.Gap = lp.RelativeGap(objective, bound)
	if res.Status == lp.ObjectiveLimit || res.Status == lp.Infeasible { // nothing is better than the fallback
		res.Status = lp.Optimal
	}
	return res
}
