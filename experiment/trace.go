package experiment

import (
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/jsonl"
)

// maxTrace is the most points that a trace keeps; where there are more, every second one is dropped.
const maxTrace = 256

// tracer keeps a thinned trace of a run. It is cheap enough to be called at every log line.
type tracer struct {
	points []TracePoint

	// Every stride-th of the calls is kept.
	stride int
	calls  int

	// The point of the last call, whether or not it is kept.
	last TracePoint
}

// newTracer returns a tracer that keeps every point at first.
func newTracer() *tracer { return &tracer{stride: 1} }

// progress adds a point to the trace, or drops it.
func (t *tracer) progress(p benders.Progress) {
	best := p.TrueCost // the master's own objective may be too low where its cuts are not exact
	// A run that does not price designs has an exact master, or no true costs.
	if math.IsNaN(best) {
		best = p.Objective
	}

	// No value gets worse: the master drops slack cuts, and its parts may report a bound of their own.
	bound := p.Bound
	cuts := p.Cuts
	// The first point has none before it.
	if t.calls > 0 {
		cuts = max(cuts, t.last.Cuts)
		if b := float64(t.last.Bound); !(bound >= b) {
			bound = b
		}
		if v := float64(t.last.Incumbent); !(best <= v) && !math.IsNaN(v) {
			best = v
		}
	}

	t.last = TracePoint{
		Seconds:   jsonl.Number(p.Elapsed.Seconds()),
		Cuts:      cuts,
		Incumbent: jsonl.Number(best),
		Bound:     jsonl.Number(bound),
	}
	if t.calls++; (t.calls-1)%t.stride == 0 {
		t.points = append(t.points, t.last)
	}
	if len(t.points) < maxTrace {
		return
	}

	// Every second point is dropped, and from now on half as many are kept.
	t.stride *= 2
	kept := t.points[:0]
	for k := 0; k < len(t.points); k += 2 {
		kept = append(kept, t.points[k])
	}
	t.points = kept
}

// finish adds the end of the run.
func (t *tracer) finish(r *benders.Result) []TracePoint {
	// The master may have dropped cuts that were counted before.
	cuts := r.Cuts.Optimality + r.Cuts.Feasibility + r.Cuts.User
	return append(t.points, TracePoint{Seconds: jsonl.Number(r.Elapsed.Seconds()), Cuts: max(cuts, t.last.Cuts),
		Incumbent: jsonl.Number(r.Objective), Bound: jsonl.Number(r.Bound)})
}
