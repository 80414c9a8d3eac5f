package bnb

import (
	"cmp"
	"context"
	"math"
	"slices"

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
	subTries    = 5    // sub-MIPs one after the other at most
	subWiden    = 0.8  // share of the fixings that a neighbourhood without a point leaves to the next
)

// neighbourhoods searches a small neighbourhood of what is known by a search of its own: where there
// is an incumbent, the columns on which it and the LP agree are fixed (RINS: Danna, Rothberg, Le Pape
// 2005); else those that are integral in the LP (RENS: Berthold 2014). Where that leaves no point fewer of those are
// fixed, and where the search ends before it has found one, more (Hendel, Adaptive large neighborhood search for mixed
// integer programming, 2022): of csched008 every neighbourhood with all fixed is infeasible.
type neighbourhoods struct {
	last, wait int
	work       float64 // spent here
	rootWork   float64 // of the LPs at the root
	share      float64 // of the columns that may be fixed
	order      []int32 // scratch
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
	return h.affordable(s)
}

// affordable reports whether sub-MIPs have used less of the work than they may.
func (h *neighbourhoods) affordable(s *search) bool {
	return h.work <= subShare*(s.effort.allWork()-h.work)+subFree*h.rootWork
}

// fork leaves them to the first worker: a search for all.
func (h *neighbourhoods) fork(_ *search, place int) heuristic {
	if place > 0 {
		return nil
	}
	f := *h
	f.order = nil
	return &f
}

// run builds and solves the sub-MIP and offers its point. Without an incumbent it tries a larger neighbourhood at once
// where one holds no point; with one that is left to the next call, since of most models there is no better point.
func (h *neighbourhoods) run(ctx context.Context, s *search, _ *node) error {
	h.last = s.effort.allNodes()
	accepted := s.inc.accepted
	for tries := range subTries {
		m, ok := h.model(s)
		if !ok && tries == 0 {
			return nil
		}
		if !ok {
			break
		}
		opt := s.subOptions()
		opt.MaxNodes = subNodes
		opt.MaxWork = math.Min(s.opt.MaxWork-s.effort.work, subShare*s.effort.allWork()+subFree*h.rootWork)
		opt.Gap, opt.Cuts = math.Max(opt.Gap, 1e-3), false
		before := s.effort.work
		status, err := s.searchSub(ctx, m, opt, FromHeuristic)
		if err != nil {
			return err
		}
		h.work += s.effort.work - before
		if status != lp.Infeasible && status != lp.ObjectiveLimit {
			if s.inc.accepted == accepted { // the search was too long
				h.share = math.Min(1, h.share/subWiden)
			}
			break
		}
		if s.inc.guide() != nil {
			break
		}
		if h.share = math.Max(h.share*subWiden, subFixed); !h.affordable(s) {
			break
		}
	}
	if s.inc.accepted > accepted {
		h.wait = subEvery
	} else {
		h.wait = min(2*max(h.wait, subEvery), subWait)
	}
	return nil
}

// model is the caller's model with the cut rows of the LP and the fixings: the share of the columns that may be fixed,
// those with the largest reduced costs first.
func (h *neighbourhoods) model(s *search) (*lp.Model, bool) {
	m, guide := s.p.m.Clone(), s.inc.guide()
	h.order = h.order[:0]
	for _, j := range s.p.ints {
		c := &m.Cols[j]
		c.Lower, c.Upper = s.dom.globalLower[j], s.dom.globalUpper[j]
		v := math.Round(s.point.x[j])
		keep := math.Abs(s.point.x[j]-v) <= s.opt.Tolerances.Integrality
		if guide != nil {
			keep = keep && v == guide[j]
		}
		if keep && v >= c.Lower && v <= c.Upper {
			h.order = append(h.order, j)
		}
	}
	fixed := len(h.order)
	if h.share < 1 {
		fixed = max(int(h.share*float64(fixed)), int(math.Ceil(subFixed*float64(len(s.p.ints)))))
		slices.SortStableFunc(h.order, func(a, b int32) int {
			return cmp.Compare(math.Abs(s.point.price[b]), math.Abs(s.point.price[a]))
		})
	}
	if fixed > len(h.order) || fixed < subMinFixed || float64(fixed) < subFixed*float64(len(s.p.ints)) {
		return nil, false
	}
	for _, j := range h.order[:fixed] {
		v := math.Round(s.point.x[j])
		m.Cols[j].Lower, m.Cols[j].Upper = v, v
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
