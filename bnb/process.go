package bnb

import (
	"context"
	"math"
)

// solveLP solves the LP with its present bounds and counts its time as that of the LP.
func (s *search) solveLP(ctx context.Context, cutoff float64, iterations int) (outcome, error) {
	// The time counts as that of the LP; the part that has asked for it gets it back.
	back := s.clock.enter(PartLP)
	out, err := s.lp.solve(ctx, cutoff, iterations)
	s.clock.leaveLP(back, out.iterations)
	if out.status == lpStopped {
		s.limits.poll(ctx, s)
	}
	if s.hooks.Progress != nil {
		s.report.line()
	}
	return out, err
}

// solveDomain solves the LP under the bounds of the domain.
func (s *search) solveDomain(ctx context.Context, cutoff float64, iterations int) (outcome, error) {
	// An empty domain needs no LP.
	if !s.lp.sync(s.dom) {
		return outcome{status: lpInfeasible, bound: inf}, nil
	}
	return s.solveLP(ctx, cutoff, iterations)
}

// process solves one node: bounds, cuts, heuristics, and in the end it is fathomed, branched on, or, at
// a limit, put back.
func (s *search) process(ctx context.Context, nd *node) error {
	if s.hooks.Node != nil {
		s.hooks.Node(s.candidate(nil, nd.bound, FromRelaxation))
	}

	// A node that could not be entered goes back to the queue on an error, so that its bound is kept.
	ok, err := s.enter(nd)
	if err != nil {
		s.tree.push(nd)
	}
	if err != nil || !ok {
		return err
	}

	// Each step solves one LP. The loop goes on while cuts or bounds change that LP.
	r := s.newRounds(nd)
	v := again
	for v == again && err == nil {
		v, err = s.step(ctx, nd, r)
	}

	// A node that a limit has stopped stays open.
	if v == stopped || err != nil {
		s.tree.push(nd)
		s.plunge.leave()
	}
	s.purge(nd)
	return err
}

// enter puts the node's bounds and basis in place and propagates. It returns false if no point is left.
func (s *search) enter(nd *node) (bool, error) {
	// After a plunge from the parent only the changes of the node itself are applied.
	plunged := s.plunge.below(nd)
	if !s.dom.enter(nd, plunged) {
		s.dom.untouch()
		return false, nil
	}

	// Elsewhere the basis of the parent, which the node was queued with, is restored.
	if !plunged && nd.start != nil {
		if err := s.lp.restore(nd.start); err != nil {
			return false, err
		}
	}
	return s.propagate(nd.depth == 0) && s.reduceOrbits(nd), nil
}

// propagate tightens the domain of the node by the rows, all or those of changed columns, and by the learnt conflicts,
// in turn until nothing changes. It returns false if no point is left.
func (s *search) propagate(all bool) bool {
	defer s.clock.leave(s.clock.enter(PartPropagation))
	for {
		// The rows first, which are many and fast, then the conflicts; what they tighten concerns rows again.
		if !s.prop.run(s.dom, all) {
			break
		}
		all = false
		before := len(s.dom.stack)
		if !s.clauses.propagate(s.dom, s.effort.nodes) || !s.learnt.propagate(s) {
			s.dom.untouch()
			break
		}
		if len(s.dom.stack) == before {
			return true
		}
	}
	s.graph.analyseFailure(s, s.plunge.current)
	return false
}

// step is one LP solve at the node and what follows from it.
func (s *search) step(ctx context.Context, nd *node, r *rounds) (verdict, error) {
	v, err := s.bound(ctx, nd, r)
	if v != proceed || err != nil {
		return v, err
	}
	if s.point.blind {
		return s.splitBlind(ctx, nd)
	}

	// An integral point is a candidate; a fractional one is improved by cuts and heuristics.
	s.point.listFractional(s.p.ints, s.opt.Tolerances.Integrality)
	if len(s.point.fractional) == 0 {
		v, err = s.leaf(ctx, nd)
	} else {
		v, err = s.improve(ctx, nd, r)
	}
	if v != proceed || err != nil {
		return v, err
	}

	// What was derived at the root holds everywhere.
	if nd.depth == 0 {
		s.dom.keepGlobally(s.p.ints)
		if s.restartPays() {
			return stopped, nil // back to the queue: probes for a branching would be thrown away
		}
		s.findSymmetries(ctx)
	}
	return s.branch(ctx, nd, r)
}

// bound solves the LP of the node and uses its bound and its reduced costs.
func (s *search) bound(ctx context.Context, nd *node, r *rounds) (verdict, error) {
	if s.limits.poll(ctx, s) {
		return stopped, nil
	}

	// The number of rows before this LP shows later which rows the point has not met yet.
	r.grown = s.lp.grown
	s.point.begin(r.done)
	out, err := s.solveDomain(ctx, s.inc.cutoff, math.MaxInt)
	if err != nil {
		return stopped, err
	}
	s.effort.forNode(out.iterations)

	switch out.status {
	// A proof of infeasibility, or a bound at the cutoff, may teach a conflict before the node is dropped.
	case lpInfeasible:
		s.learnFrom(out.status)
		s.observeCutoff(nd, r)
		return fathomed, nil
	case lpCutoff:
		s.learnFrom(out.status)
		s.observeCutoff(nd, r)
		nd.bound = math.Max(nd.bound, s.p.roundUp(out.bound))
		return s.drop(nd), nil
	case lpUnbounded:
		return s.unboundedLP(ctx, nd)
	case lpStopped, lpIterations, lpFailed:
		// An LP without an answer decides nothing: unless a limit has ended it, the node is branched on without a point.
		if out.status != lpFailed && s.limits.poll(ctx, s) {
			return stopped, nil
		}
		s.point.fail()
		return proceed, nil
	}
	return s.useBound(nd, r, out), nil
}

// learnFrom learns from the proof of an LP that was infeasible or cut off, and returns the conflict as a reason:
// assumed if there is none.
func (s *search) learnFrom(status lpStatus) reason {
	if status != lpInfeasible && status != lpCutoff {
		return assumed
	}
	before := s.clauses.learnt
	s.learnt.learn(s, status == lpInfeasible)
	if s.clauses.learnt == before {
		return assumed
	}
	return because(byClause, s.clauses.learnt)
}

// observeCutoff records for the pseudo-costs that the branching of the node has raised the bound to the cutoff.
func (s *search) observeCutoff(nd *node, r *rounds) {
	if s.inc.cutoff < inf {
		s.observe(nd, r, s.inc.cutoff)
	}
}

// observe records for the pseudo-costs the objective to which the branching of the node has raised the LP.
func (s *search) observe(nd *node, r *rounds, objective float64) {
	if b := &nd.branch; !r.observed && b.col >= 0 {
		s.costs.observe(b, objective-b.objective)
	}
}

// useBound takes over the bound and the point of an optimal LP.
func (s *search) useBound(nd *node, r *rounds, out outcome) verdict {
	// Cuts whose rows are slack grow older with every LP.
	s.lp.age()
	s.point.take(s.lp, out.objective, s.dom.allFixed(s.p.ints))

	// The bound of a node never falls, and is rounded up to the next objective that an integer point can have.
	nd.bound = math.Max(nd.bound, s.p.roundUp(out.bound))
	s.observe(nd, r, out.objective)
	r.observed = true
	if nd.depth == 0 {
		s.root.record(&s.point, s.lp)
	}
	if nd.bound >= s.inc.cutoff {
		return s.drop(nd)
	}

	// Reduced costs tighten the domain, which propagation may carry on.
	s.point.tighten(s.dom, s.lp, s.inc.strict)
	return s.propagateNode()
}

// propagateNode propagates what has been tightened at the node; again means that the LP point is
// outside the new bounds.
func (s *search) propagateNode() verdict {
	if s.point.upToDate(s.dom) && s.learnt.done(s) && s.clauses.upToDate(s.dom) {
		return proceed
	}

	// An empty domain closes the node.
	if !s.propagate(false) || !s.reduceOrbits(s.plunge.current) {
		return fathomed
	}
	if !s.point.inDomain(s.dom, s.p.ints, s.opt.Tolerances.Integrality) {
		return again
	}
	return proceed
}

// improve runs separation and heuristics at a fractional LP point.
func (s *search) improve(ctx context.Context, nd *node, r *rounds) (verdict, error) {
	v, err := s.separate(ctx, nd, r)
	if err != nil {
		return v, err
	}

	// At a node heuristics of the first stage run once, at the root after every round. A dive that fails may tighten a
	// bound by conflict analysis, and where integer columns lack bounds each dive may move one by a unit, without end.
	allowed := r.tightened < failedRounds
	if allowed && (nd.depth == 0 || !r.heuristics && v == proceed) {
		r.heuristics = true
		if err := s.heuristics.run(ctx, s, betweenRounds, nd, r); err != nil {
			return v, err
		}
	}
	if allowed && v == proceed {
		if err := s.heuristics.run(ctx, s, afterCuts, nd, r); err != nil {
			return v, err
		}
	}

	// A new incumbent, or a bound that it has tightened, may have closed the node or cut off its point.
	if s.limits.poll(ctx, s) {
		return stopped, nil
	}
	if nd.bound >= s.inc.cutoff {
		return s.drop(nd), nil
	}
	if p := s.propagateNode(); p != proceed {
		r.tightened++
		return p, nil
	}
	if s.pointCutOff(r.grown) {
		return again, nil
	}
	return v, nil
}

// pointCutOff reports whether rows that have come to the LP since its count of grown was that cut off the node's point.
func (s *search) pointCutOff(grown int) bool {
	return s.lp.grown > grown && s.lp.cutsOff(s.point.x, s.opt.CutViolation)
}
