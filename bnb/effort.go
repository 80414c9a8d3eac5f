package bnb

import "math"

// effort is what the search has spent. Limits, and shares that parts of the search may use, are held against it.
type effort struct {
	nodes      int     // nodes done, or begun
	improved   int     // nodes at the time when the last point was accepted
	iterations int     // of all LPs
	ofNodes    int     // of node LPs
	ofProbes   int     // of strong branching
	work       float64 // units of everything
	maxWork    float64 // Options.MaxWork

	others spent   // by the other workers
	span   float64 // of the work, what was done one after the other: see Result.Span

	clock  float64             // work and the charges of nodes: the rounds of a worker end by it
	charge float64             // what a node takes apart from LPs and separators
	onWork func(clock float64) // called with every change of the clock; nil for none
}

// spent is what others have done of the same tree.
type spent struct {
	nodes int
	work  float64
}

// allNodes and allWork count what others have done too.
func (e *effort) allNodes() int    { return e.nodes + e.others.nodes }
func (e *effort) allWork() float64 { return e.work + e.others.work }

// setOthers records what the other workers have spent, given the effort of all.
func (e *effort) setOthers(all *effort) { e.others = spent{all.nodes - e.nodes, all.work - e.work} }

// begin counts a node.
func (e *effort) begin() {
	e.nodes++
	e.advance(e.charge)
}

// advance moves the clock.
func (e *effort) advance(work float64) {
	e.clock += work
	if e.onWork != nil {
		e.onWork(e.clock)
	}
}

// nested is the onWork of a search inside this one, whose work will be spent here at its end.
func (e *effort) nested() func(clock float64) {
	if e.onWork == nil {
		return nil
	}

	// The outer clock goes on from where it stands now.
	base := e.clock
	return func(clock float64) { e.onWork(base + clock) }
}

// duringLP is called with the work of an LP while it is being solved; nil where nothing depends on the clock.
func (e *effort) duringLP() func(work float64) {
	if e.onWork == nil {
		return nil
	}
	return func(work float64) { e.onWork(e.clock + work) }
}

// accepted records that a point was accepted.
func (e *effort) accepted() { e.improved = e.nodes }

// noRecentImprovement reports whether a large share of all nodes has brought no better point.
func (e *effort) noRecentImprovement() bool {
	return e.nodes > stalledNodes && float64(e.nodes-e.improved) >= stalledShare*float64(e.nodes)
}

// spend adds the iterations and the work of an LP, of a search inside this one, or of what solves no LP.
func (e *effort) spend(iterations int, work float64) {
	e.iterations += iterations
	e.work += work
	e.span += work
	e.advance(work)
}

// spendAtOnce is spend for work of several threads; span is the part that was done one after the other.
func (e *effort) spendAtOnce(iterations int, work, span float64) {
	e.spend(iterations, work)
	e.span -= work - span
}

// join adds what a worker has spent between two states of its effort.
func (e *effort) join(before, now *effort) {
	// All counts only grow, so that their differences are what was spent in between.
	e.nodes += now.nodes - before.nodes
	e.iterations += now.iterations - before.iterations
	e.ofNodes += now.ofNodes - before.ofNodes
	e.ofProbes += now.ofProbes - before.ofProbes
	e.work += now.work - before.work
}

// include adds what a search has spent that did the work of this one, on several threads or one.
func (e *effort) include(res *Result) {
	// The other search may have used several threads: of its work only the span was one after the other.
	e.nodes += res.Nodes
	e.spendAtOnce(res.LPIterations, res.Work, res.Span)
}

// extend adds work of several workers, as much as was done one after the other.
func (e *effort) extend(span float64) { e.span += span }

// fork starts the effort of one of several workers. What was spent before counts for the shares of its heuristics.
// Probes have this share of the iterations of nodes, and each worker has its part of what is left of that.
func (e *effort) fork(workers int, share, charge float64, onWork func(clock float64)) effort {
	// The clock of a worker begins at zero, and counts the charge of each node.
	f := *e
	f.clock = 0
	f.charge = charge
	f.onWork = onWork
	f.ofProbes += max(0, int(e.probesLeft(share))) * (workers - 1) / workers
	return f
}

// idleUntil moves the clock to a time up to which the worker had nothing to do.
func (e *effort) idleUntil(time float64) { e.clock = math.Max(e.clock, time) }

// allow sets the limit on work to that much from now.
func (e *effort) allow(work float64) { e.maxWork = e.work + work }

// forNode counts iterations that were those of a node LP, forProbe iterations of a probe.
func (e *effort) forNode(iterations int)  { e.ofNodes += iterations }
func (e *effort) forProbe(iterations int) { e.ofProbes += iterations }

// left is the work that the limit leaves.
func (e *effort) left() float64 { return math.Max(0, e.maxWork-e.work) }

// exhaust records that an LP has ended at the limit on work.
func (e *effort) exhaust() { e.work = math.Max(e.work, e.maxWork) }

// probeLimit is the iteration limit of one probe: twice what a node takes on average.
func (e *effort) probeLimit(p *probing) int {
	// The average over the nodes so far is kept between the limits of the rule.
	return min(max(2*e.ofNodes/max(e.nodes, 1), p.least), p.most)
}

// probesLeft is the number of iterations that probes may still use where they have this share of those of nodes.
func (e *effort) probesLeft(share float64) float64 {
	return share*float64(e.ofNodes) + strongFree - float64(e.ofProbes)
}
