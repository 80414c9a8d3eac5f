package bnb

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// leaf offers an integral LP point. Unless that closes the node, it goes on with new rows or by
// branching on a column that is not fixed yet.
func (s *search) leaf(ctx context.Context, nd *node) (verdict, error) {
	before := s.lp.grown
	v, err := s.offer(ctx, s.point.x, FromRelaxation, 1)
	if err != nil || s.limits.poll(ctx, s) {
		return stopped, err
	}
	if err := s.outOfRange(); err != nil && v == brokenRows {
		return stopped, err
	}

	// A point that was accepted, or cuts that came, may end the work on the node or give it a new LP.
	if nd.bound >= s.inc.cutoff {
		return s.drop(nd), nil
	}
	if s.pointCutOff(before) {
		return again, nil
	}
	if p := s.propagateNode(); p != proceed {
		return p, nil
	}

	// The node is a leaf only once its LP was solved with all integer columns fixed.
	switch {
	case !s.dom.allFixed(s.p.ints):
		return proceed, nil
	case !s.point.allFixed:
		return again, nil
	}
	return s.closeLeaf(ctx, nd, v)
}

// outOfRange returns an error that names an integer column whose value in the LP point is beyond maxSafeInteger. Such
// a point is refused, and branching on it would not end: next to it floats do not distinguish integers. A
// sub-MIP goes on with other nodes.
func (s *search) outOfRange() error {
	if s.origin.subMIP {
		return nil
	}
	for _, j := range s.p.ints {
		if v := s.point.x[j]; math.Abs(v) > maxSafeInteger {
			return fmt.Errorf("bnb: %w: the integer column %s is %.17g in the relaxation, beyond %g; give it bounds or "+
				"a larger unit", ErrRange, s.p.m.ColName(lp.Var(j)), v, maxSafeInteger)
		}
	}
	return nil
}

// closeLeaf ends a node whose integer columns are all fixed. Its LP optimum is the best point below it,
// so a point accepted at (nearly) its bound, or an incumbent as good, closes it.
func (s *search) closeLeaf(ctx context.Context, nd *node, v pointVerdict) (verdict, error) {
	switch v {
	case cutOff:
		// The LP point violates cuts that the LP holds: they are judged by the coarser tolerance of rows in the LP.
		s.pool.setLenient(true)
		_, err := s.offer(ctx, s.point.x, FromRelaxation, 1)
		s.pool.setLenient(false)
		if err != nil {
			return stopped, err
		}
	case brokenRows:
		if out, err := s.solveLeafAlone(ctx, nd); out != proceed || err != nil {
			return out, err
		}
	}

	// The best point below the node is as good as the incumbent: nothing is left in its subtree.
	if best := s.inc.strictest(); nd.bound >= best-leafTol*math.Max(1, math.Abs(best)) {
		nd.bound = math.Max(nd.bound, best)
		return s.drop(nd), nil
	}
	return s.abandon(nd), nil
}

// solveLeafAlone solves the leaf's LP by itself, without presolve, whose tolerances are relative, where the LP point
// satisfies its rows only to such a tolerance: in the units of the model, and scaled where that gives no point. The
// verdict proceed means that nothing was decided.
func (s *search) solveLeafAlone(ctx context.Context, nd *node) (verdict, error) {
	m := s.bounded(s.p.relaxation(), s.dom.lower, s.dom.upper)

	// The first solution with an answer decides; the second attempt is for the case that the first one gives none.
	for _, scale := range [2]bool{false, true} {
		v, done, err := s.solveLeaf(ctx, nd, m, scale)
		if done || err != nil || s.limits.poll(ctx, s) {
			return v, err
		}
	}
	return proceed, nil
}

// solveLeaf solves the LP m of a leaf and offers its point; done is set if nothing is left to try.
func (s *search) solveLeaf(ctx context.Context, nd *node, m *lp.Model, scale bool) (
	v verdict, done bool, err error) {
	// The LP is solved to smaller tolerances than points are verified to.
	o := simplex.DefaultOptions()
	o.Scale = scale
	o.Seed = s.opt.Seed
	o.Tolerances.Primal = math.Min(o.Tolerances.Primal, s.opt.Tolerances.Feasibility/10)
	solver, err := simplex.New(m, o)
	if err != nil {
		return stopped, true, err
	}

	// The time counts as that of an LP, the iterations as effort of the search only.
	back := s.clock.enter(PartLP)
	res, err := solver.Solve(ctx, simplex.NoLimits())
	s.clock.leaveLP(back, 0)
	s.effort.spend(res.Iterations, res.Work)

	// An infeasibility that the tolerances of the model refute is none: see weak.
	switch {
	case errors.Is(err, simplex.ErrNumerical):
		return proceed, false, nil
	case err != nil:
		return stopped, true, err
	case res.Status == lp.Infeasible && !s.lp.weak(solver.Ray()):
		return fathomed, true, nil
	case res.Status != lp.Optimal:
		return proceed, false, nil
	}

	// The optimum is a bound on the leaf, whatever becomes of its point.
	nd.bound = math.Max(nd.bound, s.p.roundUp(res.Objective))
	p, err := s.offer(ctx, solver.X(), FromRelaxation, 0)
	if err == nil && p == brokenRows {
		p, err = s.offerAsIs(ctx, solver.Refined())
	}
	return proceed, p != brokenRows, err
}

// offerAsIs offers the point of a leaf without moving it onto bounds that it misses within the tolerance: through a
// large coefficient such a move may break a row. Rows of large numbers need only hold to their rounding.
func (s *search) offerAsIs(ctx context.Context, x []float64) (pointVerdict, error) {
	if x == nil || s.original != nil {
		return brokenRows, nil
	}
	return s.offerBy(ctx, &examination{s: s, x: x, src: FromRelaxation, asIs: true}, 0)
}
