package bnb

import (
	"context"
	"errors"
	"math"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// leaf offers an integral LP point. Unless that closes the node, it goes on with new rows or by
// branching on a column that is not fixed yet.
func (s *search) leaf(ctx context.Context, nd *node) (verdict, error) {
	before := s.grown
	v, err := s.offer(ctx, s.x, FromRelaxation, 1)
	if err != nil || s.limits.poll(ctx, s) {
		return stopped, err
	}
	if nd.bound >= s.inc.cutoff {
		return s.drop(nd), nil
	}
	if s.grown > before && s.cutsOffPoint() {
		return again, nil
	}
	if p := s.propagateNode(); p != goOn {
		return p, nil
	}
	switch {
	case !s.allFixed():
		return goOn, nil
	case !s.allFixedInLP:
		return again, nil
	}
	return s.closeLeaf(ctx, nd, v)
}

// allFixed reports whether every integer column has one value left.
func (s *search) allFixed() bool {
	for _, j := range s.p.ints {
		if !s.dom.fixed(j) {
			return false
		}
	}
	return true
}

// closeLeaf ends a node whose integer columns are all fixed. Its LP optimum is the best point below it,
// so a point accepted at (nearly) its bound, or an incumbent as good, settles it.
func (s *search) closeLeaf(ctx context.Context, nd *node, v pointVerdict) (verdict, error) {
	switch v {
	case cutOff:
		s.lenient = true
		_, err := s.offer(ctx, s.x, FromRelaxation, 1)
		s.lenient = false
		if err != nil {
			return stopped, err
		}
	case brokenRows:
		if out, err := s.solveLeafAfresh(ctx, nd); out != goOn || err != nil {
			return out, err
		}
	}
	if best := s.inc.strictest(); nd.bound >= best-leafTol*math.Max(1, math.Abs(best)) {
		nd.bound = math.Max(nd.bound, best)
		return s.drop(nd), nil
	}
	return s.lose(nd), nil
}

// solveLeafAfresh solves the leaf's LP in the units of the model, without scaling and without presolve, whose
// tolerances are relative, where the LP point satisfies its rows only to such a tolerance. goOn leaves the
// judgement to the caller.
func (s *search) solveLeafAfresh(ctx context.Context, nd *node) (verdict, error) {
	m := s.p.relaxation()
	for _, j := range s.p.ints {
		m.Cols[j].Lower, m.Cols[j].Upper = s.dom.lower[j], s.dom.upper[j]
	}
	for _, c := range s.lp.cuts {
		m.AddRow(lp.Row{Lower: c.lower, Upper: c.upper}, c.index, c.value)
	}
	o := simplex.DefaultOptions()
	o.Scale, o.Presolve, o.Seed = false, false, s.opt.Seed
	o.Tolerances.Primal = math.Min(o.Tolerances.Primal, s.opt.Tolerances.Feasibility/10)
	back := s.clock.enter(PartLP)
	sol, err := simplex.Solve(ctx, m, o)
	s.clock.leaveLP(back, 0)
	switch {
	case errors.Is(err, simplex.ErrNumerical):
		return goOn, nil
	case err != nil:
		return stopped, err
	}
	s.lp.total += sol.Iterations
	s.lp.work += sol.Work
	switch sol.Status {
	case lp.Infeasible:
		if s.lp.weak(sol.Ray) {
			return goOn, nil
		}
		return fathomed, nil
	case lp.Optimal:
		nd.bound = math.Max(nd.bound, s.p.roundUp(sol.Objective))
		_, err := s.offer(ctx, sol.X, FromRelaxation, 0)
		return goOn, err
	}
	if s.limits.poll(ctx, s) {
		return stopped, nil
	}
	return goOn, nil
}
