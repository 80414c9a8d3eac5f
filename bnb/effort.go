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

	others spent   // by the other workers
	span   float64 // of the work, what was done one after the other: see Result.Span

	clock  float64             // work, and the charge of every node: by it the rounds of a worker end
	charge float64             // for what a node takes beside LPs and separators
	tick   func(clock float64) // told of the clock; nil for none
}

// spent is what others have done of the same tree.
type spent struct {
	nodes int
	work  float64
}

// allNodes and allWork count what others have done too.
func (e *effort) allNodes() int    { return e.nodes + e.others.nodes }
func (e *effort) allWork() float64 { return e.work + e.others.work }

// hear says what the whole team has spent.
func (e *effort) hear(all *effort) { e.others = spent{all.nodes - e.nodes, all.work - e.work} }

// begin counts a node.
func (e *effort) begin() {
	e.nodes++
	e.advance(e.charge)
}

// advance moves the clock.
func (e *effort) advance(work float64) {
	e.clock += work
	if e.tick != nil {
		e.tick(e.clock)
	}
}

// nested is the tick of a search inside this one, which will be spent at its end.
func (e *effort) nested() func(clock float64) {
	if e.tick == nil {
		return nil
	}
	base := e.clock
	return func(clock float64) { e.tick(base + clock) }
}

// watch is told of the work of an LP while it is being solved; nil where nobody is told of the clock.
func (e *effort) watch() func(work float64) {
	if e.tick == nil {
		return nil
	}
	return func(work float64) { e.tick(e.clock + work) }
}

// accepted says that a point was accepted.
func (e *effort) accepted() { e.improved = e.nodes }

// barren reports whether a large share of all nodes has brought no better point.
func (e *effort) barren() bool {
	return e.nodes > barrenNodes && float64(e.nodes-e.improved) >= barrenShare*float64(e.nodes)
}

// spend adds the iterations and the work of an LP, of a search inside this one, or of what solves no LP.
func (e *effort) spend(iterations int, work float64) {
	e.iterations += iterations
	e.work += work
	e.span += work
	e.advance(work)
}

// join adds what a worker has spent between two states of its effort.
func (e *effort) join(before, now *effort) {
	e.nodes += now.nodes - before.nodes
	e.iterations += now.iterations - before.iterations
	e.ofNodes += now.ofNodes - before.ofNodes
	e.ofProbes += now.ofProbes - before.ofProbes
	e.work += now.work - before.work
}

// overlap says that so much of the work that was spent was done beside other work.
func (e *effort) overlap(work float64) { e.span -= work }

// extend adds work of a team, as much as was done one after the other.
func (e *effort) extend(span float64) { e.span += span }

// fork starts the effort of one of so many workers: what was spent before counts for the shares of its heuristics.
// Probes have this share of the iterations of nodes.
func (e *effort) fork(workers int, share, charge float64, tick func(clock float64)) effort {
	f := *e
	f.clock, f.charge, f.tick = 0, charge, tick
	f.ofProbes += max(0, int(e.probesLeft(share))) * (workers - 1) / workers
	return f
}

// rest moves the clock to a time at which the worker had nothing to do.
func (e *effort) rest(until float64) { e.clock = math.Max(e.clock, until) }

// allow leaves so much work.
func (e *effort) allow(work float64) { e.maxWork = e.work + work }

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
func (e *effort) probeLimit(p *probing) int {
	return min(max(2*e.ofNodes/max(e.nodes, 1), p.least), p.most)
}

// probesLeft is how many iterations probes may still use where they have this share of those of nodes.
func (e *effort) probesLeft(share float64) float64 {
	return share*float64(e.ofNodes) + strongFree - float64(e.ofProbes)
}
