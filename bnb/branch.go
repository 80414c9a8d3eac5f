package bnb

import (
	"context"
	"math"
)

// choice is a branching: a column, or an ordered set after the columns, and the bounds of the children down and up if
// known.
type choice struct {
	col        int32
	value      float64 // children: x <= floor(value) and x >= floor(value)+1; of a set the weight of its second part
	down, up   float64 // proven bounds of the children, -Inf if unknown
	gainDown   float64 // predicted gains of the LP bound
	gainUp     float64
	fractional bool // the LP value is fractional: pseudo-costs may learn from it
}

// next takes the node to process: while the plunge pays, a child of the last node or the sibling
// of a fathomed one; else the best of the queue.
func (s *search) next() *node {
	// The next node of the plunge starts from the basis and the domain that are still in place.
	if nd := s.plunge.next; nd != nil && s.worthwhile(nd) {
		s.tree.remove(nd)
		s.plunge.enter(nd, false)
		return nd
	}

	// Without a better point for long the bound is selected by more often.
	every := boundEvery
	if s.effort.noRecentImprovement() {
		every = stalledBoundEvery
	}
	nd := s.tree.pop(every)
	if nd != nil {
		s.plunge.enter(nd, true)
	}
	return nd
}

// worthwhile reports whether a plunge should go on to nd.
func (s *search) worthwhile(nd *node) bool {
	if !nd.queued() {
		return false
	}

	// A plunge goes on until the first incumbent, for its first levels, and where memory forbids a wide tree.
	if math.IsInf(s.inc.cutoff, 1) || nd.depth-s.plunge.start < minPlunge || s.memoryLow() {
		return true
	}
	best := math.Min(s.tree.bound(), nd.bound)
	if nd.bound <= best {
		return true // it is the next one by bound in any case
	}

	// Later it goes on while it is not deeper than the tree was before, in the better part of the gap.
	tooDeep := float64(nd.depth-s.plunge.start) > maxPlungeFactor*float64(s.plunge.deepest)
	return !tooDeep && nd.bound-best <= s.plungeQuota(best)*(s.inc.cutoff-best)
}

// plungeQuota is the share of the gap up to which the bound of a node may be above the best one for a plunge to go on.
// Where the bound stands still points lie deep: on gmu-35-50 nodes found at most one point with the least quota, and
// one to four with larger ones.
func (s *search) plungeQuota(best float64) float64 {
	return leastQuota + (1-leastQuota)*s.standstill(best)
}

// standstill is 1 while the tree, whose bound is best, has closed nothing of the gap at its root, so that a better
// point is the only progress there is; it falls to 0 at the share closedLeast.
func (s *search) standstill(best float64) float64 {
	// Hooks that separate close the gap by their cuts.
	if !s.root.known || s.hooks.steer() {
		return 0
	}
	gap := s.inc.cutoff - s.root.objective
	if gap <= 0 {
		return 0
	}
	closed := math.Max(0, (best-s.root.objective)/gap)
	return math.Max(0, 1-closed/closedLeast)
}

// branch picks a column at the node's LP point and makes the children.
func (s *search) branch(ctx context.Context, nd *node, r *rounds) (verdict, error) {
	// An integral point that was not accepted is divided on a column of a violated implication, or on any column that is
	// not fixed.
	switch {
	case len(s.point.fractional) > 0:
		// The branching hook comes before the rule of the options.
		if done, err := s.askBranch(ctx, nd); done || err != nil {
			return fathomed, err
		}
	case len(s.violatedLiterals(nil)) == 0:
		return s.splitIntegral(nd), nil
	}
	ch, v, err := s.choose(ctx, nd, r)
	if err != nil || v != proceed {
		return v, err
	}
	return s.split(nd, ch), nil
}

// unknown is a branching on a column whose children have no bounds yet.
func unknown(col int32, value float64) choice {
	return choice{col: col, value: value, down: math.Inf(-1), up: math.Inf(-1)}
}

// split makes the two children of a choice and queues those that may hold a better point.
func (s *search) split(nd *node, ch choice) verdict {
	// The estimate of a child is the LP objective, plus its own gain, plus the gains of the other fractional columns.
	sides := s.sides(ch.col, ch.value)
	cols := s.branchedOn(nd, ch, &sides)
	frac := ch.value - math.Floor(ch.value)
	rest := s.costs.others(&s.point, ch.col)
	children := [2]*node{
		{
			bound:    math.Max(nd.bound, s.p.roundUp(ch.down)),
			estimate: ch.gainDown + rest,
			changes:  sides[0],
			branch:   branching{ch.col, false, frac, s.point.objective},
		},
		{
			bound:    math.Max(nd.bound, s.p.roundUp(ch.up)),
			estimate: ch.gainUp + rest,
			changes:  sides[1],
			branch:   branching{ch.col, true, 1 - frac, s.point.objective},
		},
	}

	for _, c := range children {
		// No estimate is below the bound that is proven for the same subtree.
		c.estimate = math.Max(c.bound, s.point.objective+c.estimate)
		// A branching at an integral value is no observation of the pseudo-costs.
		if !ch.fractional {
			c.branch.col = -1
		}
	}
	s.adopt(nd, children[:], cols)
	s.plunge.prefer(s.preferred(children, ch))
	return fathomed
}

// adopt makes nd the parent of the children, which hold their bound changes, bounds and estimates, and queues those
// that may hold a better point. The columns cols decide to which of the children a point belongs.
func (s *search) adopt(nd *node, children []*node, cols []int32) {
	// From here on the parent holds all bounds derived at it, since its descendants replay the changes of their ancestors.
	nd.changes, nd.reasons = s.dom.changes()
	nd.start = nil
	nd.sibling = nil
	s.tree.updateSize(nd)

	// All children start from the last basis of the parent.
	start := s.lp.save()
	branched := s.orbits.moved(cols)
	for k, c := range children {
		c.branched = branched
		c.depth = nd.depth + 1
		c.parent = nd
		c.start = start
		// The siblings form a ring, so that a plunge finds another one behind each.
		if len(children) > 1 {
			c.sibling = children[(k+1)%len(children)]
		}
		c.place = [2]int{-1, -1}
		// A child at the cutoff is closed at once; its bound remains part of the global bound.
		if c.bound >= s.inc.cutoff {
			s.drop(c)
			continue
		}
		s.tree.add(c)
	}
	s.plunge.branched(nd)
}

// preferred picks the child to plunge into: towards the incumbent's value where that is nearly optimal, else up unless
// the LP value is close to the integer below. Plunges towards a bad incumbent go down, and deep, without finding
// anything: a binary column at zero implies little for the others.
func (s *search) preferred(children [2]*node, ch choice) *node {
	up := ch.value-math.Floor(ch.value) >= upFraction
	if s.inc.x != nil && s.inc.objective-s.tree.bound() <= nearIncumbent*math.Abs(s.inc.objective) {
		up = s.at(s.inc.x, ch.col) > ch.value
	}

	// Where the preferred child was closed at once the other one is next.
	k := direction(up)
	return firstQueued(children[k], children[1-k])
}

// firstQueued returns the first of the nodes that waits in the queue; nil if none does.
func firstQueued(nodes ...*node) *node {
	for _, nd := range nodes {
		if nd.queued() {
			return nd
		}
	}
	return nil
}

// splitIntegral branches where the LP point is integral to tolerance but decides nothing: on the
// column farthest from an integer, else the first that is not fixed.
func (s *search) splitIntegral(nd *node) verdict {
	// All columns are integral to tolerance, so that rounding errors decide which one is farthest away.
	best, far := int32(-1), -1.0
	for _, j := range s.p.ints {
		if d := math.Abs(s.point.x[j] - math.Round(s.point.x[j])); !s.dom.fixed(j) && d > far {
			best, far = j, d
		}
	}

	// The children are x <= v and x >= v+1: both exist for v between the lower bound and the upper one less 1.
	v := math.Min(math.Round(s.point.x[best]), s.dom.upper[best]-1)
	v = math.Max(v, s.dom.lower[best])
	return s.split(nd, unknown(best, v))
}

// splitBlind branches without an LP point: in the middle of the first domain that has one. Where none has, since all
// columns are fixed or without bounds, the LP is tried once more by itself.
func (s *search) splitBlind(ctx context.Context, nd *node) (verdict, error) {
	s.point.guess(nd.bound)
	for _, j := range s.p.ints {
		if v, ok := middle(s.dom.lower[j], s.dom.upper[j]); ok {
			return s.split(nd, unknown(j, v)), nil
		}
	}
	return s.closeLeaf(ctx, nd, brokenRows)
}

// middle returns an integer v that divides the domain of an integer column: x <= v and x >= v+1 are both smaller, and
// not empty. It returns false where there is none, as for one value, or far out where one bound is infinite: there each
// child would have a child like itself without end.
func middle(lower, upper float64) (v float64, ok bool) {
	// Infinite bounds are replaced by large ones, so that the interval has a middle.
	lo := math.Max(lower, -hugeBound)
	up := math.Min(upper, hugeBound)

	// An interval beyond the large bounds has a middle if its own bounds are finite; else v is infinite or no number.
	if lo >= up {
		lo, up = lower, upper
	}
	v = math.Floor(lo + (up-lo)/2)
	return v, v >= lower && v+1 <= upper && v < v+1
}

// choose returns the branching of the best score: by pseudo-costs where these are reliable, by probes elsewhere (see
// probing). Probes that refute a direction tighten the node instead.
func (s *search) choose(ctx context.Context, nd *node, r *rounds) (choice, verdict, error) {
	defer s.clock.leave(s.clock.enter(PartStrong))

	// The objective's own column is branched on before all others.
	if ch, ok := s.objectiveSplit(); ok {
		return ch, proceed, nil
	}
	st := strongBranching{s: s, nd: nd, rounds: r, best: choice{col: -1}, bestScore: -1}

	// The candidates come in the order of their predicted scores, so that probes begin with the most promising.
	for _, c := range s.costs.rank(s) {
		if s.costs.reliable(c.col, s.probing().reliable) || !st.affordable() {
			st.offer(s.costs.predict(c, s.valueOf(c)))
			continue
		}
		v, err := st.probe(ctx, c)
		if err != nil || v != proceed {
			st.leave()
			return choice{}, v, err
		}
	}

	// The basis of the node is needed again, by its children for instance.
	if err := st.leave(); err != nil {
		return choice{}, stopped, err
	}
	return st.finish(ctx)
}
