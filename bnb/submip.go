package bnb

import (
	"context"
	"math"

	"github.com/proxybd/proxybd/lp"
)

// subOptions are the options of a search inside this one, for points better than the incumbent.
func (s *search) subOptions() Options {
	opt := s.opt
	opt.sub, opt.Start, opt.PoolSize, opt.guide = true, nil, 0, nil
	opt.Threads, opt.tick = 1, s.effort.nested()
	opt.Cuts = s.ownCuts()        // the user hook is not passed on
	opt.Branching = ByReliability // without the hook a node costs its LP
	opt.RootRounds, opt.NodeRounds = min(opt.RootRounds, 10), min(opt.NodeRounds, 2)
	opt.TimeLimit = math.MaxInt64 // ctx holds the deadline
	if opt.MaxMemory < math.MaxInt64 {
		opt.MaxMemory -= min(opt.MaxMemory, s.memory())
	}
	if !math.IsInf(s.inc.strict, 0) {
		opt.HasCutoff, opt.Cutoff = true, s.p.sense*s.inc.cutoff
	}
	return opt
}

// searchSub solves a restriction of the model by a search of its own, books its effort in the current part and offers
// its point.
func (s *search) searchSub(ctx context.Context, m *lp.Model, opt Options, src Source) (lp.Status, error) {
	var hookErr error
	res, _ := Solve(ctx, m, opt, s.subHooks(&hookErr)) // its numerical failure means no point
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
		outer := s.candidate(c.X, s.p.sense*c.Objective, FromHeuristic)
		sep, err := s.callLazy(ctx, outer)
		if err == nil {
			_, err = s.absorb(sep.Cuts, c.X, true, math.MaxInt)
		}
		if err != nil {
			*hookErr = s.limits.hookError(ctx, err)
		}
		return sep, err
	}}
}
