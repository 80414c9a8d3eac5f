package bnb

import (
	"context"
	"math"

	"github.com/proxybd/proxybd/lp"
)

// Limits of the sub-MIP heuristics.
const (
	subEvery    = 100  // nodes between two of them, doubled after a failure
	subWait     = 6400 // and at most so many
	subFixed    = 0.4  // share of the integer columns that must be fixed
	subNodes    = 200  // nodes of a sub-MIP
	subShare    = 0.1  // of the work so far that sub-MIPs may use
	subFree     = 0.3  // share of the root's work that they may use beyond that
	subMinFixed = 5    // integer columns fixed at least
)

// neighbourhoods searches a small neighbourhood of what is known by a search of its own: where there
// is an incumbent, the columns on which it and the LP agree are fixed (RINS: Danna, Rothberg, Le Pape
// 2005); else those that are integral in the LP (RENS: Berthold 2014).
type neighbourhoods struct {
	last, wait int
	work       float64 // spent here
	rootWork   float64 // of the LPs at the root
}

// due reports whether a sub-MIP should be tried at the node.
func (h *neighbourhoods) due(s *search, nd *node, _ *rounds) bool {
	if s.opt.sub || len(s.p.ints) < 2*subMinFixed {
		return false
	}
	if nd.depth == 0 {
		h.rootWork = s.effort.work - float64(s.gen.work)
	} else if s.effort.allNodes()-h.last < max(h.wait, subEvery) {
		return false
	}
	return h.work <= subShare*(s.effort.allWork()-h.work)+subFree*h.rootWork
}

// fork leaves them to the first worker: a search for all.
func (h *neighbourhoods) fork(_ *search, place int) heuristic {
	if place > 0 {
		return nil
	}
	f := *h
	return &f
}

// run builds and solves the sub-MIP and offers its point.
func (h *neighbourhoods) run(ctx context.Context, s *search, _ *node) error {
	h.last = s.effort.allNodes()
	m, ok := h.model(s)
	if !ok {
		return nil
	}
	opt := s.subOptions()
	opt.MaxNodes = subNodes
	opt.MaxWork = math.Min(s.opt.MaxWork-s.effort.work, subShare*s.effort.allWork()+subFree*h.rootWork)
	opt.Gap, opt.Cuts = math.Max(opt.Gap, 1e-3), false
	before, accepted := s.effort.work, s.inc.accepted
	if err := s.searchSub(ctx, m, opt, FromHeuristic); err != nil {
		return err
	}
	h.work += s.effort.work - before
	if s.inc.accepted > accepted {
		h.wait = subEvery
	} else {
		h.wait = min(2*max(h.wait, subEvery), subWait)
	}
	return nil
}

// model is the caller's model with the cut rows of the LP and the fixings.
func (h *neighbourhoods) model(s *search) (*lp.Model, bool) {
	m, guide := s.p.m.Clone(), s.inc.guide()
	fixed := 0
	for _, j := range s.p.ints {
		c := &m.Cols[j]
		c.Lower, c.Upper = s.dom.globalLower[j], s.dom.globalUpper[j]
		v := math.Round(s.point.x[j])
		keep := math.Abs(s.point.x[j]-v) <= s.opt.Tolerances.Integrality
		if guide != nil {
			keep = keep && v == guide[j]
		}
		if keep && v >= c.Lower && v <= c.Upper {
			c.Lower, c.Upper = v, v
			fixed++
		}
	}
	if fixed < subMinFixed || float64(fixed) < subFixed*float64(len(s.p.ints)) {
		return nil, false
	}
	s.lp.addCuts(m)
	return m, true
}

// subOptions are the options of a search inside this one, for points better than the incumbent.
func (s *search) subOptions() Options {
	opt := s.opt
	opt.sub, opt.Start, opt.PoolSize, opt.guide = true, nil, 0, nil
	opt.Threads, opt.tick = 1, s.effort.nested()
	opt.Cuts = s.ownCuts() // the user hook is not passed on
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
func (s *search) searchSub(ctx context.Context, m *lp.Model, opt Options, src Source) error {
	var hookErr error
	res, _ := Solve(ctx, m, opt, s.subHooks(&hookErr)) // its numerical failure means no point
	s.effort.spend(res.LPIterations, res.Work)
	s.clock.include(&res.Parts)
	if hookErr != nil || res.X == nil {
		return hookErr
	}
	_, err := s.offer(ctx, res.X, src, s.hooks.repairs())
	return err
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
