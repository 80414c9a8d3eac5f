package bnb

import "math"

// effort is what the search has spent. Limits, and shares that parts of the search may use, are held against it.
type effort struct {
	nodes      int     // nodes done, or begun
	improved   int     // of them when the last point was accepted
	iterations int     // of all LPs
	ofNodes    int     // of node LPs
	ofProbes   int     // of strong branching
	work       float64 // units of everything
	maxWork    float64 // Options.MaxWork
}

// begin counts a node.
func (e *effort) begin() { e.nodes++ }

// accepted says that a point was accepted.
func (e *effort) accepted() { e.improved = e.nodes }

// spend adds the iterations and the work of an LP, of a search inside this one, or of what solves no LP.
func (e *effort) spend(iterations int, work float64) {
	e.iterations += iterations
	e.work += work
}

// include adds the nodes of a search that did the work of this one.
func (e *effort) include(nodes int) { e.nodes += nodes }

// forNode says that so many iterations were those of a node LP, forProbe that they were a probe.
func (e *effort) forNode(iterations int)  { e.ofNodes += iterations }
func (e *effort) forProbe(iterations int) { e.ofProbes += iterations }

// left is the work that the limit leaves.
func (e *effort) left() float64 { return math.Max(0, e.maxWork-e.work) }

// exhaust says that an LP has ended at the limit on work.
func (e *effort) exhaust() { e.work = math.Max(e.work, e.maxWork) }

// probeLimit is the iteration limit of one probe: twice what a node takes on average.
func (e *effort) probeLimit() int {
	return min(max(2*e.ofNodes/max(e.nodes, 1), strongMinIter), strongMaxIter)
}
