package bnb

import (
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// A restart reduces the model again and searches what is left, once propagation and reduced costs have fixed many
// columns in the whole tree. All numbers were chosen by hand; they follow the restarts of Achterberg 2007, section
// 10.9.
const (
	maxRestarts      = 3   // restarts of one search at most
	restartRootShare = 0.2 // share of the free integer columns that must be fixed for a restart right after the root
	restartTreeShare = 0.6 // the same share for a restart in the tree, which throws nodes away
	restartNodes     = 500 // nodes up to which a tree may be thrown away
)

// disableRestarts makes the search the last one of its problem.
func (o *origin) disableRestarts() { o.restarts = maxRestarts }

// restartPays reports whether enough columns are fixed in the whole tree that reducing the model again, and starting
// again with what is left, is worth more than the tree. Hooks that work with the columns keep the model as it is. A
// worker has a part of the tree only: the coordinator decides when to restart.
func (s *search) restartPays() bool {
	if s.tree.shared {
		return false
	}

	// A restart takes the place of the tree, which must be small, and needs presolve to gain from the fixed columns.
	allowed := !s.origin.subMIP && s.opt.Presolve && s.origin.restarts < maxRestarts
	if !allowed || s.effort.nodes > restartNodes || s.hooks.steer() {
		return false
	}

	// Of the integer columns that the model leaves free those count that are fixed in the whole tree.
	var free, fixed int
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

// restart searches the whole problem, with the present global bounds and cut rows, by another search. What that has
// spent counts as effort of this one, its points are offered here, and its end is the end of this one, unless it has
// failed or has had too little memory.
func (s *search) restart(ctx context.Context) error {
	cutoff := s.inc.cutoff
	cutoffHolds := cutoff < s.inc.strict // else the objective of an excluded point may be below the cutoff
	res, err := s.continuation(ctx).solve(ctx)

	// What the other search has spent counts here, whatever its end was.
	s.include(&res)
	for _, p := range res.Pool {
		if _, err := s.offer(ctx, p.X, FromHeuristic, 0); err != nil {
			return err
		}
	}
	if err != nil {
		s.origin.disableRestarts() // the search goes on in the tree that it has
		return nil
	}

	// The end of the other search is the end of this one, except for the limit on memory.
	bound := s.p.sense * res.Bound
	switch {
	case res.Status == lp.Infeasible, res.Status == lp.ObjectiveLimit: // nothing is better than cutoff
		s.tree.clear()
		if cutoffHolds {
			s.closed.exclude(cutoff)
		}
	case res.Status == lp.Optimal:
		s.tree.clear()
		s.closeOptimal(bound, s.p.sense*res.Objective)
	case res.Status == lp.MemoryLimit:
		// The memory suffices for this search, but not for both: it goes on in the tree that it has.
		s.origin.disableRestarts()
		s.tree.raise(bound)
	case res.Status.Limited() || res.Status == lp.Stalled:
		// The bound that was proven holds for the whole tree, which stays open.
		s.limits.end(res.Status)
		s.tree.raise(bound)
	default:
		// Anything else, such as unbounded after a bounded root, comes from rounding and decides nothing.
		s.origin.disableRestarts()
	}
	return nil
}

// closeOptimal closes the whole problem, whose optimum is known. A search that continues this one verifies its points
// against the reduced model alone: the best of them may violate the caller's model, and was refused then. Without a
// point, or a cutoff of the options, as good as the optimum nothing is claimed beyond its bound.
func (s *search) closeOptimal(bound, optimum float64) {
	if s.inc.strictest() <= optimum+leafTol*math.Max(1, math.Abs(optimum)) {
		s.closed.exclude(bound)
		return
	}
	s.closed.abandon(bound)
}

// include counts what a search that did the work of this one has spent.
func (s *search) include(res *Result) {
	s.clock.merge(res.Elapsed, &res.Parts)
	s.effort.include(res)
}

// continuation is the job of the search that a restart starts.
func (s *search) continuation(ctx context.Context) job {
	from := origin{restarts: s.origin.restarts + 1, guide: s.inc.guide(), idle: s.idleNodes(), onWork: s.origin.onWork}
	return job{model: s.restricted(), opt: s.restartOptions(), hooks: s.restartHooks(ctx), origin: from, start: time.Now()}
}

// restricted is the model with the global bounds and the cut rows of the LP.
func (s *search) restricted() *lp.Model {
	return s.bounded(s.p.m.Clone(), s.dom.globalLower, s.dom.globalUpper)
}

// bounded gives m those bounds of the integer columns, what implications then say of others, and the cut rows of the
// LP.
func (s *search) bounded(m *lp.Model, lower, upper []float64) *lp.Model {
	// The bounds of continuous columns stay those of the model: those of the domain serve propagation only.
	for _, j := range s.p.ints {
		setBounds(m, j, lower[j], upper[j])
	}
	s.p.eachTarget(lower, upper, func(j int32, lo, up float64) bool {
		setBounds(m, j, lo, up)
		return true
	})
	s.lp.addCuts(m)
	return m
}

// restartOptions are the options with the incumbent as the cutoff, and what is left of each limit.
func (s *search) restartOptions() Options {
	// The starts were offered in this search already. A restart uses all reductions.
	o := s.opt
	o.Start = nil
	o.tuning.reductionsOff = 0

	if cutoff := s.inc.cutoff; cutoff < inf {
		// A point must be better by a tolerance to count. Where objectives are multiples of a step, the next one has to.
		if s.p.step > 0 {
			cutoff += 2 * numericTol * math.Max(1, math.Abs(cutoff))
		}
		o.setCutoff(s.p.sense * cutoff)
	}

	// What is left of each limit goes to the other search.
	o.TimeLimit = math.MaxInt64 // ctx holds the deadline
	o.MaxWork = math.Max(0, o.MaxWork-s.effort.work)
	if o.MaxNodes < math.MaxInt {
		o.MaxNodes -= s.effort.nodes
	}
	o.reserveMemory(s.memory())
	return o
}

// restartHooks call the caller's hooks, with the numbers of nodes and the effort of both searches together.
func (s *search) restartHooks(ctx context.Context) Hooks {
	// Points of the other search are offered here at once, so that this incumbent is the latest.
	before := s.effort
	h := Hooks{Symmetries: s.hooks.Symmetries}
	h.Incumbent = func(c Candidate) {
		// A point that causes an error here is offered again at the end, which returns the error.
		_, _ = s.offer(ctx, c.X, c.Source, 0)
	}
	if s.hooks.Node != nil {
		h.Node = func(c Candidate) {
			own := s.candidate(nil, s.p.sense*c.Objective, c.Source)
			own.Node = c.Node + before.nodes
			own.Depth = c.Depth
			s.hooks.Node(own)
		}
	}

	if s.hooks.Progress != nil {
		h.Progress = func(p Progress) {
			if p.Incumbent {
				return // the offer reports the incumbent
			}

			// The bound of the other search is one of the whole tree here.
			s.tree.raise(s.p.sense * p.Bound)
			own := s.report.progress()
			own.Nodes = p.Nodes + before.nodes
			own.Open = p.Open
			own.LPIterations = p.LPIterations + before.iterations
			own.Cuts = p.Cuts
			own.Work = p.Work + before.work
			s.hooks.Progress(own)
		}
	}
	return h
}
