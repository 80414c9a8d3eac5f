package bnb

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// poolViolated checks x against the cuts of hooks in the pool, the latest first. Where an LP is to be solved for the
// answer, it puts violated ones into it: all among the latest 64, or the 128 before, and so on until there are some.
// All of thousands would slow the LP down, and a few move it as far.
func (s *search) poolViolated(x []float64, insert bool) bool {
	q := &s.pool.hooked
	violated := false

	// The latest cuts are the likeliest to be violated. Each further part is twice as large.
	end := len(q.cuts)
	for n := poolChunk; end > 0 && !violated; n *= 2 {
		at := max(0, end-n)
		for k, act := range q.activities(x, at, end) {
			c := q.cuts[at+k]
			if c.violationAt(act) <= s.pool.tolerance(c, s.opt.CutViolation) {
				continue
			}
			violated = true
			// Without an LP to solve one violated cut decides.
			if !insert {
				break
			}
			s.lp.insert(c)
		}
		end = at
	}
	return violated
}

// absorb takes the cuts of a hook: those that x violates go to the pool and to the LP, the best (by
// efficacy) first and at most the given number; the others are ignored. It returns how many x violates.
func (s *search) absorb(cuts []Cut, x []float64, lazy bool, limit int) (violated int, err error) {
	type scored struct {
		c        *cut
		efficacy float64
	}

	// Cuts that the point satisfies are ignored, whatever their hook expects.
	var list []scored
	for k := range cuts {
		c, err := s.pool.read(&cuts[k])
		if err != nil {
			return violated, err
		}
		if act := c.activity(x); c.violationAt(act) > s.opt.CutViolation {
			list = append(list, scored{c, c.efficacyAt(act)})
		}
	}

	// A cut that is parallel to one of the pool tightens that one, which may be in the LP already.
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.efficacy, a.efficacy) })
	for _, e := range list[:min(limit, len(list))] {
		// A parallel cut of the pool takes the sides of the new one.
		kept, isNew, changed := s.pool.add(e.c)
		s.pool.refine(kept, e.c)
		s.pool.give(kept)
		if isNew || changed {
			s.pool.count(lazy)
		}
		if changed && kept.row >= 0 {
			s.lp.tightened(kept)
		}

		// A cut that the LP holds already may be violated by less than counts.
		if kept.violation(x) > s.pool.tolerance(kept, s.opt.CutViolation) {
			violated++
			s.lp.insert(kept)
		}
	}
	return violated, nil
}

// rounds is the state of the cut loop at one node.
type rounds struct {
	done, limit   int     // rounds of the user hook, and the most of them
	pool          int     // rounds with cuts of the pool alone
	stalls, allow int     // rounds in a row without progress, and the number of them that ends the loop
	progress      float64 // relative gain of the bound that counts as progress
	share         float64 // least progress as a share of the whole gain so far
	first, last   float64 // LP objective at the first round, and at the last that counted
	parent        float64 // LP objective of the parent where a hook separates in rounds, else -Inf
	s             *search // where the cuts of this package are separated at the root
	refuted       int     // directions that probes have refuted
	heuristics    bool    // done at this node
	tightened     int     // times that new bounds cut the LP point off after the heuristics
	observed      bool    // the pseudo-cost observation is recorded
	grown         int     // s.lp.grown at the last LP solve
}

// newRounds begins the cut loop of a node, with the limits of the root or of a node below.
func (s *search) newRounds(nd *node) *rounds {
	r := &rounds{
		limit:    s.opt.NodeRounds,
		allow:    nodeStall,
		progress: nodeProgress,
		last:     math.Inf(-1),
		parent:   math.Inf(-1),
	}

	if nd.depth == 0 {
		// At the root there are more rounds, with progress measured by smaller steps, and this package's own cuts.
		r.limit = s.opt.RootRounds
		r.allow = rootStall
		r.progress = rootProgress
		if s.ownCuts() {
			r.allow = cutStall
			r.share = cutProgress
			r.s = s
			s.gen.beginRoot()
		}
	} else if s.hooks.User != nil && r.limit > 1 && nd.branch.col >= 0 {
		// The LP value of the parent shows whether the branching has raised it at all.
		r.parent = nd.branch.objective
	}
	return r
}

// moved records the LP objective of a round and reports whether the loop is still worth its time. At a node whose LP
// has the value of its parent's more rounds are: a hook's cuts describe costs that the LP does not contain yet, and
// while their sum is the only thing that holds the value up, the point moves on a face of it and branching raises
// nothing. On stochastic facility location with 100 facilities 10,000 nodes had the root's value.
func (r *rounds) moved(objective float64) bool {
	if math.IsInf(r.last, -1) {
		r.first = objective
	}

	// The cuts of this package have to gain a share of what all rounds so far have gained.
	least := r.share * (objective - r.first)
	if r.share > 0 && r.s.gen.network() { // the first LP is too weak to be a measure
		least = min(least, r.share*math.Max(0, r.s.inc.objective-objective))
	}

	// Progress is measured from the last value that counted, so that small gains add up.
	if objective > r.last+math.Max(r.progress*math.Max(1, math.Abs(objective)), least) {
		r.stalls = 0
		r.last = objective
		return true
	}
	r.stalls++

	// For the cuts of hooks a slow gain is a gain: the next round is measured from there.
	if r.share == 0 {
		r.last = math.Max(r.last, objective)
		if objective <= r.parent+flatRise*math.Max(1, math.Abs(objective)) {
			return r.stalls < flatStall
		}
		return r.stalls < r.allow
	}
	return r.stalls < r.patience(objective)
}

// patience is the number of rounds without progress that ends the cuts of this package: fewer where most of the gap
// is closed and the rest is small, so that a tree is the faster end, and where no round has gained anything. But
// where the rounds still cut at many rows the bound may be waiting for all of them: of bins that are alike each has
// to be cut before it moves.
func (r *rounds) patience(objective float64) int {
	best := r.s.inc.objective
	switch {
	case objective-r.first >= lateClosed*(best-r.first) && lp.RelativeGap(best, objective) <= lateGap:
		return lateStall
	case r.idle() && r.s.gen.added*manyRows < r.s.p.rows:
		return maxRoundsWithoutGain
	}
	return r.allow
}

// idle reports whether there were rounds and none has gained anything.
func (r *rounds) idle() bool { return r.stalls > 0 && r.last == r.first }

// separate looks for cuts at the fractional LP point of the node: the pool first, then the user hook
// and the cuts of this package. It returns again when the LP has got new violated rows.
func (s *search) separate(ctx context.Context, nd *node, r *rounds) (verdict, error) {
	// The loop ends at the limits on rounds, and without progress.
	if r.done >= r.limit && r.pool >= poolRounds || !r.moved(s.point.objective) {
		return proceed, nil
	}

	// Rows leave only where the bound has moved: so deleted rows cannot make the loop go in circles.
	// The age at which rows leave is smaller where this package separates, since it makes far more of them.
	own := nd.depth == 0 && s.ownCuts()
	if nd.depth == 0 && r.stalls == 0 {
		age := ageLimit
		if own {
			age = rootCutAge
		}
		s.lp.purge(age, false)
	}

	// Cuts of the pool cost no separation, so that they come before a hook is called.
	if !own && r.pool < poolRounds && s.separatePool(false) > 0 {
		r.pool++
		return again, nil
	}
	if r.done >= r.limit {
		return proceed, nil
	}

	// With CutsFirst the cuts of this package come before the hook, otherwise only where the hook finds nothing.
	added := 0
	if own && s.opt.CutOrder == CutsFirst {
		added += s.cutRoot(r)
	}
	if added == 0 && s.hooks.User != nil {
		n, err := s.askUser(ctx)
		if err != nil {
			return proceed, err
		}
		added += n
	}
	if added == 0 && s.ownCuts() {
		switch {
		case own && s.opt.CutOrder != CutsFirst:
			added += s.cutRoot(r)
		case !own && s.hooks.User == nil:
			back := s.clock.enter(PartCuts)
			added += s.gen.inTree(s, r.done)
			s.clock.leave(back)
		}
	}

	// A round counts whether it has found cuts or not.
	r.done++
	if added > 0 {
		return again, nil
	}
	return proceed, nil
}

// cutRoot separates the cuts of this package once at the root, and returns their number.
func (s *search) cutRoot(r *rounds) int {
	back := s.clock.enter(PartCuts)
	defer s.clock.leave(back)

	// Rounds of the pool alone would count as stalls.
	return s.gen.round(s, r.idle()) + s.separatePool(true)
}

// ownCuts reports whether the cuts of this package are separated.
func (s *search) ownCuts() bool {
	return s.opt.Cuts && (s.hooks.User == nil || s.opt.CutOrder != HookAlone)
}

// purge deletes old cut rows at the end of a node, and at the end of the root all that were slack in its last LP.
func (s *search) purge(nd *node) {
	// At the end of the root the rows that are slack are of no use to the first nodes.
	if nd.depth == 0 && s.ownCuts() {
		s.lp.purge(1, true)
	} else {
		s.lp.purge(ageLimit, false)
	}
}

// separatePool puts cuts outside the LP that the node's LP point violates back into it. It checks all of the pool, or
// a part, the next one at the next fractional point: to check thousands at every node took longer than the node's LP.
func (s *search) separatePool(all bool) int {
	n := 0
	for _, q := range []*screen{&s.pool.hooked, &s.pool.others} {
		// At the root the whole pool is checked, at a node the next part.
		at := 0
		end := len(q.cuts)
		if !all {
			at, end = q.part()
		}
		for k, act := range q.activities(s.point.x, at, end) {
			if c := q.cuts[at+k]; c.row < 0 && c.violationAt(act) > s.opt.CutViolation {
				s.lp.insert(c)
				n++
			}
		}
	}
	return n
}

// askUser calls the user-cut hook at the node's LP point.
func (s *search) askUser(ctx context.Context) (int, error) {
	// The time of the hook is its own, without that for its cuts.
	back := s.clock.enter(PartUser)
	sep, err := s.hooks.User(ctx, s.candidate(s.point.x, s.point.objective, FromRelaxation))
	s.clock.leave(back)
	if err != nil {
		return 0, s.limits.hookError(ctx, err)
	}

	// Cuts of the pool that return to the LP count like new ones.
	before := s.lp.grown
	if _, err := s.absorb(sep.Cuts, s.point.x, false, roundBase+s.p.n/2); err != nil {
		return 0, err
	}
	added := s.lp.grown - before
	return added, s.offerAll(ctx, sep.Points)
}
