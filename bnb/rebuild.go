package bnb

import "math"

// The top of a tree is branched on with few observations of the columns, and every node below pays for what is
// branched on there. So a tree that has far to go is thrown away, and built again from the root with what was learnt
// in it: pseudo-costs, cuts, conflicts, the incumbent. Two shares estimate how far it has to go: the share of the
// tree that is done, which is 1 less 2^-depth for every open node (Knuth 1975; restarts by this estimate: Anderson,
// Hendel, Le Bodic, Viernickel 2019, "Clairvoyant restarts in branch-and-bound search using online tree-size
// estimation"), and the share of the gap at its start that is closed. Either alone misleads: of roll3000's tree a
// third was done after 1800 nodes, and a seventh of the gap closed. The numbers were chosen by hand.
const (
	rebuildNodes  = 200    // nodes after which the first tree may be thrown away
	rebuildFactor = 3      // nodes of all trees at the next look, as a multiple of those at the last one
	rebuildShare  = 0.0025 // product of the two shares from which on a tree stays
)

// treeProgress is when the tree is looked at next, and how much of it must be done then for it to stay.
type treeProgress struct {
	at    int     // nodes of all trees at the next look
	share float64 // product of the two shares from which on the tree stays
	from  float64 // bound at the start of the tree; -Inf for that of the root LP
}

// newTreeProgress starts with the usual rules, or, where restartAfter is positive, with a rebuild after that number
// of nodes.
func newTreeProgress(restartAfter int) treeProgress {
	if restartAfter > 0 {
		return treeProgress{restartAfter, inf, -inf}
	}
	return treeProgress{rebuildNodes, rebuildShare, -inf}
}

// postpone puts the next look off.
func (g *treeProgress) postpone() { g.at *= rebuildFactor }

// begin records the bound with which a tree begins.
func (g *treeProgress) begin(bound float64) { g.from = bound }

// rebuildDue reports whether the tree should be looked at. Where hooks separate, branch or look for points, trees stay.
func (s *search) rebuildDue() bool {
	return s.effort.nodes >= s.progress.at && !s.origin.subMIP && !s.hooks.steer()
}

// rebuildTree replaces the tree by a new root, if it has far to go. All open nodes are in its queue. Without an
// incumbent the tree stays: it has to find a point, to which its deep nodes are nearest.
func (s *search) rebuildTree() {
	s.progress.postpone()

	// A tree with enough progress stays, and so does one that still looks for its first point.
	if s.tree.len() == 0 || s.inc.guide() == nil || s.tree.share()*s.closedShare() >= s.progress.share {
		return
	}

	// The bound that the old tree has proven is that of the new root.
	bound := s.tree.least()
	s.progress.begin(bound)
	s.tree.clear()
	s.plunge.reset()
	s.tree.newRoot(bound)
}

// closedShare is the share of the gap at the start of the tree that it has closed.
func (s *search) closedShare() float64 {
	from := s.progress.from
	if math.IsInf(from, -1) {
		from = s.root.objective
	}
	return math.Max(0, (s.tree.least()-from)/(s.inc.cutoff-from))
}

// share estimates the share of the tree that is done from the depths of its open nodes.
func (t *tree) share() float64 {
	open := 0.0

	// A node at depth d stands for 2^-d of the tree.
	for _, nd := range t.heaps[byBound].nodes {
		open += math.Ldexp(1, -nd.depth)
	}
	return 1 - open
}
