package bnb

import "math"

// The top of a tree is branched on when little is known of the columns, and what is branched on there is paid for in
// every node below. So a tree that has far to go is thrown away, and grown anew from the root with what was learnt in
// it: pseudo-costs, cuts, conflicts, the incumbent. How far it has to go is told by two shares: of the tree that is
// done, which is 1 less 2^-depth for every open node (Knuth 1975; restarts by it: Anderson, Hendel, Le Bodic,
// Viernickel 2019, "Clairvoyant restarts in branch-and-bound search using online tree-size estimation"), and of the gap
// at its start that is closed. Either alone misleads: of roll3000's tree a third was done after 1800 nodes, and a
// seventh of the gap closed.
const (
	regrowNodes = 200    // nodes after which the first tree may be thrown away
	regrowTimes = 3      // and so many times those of all trees so far the next one
	regrowDone  = 0.0025 // but not where the product of the shares is so large
)

// growth is when the tree is looked at next, and what must be done of it then.
type growth struct {
	at   int     // nodes of all trees
	done float64 // product of the shares
	from float64 // bound at the start of the tree; -Inf for that of the root LP
}

func newGrowth(o *Options) growth {
	if o.fickle > 0 {
		return growth{o.fickle, inf, -inf}
	}
	return growth{regrowNodes, regrowDone, -inf}
}

// wait puts the next look off.
func (g *growth) wait() { g.at *= regrowTimes }

// begin says that a tree begins with that bound.
func (g *growth) begin(bound float64) { g.from = bound }

// regrowDue reports whether the tree should be looked at. Where hooks separate, branch or look for points, trees stay.
func (s *search) regrowDue() bool {
	return s.effort.nodes >= s.growth.at && !s.opt.sub && !s.hooks.steer()
}

// regrow throws the tree away and plants a new one, if it has far to go. All open nodes are in its queue. Without an
// incumbent it is a point that the tree is to find, to which its deep nodes are nearest.
func (s *search) regrow() {
	s.growth.wait()
	if s.tree.len() == 0 || s.inc.guide() == nil || s.tree.share()*s.closedShare() >= s.growth.done {
		return
	}
	bound := s.tree.least()
	s.growth.begin(bound)
	s.tree.clear()
	s.plunge.forget()
	s.tree.plant(bound)
}

// closedShare is the share of the gap at the start of the tree that it has closed.
func (s *search) closedShare() float64 {
	from := s.growth.from
	if math.IsInf(from, -1) {
		from = s.root.objective
	}
	return math.Max(0, (s.tree.least()-from)/(s.inc.cutoff-from))
}

// share is the share of the tree that is done, as its open nodes tell it.
func (t *tree) share() float64 {
	open := 0.0
	for _, nd := range t.heaps[byBound] {
		open += math.Ldexp(1, -nd.depth)
	}
	return 1 - open
}
