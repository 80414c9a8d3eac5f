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
	subEvery    = 20   // nodes between two calls
	subWait     = 100  // the same where a lazy hook separates, whose time no work counts: doubled after a failure
	subMaxWait  = 6400 // and at most so many
	subFixed    = 0.4  // share of the integer columns that must be fixed
	subNodes    = 200  // nodes of a sub-MIP
	subOne      = 0.04 // share of the work so far that one sub-MIP may use
	subOneFree  = 0.1  // share of the root's work that it may use beyond that
	subShare    = 0.1  // of the work so far that those without a point may use
	subLeast    = 0.05 // to which this falls while none finds a point
	subTire     = 0.85 // by so much at every failure
	subTotal    = 0.2  // of the work so far that all may use
	subFree     = 0.2  // share of the root's work that they may use beyond that
	subMinFixed = 5    // integer columns fixed at least
	subTries    = 5    // sub-MIPs one after the other at most
	subWiden    = 0.8  // share of the fixings that a neighbourhood without a point leaves to the next
	subCharge   = 100  // work that one costs beside its LPs: so much an entry of the model
	subTarget   = 0.01 // share of the gap by which a point must be better
)

// neighbourhoods searches a small neighbourhood of what is known by a search of its own. Without an incumbent the
// columns that are integral in the LP are fixed (RENS: Berthold 2014): where that leaves no point fewer of those, and
// where the search ends before it has found one, more; of csched008 every neighbourhood with all fixed is infeasible.
// With an incumbent most columns keep its values; see around.
type neighbourhoods struct {
	last     int     // nodes done at the last call
	wait     int     // nodes between two calls with a lazy hook
	work     float64 // spent here
	lost     float64 // of that by searches that found no point
	rootWork float64 // of the LPs at the root
	budget   float64 // share of the work that searches without a point may use
	share    float64 // of the columns integral in the LP that may be fixed
	around   around
	order    []int32 // scratch
}

func newNeighbourhoods() *neighbourhoods { return &neighbourhoods{share: 1, budget: subShare} }

// due reports whether a sub-MIP should be tried at the node.
func (h *neighbourhoods) due(s *search, nd *node, _ *rounds) bool {
	if s.opt.sub || len(s.p.ints) < 2*subMinFixed {
		return false
	}
	if nd.depth == 0 {
		h.rootWork = s.effort.work - float64(s.gen.work)
	} else if s.effort.allNodes()-h.last < h.every(s) {
		return false
	}
	return h.affordable(s)
}

// every is the number of nodes between two calls.
func (h *neighbourhoods) every(s *search) int {
	if s.hooks.Lazy == nil {
		return subEvery
	}
	return max(h.wait, subWait)
}

// affordable reports whether sub-MIPs have used less of the work than they may: those that found points may use more.
func (h *neighbourhoods) affordable(s *search) bool {
	others, free := s.effort.allWork()-h.work, subFree*h.rootWork
	return h.lost <= h.budget*others+free && h.work <= subTotal*others+free
}

// fork leaves them to the first worker: a search for all.
func (h *neighbourhoods) fork(_ *search, place int) heuristic {
	if place > 0 {
		return nil
	}
	f := *h
	f.order = nil
	f.around = h.around.clone()
	return &f
}

// run searches neighbourhoods one after the other: without an incumbent while they hold no point, with one while they
// hold better ones, of which a lazy hook is asked for one a call.
func (h *neighbourhoods) run(ctx context.Context, s *search, _ *node) error {
	h.last = s.effort.allNodes()
	accepted := s.inc.accepted
	for range subTries {
		next, tries := h.nearLP, true
		if s.inc.guide() != nil {
			next, tries = h.nearIncumbent, s.hooks.Lazy == nil
		}
		more, err := next(ctx, s)
		if err != nil {
			return err
		}
		if !more || !tries || !h.affordable(s) {
			break
		}
	}
	if h.wait = min(2*h.every(s), subMaxWait); s.inc.accepted > accepted {
		h.wait = subWait
	}
	return nil
}

// nearLP searches around the LP point, and reports whether a larger neighbourhood may hold a point.
func (h *neighbourhoods) nearLP(ctx context.Context, s *search) (bool, error) {
	m, ok := h.integralInLP(s)
	if !ok {
		return false, nil
	}
	out, err := h.search(ctx, s, m, h.options(s))
	switch {
	case err != nil || out.found:
		return false, err
	case !out.complete:
		h.share = math.Min(1, h.share/subWiden)
		return false, nil
	}
	h.share = math.Max(h.share*subWiden, subFixed)
	return true, nil
}

// nearIncumbent searches around the incumbent, and reports whether it has found a better point.
func (h *neighbourhoods) nearIncumbent(ctx context.Context, s *search) (bool, error) {
	m, ok := h.around.model(s)
	if !ok {
		return false, nil
	}
	opt := h.options(s)
	if bound := math.Min(s.tree.bound(), s.point.objective); s.inc.x != nil && !math.IsInf(bound, 0) {
		better := s.inc.objective - subTarget*math.Max(0, s.inc.objective-bound)
		opt.Cutoff = s.p.sense * math.Min(s.inc.cutoff, better)
	}
	out, err := h.search(ctx, s, m, opt)
	if err != nil {
		return false, err
	}
	h.around.learn(out)
	if out.found {
		h.budget = subShare
	} else {
		h.budget = math.Max(h.budget*subTire, subLeast)
	}
	return out.found, nil
}

// options are those of the next sub-MIP.
func (h *neighbourhoods) options(s *search) Options {
	opt := s.subOptions()
	opt.MaxNodes = subNodes
	opt.MaxWork = math.Min(s.opt.MaxWork-s.effort.work, subOne*s.effort.allWork()+subOneFree*h.rootWork)
	opt.Gap, opt.Cuts = math.Max(opt.Gap, 1e-3), false
	return opt
}

// subOutcome is what a sub-MIP came to: a better point, its whole neighbourhood searched, that with almost no LP.
type subOutcome struct{ found, complete, easy bool }

// search solves a sub-MIP, offers its point and books what it took.
func (h *neighbourhoods) search(ctx context.Context, s *search, m *lp.Model, opt Options) (subOutcome, error) {
	accepted, before := s.inc.accepted, s.effort.work
	status, err := s.searchSub(ctx, m, opt, FromHeuristic)
	if err != nil {
		return subOutcome{}, err
	}
	work, charge := s.effort.work-before, subCharge*float64(s.p.byCol.NNZ())
	out := subOutcome{found: s.inc.accepted > accepted,
		complete: status == lp.Infeasible || status == lp.ObjectiveLimit || status == lp.Optimal}
	out.easy = out.complete && work < charge
	h.work += work + charge
	if !out.found {
		h.lost += work + charge
	}
	return out, nil
}

// integralInLP fixes the share of the columns integral in the LP that may be fixed, those with the largest reduced
// costs first.
func (h *neighbourhoods) integralInLP(s *search) (*lp.Model, bool) {
	m := s.freeModel()
	h.order = h.order[:0]
	for _, j := range s.p.ints {
		v := math.Round(s.point.x[j])
		if math.Abs(s.point.x[j]-v) <= s.opt.Tolerances.Integrality && v >= m.Cols[j].Lower && v <= m.Cols[j].Upper {
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
	return m, true
}

// freeModel is the caller's model with the cut rows of the LP and the global bounds.
func (s *search) freeModel() *lp.Model {
	m := s.p.m.Clone()
	for _, j := range s.p.ints {
		m.Cols[j].Lower, m.Cols[j].Upper = s.dom.globalLower[j], s.dom.globalUpper[j]
	}
	s.lp.addCuts(m)
	return m
}
