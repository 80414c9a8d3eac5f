package bnb

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// unboundedLP deals with an unbounded relaxation. Without implications it can only occur at the root, where the
// program is then unbounded if it has an integer point at all, and infeasible otherwise (Meyer 1974: the data are
// rational). With implications that exclude the ray the node is branched on until they do so no longer. Lazy
// constraints may still bound it: the hook is called at points far along the ray.
func (s *search) unboundedLP(ctx context.Context, nd *node) (verdict, error) {
	// Below the root an unbounded LP is a numerical failure: the bounds of a node only cut off parts of the root's LP.
	if nd.depth > 0 && s.p.implied == nil {
		s.point.fail()
		return proceed, nil
	}

	// Implications may bound the ray where their literals hold.
	ray := slices.Clone(s.lp.s.Ray())
	if j := s.openAlong(ray); j >= 0 {
		s.point.fail()
		s.point.guess(nd.bound)
		return s.split(nd, unknown(j, 0.5)), nil
	}

	// A point of the model proves that it is not infeasible; the ray from there may still meet lazy constraints.
	before := s.lp.grown
	found, err := s.anyPoint(ctx, nd)
	if err != nil {
		return stopped, err
	}

	// Without any point the problem is infeasible. A limit of the search for one ends this search too.
	switch found.Status {
	case lp.Infeasible:
		if nd.depth == 0 {
			s.closed.setInfeasible()
		}
		return fathomed, nil
	case lp.Optimal:
	default:
		s.limits.end(found.Status)
		return stopped, nil
	}

	// With presolve the point has to stand for a feasible point of the given model.
	if s.original != nil {
		if _, ok := s.original.verify(ctx, found.X); !ok {
			return s.abandon(nd), nil
		}
	}

	// Rows that bound the ray may be in the pool, or be returned by the hook.
	if s.hooks.Lazy != nil {
		for _, t := range farAlong {
			s.poolViolated(along(found.X, ray, t), true)
		}
		if err := s.lazyAlong(ctx, found.X, ray); err != nil {
			return stopped, err
		}
	}
	if s.lp.grown > before {
		return again, nil
	}
	s.closed.setUnbounded()
	s.inc.set(found.X, s.p.value(found.X), FromRelaxation)
	return fathomed, nil
}

// mayBeUnbounded reports whether nodes are open whose relaxations may have no bound: their bounds are infinite.
func (s *search) mayBeUnbounded() bool { return s.p.implied != nil && math.IsInf(s.tree.least(), -1) }

// anyPoint looks for a feasible integer point of a node with the costs left out. Cuts that the lazy hook returns
// meanwhile go to the pool.
func (s *search) anyPoint(ctx context.Context, nd *node) (Result, error) {
	// Without costs any feasible point is optimal.
	m := s.p.m.Clone()
	if nd.depth > 0 {
		for _, j := range s.p.ints {
			setBounds(m, j, s.dom.lower[j], s.dom.upper[j])
		}
	}
	for j := range m.Cols {
		m.Cols[j].Cost = 0
	}
	m.Offset = 0
	opt := s.opt
	opt.HasCutoff = false
	opt.TimeLimit = math.MaxInt64 // ctx holds the deadline
	opt.Threads = 1
	opt.MaxWork = math.Max(0, opt.MaxWork-s.effort.work)

	// The lazy hook gets candidates with the costs of the problem itself; it has no bound and no incumbent yet.
	var hooks Hooks
	if s.hooks.Lazy != nil {
		hooks.Lazy = func(ctx context.Context, c Candidate) (Separation, error) {
			c.Objective = s.p.sense * s.p.value(c.X)
			c.Bound = s.p.sense * math.Inf(-1)
			c.Incumbent = math.NaN()
			c.Values = nil
			sep, _, err := s.lazyCuts(ctx, c)
			return sep, err
		}
	}
	res, err := job{model: m, opt: opt, hooks: hooks, origin: s.origin, start: time.Now()}.solve(ctx)
	s.effort.spend(res.LPIterations, res.Work)
	return res, err
}

// farAlong are the steps along a ray at which constraints are looked for.
var farAlong = []float64{1e2, 1e4, 1e6}

// lazyAlong calls the lazy hook at integral points along the ray.
func (s *search) lazyAlong(ctx context.Context, x, ray []float64) error {
	for _, t := range farAlong {
		y := along(x, ray, t)
		// The hook gets integral points that satisfy the rows, as everywhere.
		for _, j := range s.p.ints {
			y[j] = math.Round(y[j])
		}
		if s.p.violation(y) > s.opt.Tolerances.Feasibility {
			continue
		}
		if _, _, err := s.lazyCuts(ctx, s.candidate(y, s.p.value(y), FromRelaxation)); err != nil {
			return s.limits.hookError(ctx, err)
		}
	}
	return nil
}

// along is the point at step t from x along the ray.
func along(x, ray []float64, t float64) []float64 {
	y := make([]float64, len(x))
	for j := range y {
		y[j] = x[j] + t*ray[j]
	}
	return y
}
