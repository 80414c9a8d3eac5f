package bnb

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// Limits of the sub-MIP heuristics. The numbers were chosen by hand.
const (
	subEvery      = 20   // nodes between two calls
	subWait       = 100  // nodes before the first neighbourhood of the incumbent
	subMaxWait    = 6400 // with a lazy hook, whose time no work counts, subWait is doubled at every failure up to this
	subFixed      = 0.4  // share of the integer columns that must be fixed
	subMinFixed   = 5    // integer columns fixed at least
	subNodes      = 200  // nodes of a sub-MIP at most
	subTries      = 5    // sub-MIPs one after the other at most
	subWiden      = 0.8  // factor on the share of fixed columns after a complete search near the LP without a point
	subGap        = 1e-3 // relative gap at which a sub-MIP ends, or Options.Gap if that is larger
	subCharge     = 100  // work per entry of the model that a neighbourhood of the incumbent costs apart from its LPs
	subTarget     = 0.01 // share of the gap by which a point must be better than the incumbent
	subMinBudget  = 0.05 // least share of the work for neighbourhoods of the incumbent while they find nothing
	subBudgetLoss = 0.85 // factor on that share at every failure
	subStalled    = 0.3  // that least share while the bound of the tree stands still; all sub-MIPs get as much more
)

// share is what may be used of the work so far, and of the root's beyond that.
type share struct{ all, root float64 }

var (
	subShare = share{0.1, 0.3}  // one sub-MIP near the LP, all of them, and all around the incumbent that found no point
	subOne   = share{0.04, 0.1} // one sub-MIP around the incumbent
	subTotal = share{0.2, 0.2}  // all sub-MIPs
)

// neighbourhoods searches a small neighbourhood of the LP point or of the incumbent by a search of its own. Without
// an incumbent the columns that are integral in the LP are fixed (RENS: Berthold 2014): where that leaves no point
// fewer of those, and where the search ends before it has found one, more; of csched008 every neighbourhood with all
// fixed is infeasible. With an incumbent most columns keep its values; see adaptive. At the root, and where a lazy
// hook separates, those are the columns on which incumbent and LP agree (RINS: Danna, Rothberg, Le Pape 2005): with a
// hook larger neighbourhoods cost f50-c100-s256-r5 twice the time.
type neighbourhoods struct {
	last      int     // nodes done at the last call
	wait      int     // nodes between two calls with a lazy hook
	searches  int     // sub-MIPs so far
	atRoot    bool    // the present node is the root
	work      float64 // spent here
	fruitless float64 // work of searches around an incumbent that found no point
	rootWork  float64 // of the LPs at the root
	budget    float64 // share of the work that fruitless may be
	fixings   float64 // share of the columns integral in the LP that may be fixed
	adaptive  adaptive
	order     []int32 // scratch
}

// due reports whether a sub-MIP should be tried at the node.
func (h *neighbourhoods) due(s *search, nd *node, _ *rounds) bool {
	// Inside a sub-MIP there are no further ones, and few columns need none.
	if s.origin.subMIP || len(s.p.decisions) < 2*subMinFixed {
		return false
	}

	// The work of the root, apart from its cuts, is the measure of what later calls may cost.
	if h.atRoot = nd.depth == 0; nd.id == 0 {
		h.rootWork = s.effort.work - float64(s.gen.work)
	} else if !h.atRoot && s.effort.allNodes()-h.last < h.every(s) {
		return false
	}
	return h.affordable(s)
}

// every is the number of nodes between two calls.
func (h *neighbourhoods) every(s *search) int {
	switch {
	case s.hooks.Lazy != nil:
		return max(h.wait, subWait)
	case s.inc.guide() != nil && !h.adaptive.used():
		return subWait
	}
	return subEvery
}

// nearLP reports whether neighbourhoods are those of the LP point.
func (h *neighbourhoods) nearLP(s *search) bool {
	return h.atRoot || s.inc.guide() == nil || s.hooks.Lazy != nil
}

// of is the share of the work of the search.
func (h *neighbourhoods) of(c share, work float64) float64 { return c.all*work + c.root*h.rootWork }

// affordable reports whether sub-MIPs have used less of the work than they may: those that found points may use more.
func (h *neighbourhoods) affordable(s *search) bool {
	// The share is one of the work of everything else, so that sub-MIPs do not pay for themselves.
	others := s.effort.allWork() - h.work
	if h.nearLP(s) {
		return h.work <= h.of(subShare, others)
	}

	// While the bound stands still better points are the only progress there is: searches that fail get more, too.
	extra := subStalled * s.standstill(s.tree.bound())
	failed := share{math.Max(h.budget, extra), subTotal.root}
	total := share{subTotal.all + extra, subTotal.root}
	return h.fruitless <= h.of(failed, others) && h.work <= h.of(total, others)
}

func (h *neighbourhoods) fork(*search) heuristic {
	f := *h
	f.order = nil
	f.adaptive = h.adaptive.clone()
	return &f
}

// run searches neighbourhoods one after the other: of the LP point while there is no incumbent and they hold no point,
// of the incumbent while they hold better ones.
func (h *neighbourhoods) run(ctx context.Context, s *search, _ *node) error {
	// The counts before the calls show at the end whether they were a success.
	h.last = s.effort.allNodes()
	accepted := s.inc.accepted
	searches := h.searches
	for range subTries {
		next := h.searchNearLP
		if !h.nearLP(s) {
			next = h.searchAround
		}
		if more, err := next(ctx, s); err != nil {
			return err
		} else if !more || !h.affordable(s) {
			break
		}
	}

	// Failures make the distance grow where a hook separates; without one the work limits the calls.
	switch {
	case s.inc.accepted > accepted:
		h.wait = subWait
	case h.searches > searches:
		h.wait = min(2*h.every(s), subMaxWait)
	}
	return nil
}

// searchNearLP searches around the LP point, and reports whether a larger neighbourhood may hold a point.
func (h *neighbourhoods) searchNearLP(ctx context.Context, s *search) (bool, error) {
	m, ok := h.integralInLP(s)
	if !ok {
		return false, nil
	}

	// Only without an incumbent another neighbourhood is tried at once.
	first := s.inc.guide() == nil
	out, err := h.search(ctx, s, m, h.options(s, subShare))
	switch {
	case err != nil:
		return false, err
	// The search was too large if it has ended without a point: more columns are fixed the next time.
	case !out.complete && !out.found:
		h.fixings = math.Min(1, h.fixings/subWiden)
	// It was complete and has no point: fewer columns are fixed, and the next one follows at once.
	case !out.found && first:
		h.fixings = math.Max(h.fixings*subWiden, subFixed)
		return true, nil
	}
	return false, nil
}

// searchAround searches around the incumbent, and reports whether it has found a better point.
func (h *neighbourhoods) searchAround(ctx context.Context, s *search) (bool, error) {
	m, ok := h.adaptive.model(s)
	if !ok {
		return false, nil
	}
	opt := h.options(s, subOne)

	// A new point has to close a share of the gap to be worth the search.
	if bound := math.Min(s.tree.bound(), s.point.objective); s.inc.x != nil && !math.IsInf(bound, 0) {
		better := s.inc.objective - subTarget*math.Max(0, s.inc.objective-bound)
		opt.Cutoff = s.p.sense * math.Min(s.inc.cutoff, better)
	}

	work := h.work
	out, err := h.search(ctx, s, m, opt)
	if err != nil {
		return false, err
	}

	// Setting up a search is no work of LPs, but takes time in proportion to the entries.
	charge := subCharge * float64(s.p.byCol.NNZ())
	h.adaptive.learn(out, h.work-work < charge)
	h.work += charge

	// A success restores the usual share of the work, a failure lowers it.
	if out.found {
		h.budget = subShare.all
	} else {
		h.fruitless += h.work - work
		h.budget = math.Max(h.budget*subBudgetLoss, subMinBudget)
	}
	return out.found, nil
}

// options are those of the next sub-MIP.
func (h *neighbourhoods) options(s *search, c share) Options {
	opt := s.subOptions()
	opt.MaxNodes = subNodes
	opt.MaxWork = math.Min(opt.MaxWork, h.of(c, s.effort.allWork()))
	opt.Gap = math.Max(opt.Gap, subGap)
	opt.Cuts = false
	return opt
}

// subOutcome is the outcome of a sub-MIP: a better point was found, its whole neighbourhood was searched.
type subOutcome struct{ found, complete bool }

// search solves a sub-MIP, offers its point and counts its work.
func (h *neighbourhoods) search(ctx context.Context, s *search, m *lp.Model, opt Options) (subOutcome, error) {
	accepted := s.inc.accepted
	before := s.effort.work
	status, err := s.searchSub(ctx, m, opt, FromHeuristic)

	// The sub-MIP has spent its work in the effort of this search already.
	h.searches++
	h.work += s.effort.work - before
	return subOutcome{found: s.inc.accepted > accepted,
		complete: status == lp.Infeasible || status == lp.ObjectiveLimit || status == lp.Optimal}, err
}

// integralInLP fixes the columns integral in the LP, at the value of the incumbent where there is one: the share that
// may be fixed, those with the largest reduced costs first.
func (h *neighbourhoods) integralInLP(s *search) (*lp.Model, bool) {
	m := s.restricted()
	guide := s.inc.guide()
	h.order = h.order[:0]
	for _, j := range s.p.decisions {
		// Only columns that are integral in the LP are fixed, and where there is an incumbent, at its values.
		v := math.Round(s.point.x[j])
		if math.Abs(s.point.x[j]-v) > s.opt.Tolerances.Integrality || guide != nil && v != guide[j] {
			continue
		}
		if v >= m.Cols[j].Lower && v <= m.Cols[j].Upper {
			h.order = append(h.order, j)
		}
	}

	// Columns with large reduced costs are the last to leave their values in a better point.
	fixed := len(h.order)
	least := subFixed * float64(len(s.p.decisions))
	if h.fixings < 1 {
		fixed = max(int(h.fixings*float64(fixed)), int(math.Ceil(least)))
		slices.SortStableFunc(h.order, func(a, b int32) int {
			return cmp.Compare(math.Abs(s.point.price[b]), math.Abs(s.point.price[a]))
		})
	}

	// A neighbourhood with too few fixed columns is nearly the whole problem.
	if fixed > len(h.order) || fixed < subMinFixed || float64(fixed) < least {
		return nil, false
	}
	for _, j := range h.order[:fixed] {
		v := math.Round(s.point.x[j])
		setBounds(m, j, v, v)
	}
	return m, true
}
