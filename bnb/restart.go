package bnb

import (
	"context"
	"math"

	"github.com/proxybd/proxybd/lp"
)

// When a search starts again.
const (
	maxRestarts      = 3
	restartRootShare = 0.2 // share of the free integer columns that must be fixed after the root
	restartTreeShare = 0.6 // and later
	restartNodes     = 500 // nodes up to which a tree may be thrown away
)

// restartDue reports whether there is a rest of the tree that restartPays for.
func (s *search) restartDue() bool { return s.tree.len() > 0 && s.restartPays() }

// restartPays reports whether so many columns are fixed in the whole tree that reducing the model again, and starting
// again with what is left, is worth more than the tree. Hooks that see or name columns keep the model as it is.
func (s *search) restartPays() bool {
	o := &s.opt
	if o.sub || !o.Presolve || o.restarts >= maxRestarts || s.effort.nodes > restartNodes || s.hooks.steer() {
		return false
	}
	free, fixed := 0, 0
	for _, j := range s.p.ints {
		if s.p.lower[j] < s.p.upper[j] {
			free++
			if s.dom.globalLower[j] >= s.dom.globalUpper[j] {
				fixed++
			}
		}
	}
	share := restartTreeShare
	if s.effort.nodes == 1 {
		share = restartRootShare
	}
	return float64(fixed) >= share*float64(free)
}

// restart searches the whole problem, with the bounds and the cut rows of now, by a search of its own, whose end is the
// end of this one.
func (s *search) restart(ctx context.Context) error {
	cutoff, strict := s.inc.cutoff, s.inc.strict
	res, err := Solve(ctx, s.restricted(), s.restartOptions(), s.restartHooks(ctx))
	s.clock.merge(res.Elapsed, &res.Parts)
	s.effort.include(res.Nodes)
	s.effort.spend(res.LPIterations, res.Work)
	s.effort.overlap(res.Work - res.Span)
	for _, p := range res.Pool {
		if _, err := s.offer(ctx, p.X, FromHeuristic, 0); err != nil {
			return err
		}
	}
	if err != nil { // the search goes on in the tree that it has
		s.restartNoMore()
		return nil
	}
	bound := s.p.sense * res.Bound
	switch {
	case res.Status == lp.Infeasible, res.Status == lp.ObjectiveLimit: // nothing is better than cutoff
		s.tree.clear()
		if cutoff < strict {
			s.closed.exclude(cutoff)
		}
	case res.Status == lp.Optimal:
		s.tree.clear()
		s.closed.exclude(bound)
	case res.Status.Limited() || res.Status == lp.Stalled:
		s.limits.end(res.Status)
		s.tree.raise(bound)
	}
	return nil
}

// restricted is the model with the global bounds and the cut rows of the LP.
func (s *search) restricted() *lp.Model {
	m := s.p.m.Clone()
	for _, j := range s.p.ints {
		c := &m.Cols[j]
		c.Lower, c.Upper = s.dom.globalLower[j], s.dom.globalUpper[j]
	}
	s.lp.addCuts(m)
	return m
}

func (s *search) restartOptions() Options {
	o := s.opt
	o.restarts++
	o.Start, o.presolveOff = nil, 0
	o.guide = s.inc.guide()
	if cutoff := s.inc.cutoff; cutoff < inf {
		if s.p.step > 0 { // less what a point must be better by to count, so that the next step of the objective does
			cutoff += 2 * numericTol * math.Max(1, math.Abs(cutoff))
		}
		o.HasCutoff, o.Cutoff = true, s.p.sense*cutoff
	}
	o.TimeLimit = math.MaxInt64 // ctx holds the deadline
	o.MaxWork -= s.effort.work
	if o.MaxNodes < math.MaxInt {
		o.MaxNodes -= s.effort.nodes
	}
	if o.MaxMemory < math.MaxInt64 {
		o.MaxMemory -= min(o.MaxMemory, s.memory())
	}
	return o
}

// restartHooks pass on what the new search tells.
func (s *search) restartHooks(ctx context.Context) Hooks {
	nodes, iterations, work := s.effort.nodes, s.effort.iterations, s.effort.work
	var h Hooks
	h.Incumbent = func(c Candidate) {
		// What the offer finds wrong is offered again at the end, with its error.
		_, _ = s.offer(ctx, c.X, c.Source, 0)
	}
	if s.hooks.Node != nil {
		h.Node = func(c Candidate) {
			own := s.candidate(nil, s.p.sense*c.Objective, c.Source)
			own.Node, own.Depth = c.Node+nodes, c.Depth
			s.hooks.Node(own)
		}
	}
	if s.hooks.Progress != nil {
		h.Progress = func(p Progress) {
			if p.Incumbent {
				return // told by the offer
			}
			s.tree.raise(s.p.sense * p.Bound)
			own := s.report.progress()
			own.Nodes, own.Open, own.LPIterations, own.Cuts = p.Nodes+nodes, p.Open, p.LPIterations+iterations, p.Cuts
			own.Work = p.Work + work
			s.hooks.Progress(own)
		}
	}
	return h
}

// clear drops all nodes.
func (t *tree) clear() {
	t.prune(math.Inf(-1))
}

// raise lifts the bounds of all nodes to a proven bound of the whole tree.
func (t *tree) raise(bound float64) {
	if math.IsNaN(bound) || bound <= t.bound() {
		return
	}
	nodes := t.heaps[byBound]
	t.heaps[byBound], t.heaps[byEstimate] = nil, nil
	for _, nd := range nodes {
		nd.bound = math.Max(nd.bound, bound)
		nd.estimate = math.Max(nd.estimate, nd.bound)
		t.push(nd)
	}
}
