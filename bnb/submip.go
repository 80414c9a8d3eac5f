package bnb

import (
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// Rounds of user cuts in a sub-MIP at most, at its root and at its nodes: it needs points, and no strong bound. Chosen
// by hand.
const (
	subRootRounds = 10
	subNodeRounds = 2
)

// subOptions are the options of a search inside this one, for points better than the incumbent.
func (s *search) subOptions() Options {
	opt := s.opt

	// A sub-MIP begins anew, with one thread and without a pool of solutions.
	opt.Start = nil
	opt.PoolSize = 0
	opt.Threads = 1
	opt.Cuts = s.ownCuts()        // the user hook is not passed on
	opt.Branching = ByReliability // without the hook a node costs its LP
	opt.RootRounds = min(opt.RootRounds, subRootRounds)
	opt.NodeRounds = min(opt.NodeRounds, subNodeRounds)
	opt.TimeLimit = math.MaxInt64 // ctx holds the deadline

	// It may spend what this search has left, and only points better than the incumbent count.
	opt.MaxWork -= s.effort.work
	opt.reserveMemory(s.memory())
	if !math.IsInf(s.inc.strict, 0) {
		opt.setCutoff(s.p.sense * s.inc.cutoff)
	}
	return opt
}

// searchSub solves a restriction of the model by a search of its own, counts its effort in the current part and offers
// its point. A numerical failure of that search means that there is no point.
func (s *search) searchSub(ctx context.Context, m *lp.Model, opt Options, src Source) (lp.Status, error) {
	if opt.MaxWork < 0 {
		return lp.NotSolved, nil // the search has done more work than its limit, and ends next
	}
	var hookErr error
	from := origin{subMIP: true, onWork: s.effort.nested()}

	// A failure of the sub-MIP does not end this search; an error of a hook does.
	res, _ := job{model: m, opt: opt, hooks: s.subHooks(&hookErr), origin: from, start: time.Now()}.solve(ctx)
	s.effort.spend(res.LPIterations, res.Work)
	s.clock.include(&res.Parts)
	if hookErr != nil || res.X == nil {
		return res.Status, hookErr
	}
	_, err := s.offer(ctx, res.X, src, s.hooks.repairs())
	return res.Status, err
}

// subHooks passes the lazy hook on; its cuts serve the outer search too.
func (s *search) subHooks(hookErr *error) Hooks {
	if s.hooks.Lazy == nil {
		return Hooks{}
	}
	return Hooks{Lazy: func(ctx context.Context, c Candidate) (Separation, error) {
		// The hook gets the candidate in the model's sense, with the numbers of this search.
		outer := s.candidate(c.X, s.p.sense*c.Objective, FromHeuristic)
		sep, _, err := s.lazyCuts(ctx, outer)
		if err != nil {
			*hookErr = s.limits.hookError(ctx, err)
		}
		return sep, err
	}}
}
