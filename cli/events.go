package cli

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// event is one object of --progress ndjson.
type event struct {
	Event   string `json:"event"`   // progress or result
	Seconds number `json:"seconds"` // since the start of the command
	Phase   string `json:"phase,omitempty"`

	Objective number `json:"objective"`
	Bound     number `json:"bound"`
	Gap       number `json:"gap"`

	Nodes  int    `json:"nodes"`
	Open   int    `json:"open"`
	Rounds int    `json:"rounds,omitempty"`
	Cuts   int    `json:"cuts"`
	Status string `json:"status,omitempty"` // of a result
}

// tracePoint is when the best objective or the bound was what.
type tracePoint struct {
	Seconds   number `json:"seconds"`
	Objective number `json:"objective"`
	Bound     number `json:"bound"`
}

// events follow a run: they keep the trace of its objective and bound, and write an object for every event where that
// is asked for.
type events struct {
	w     io.Writer // nil for none
	began time.Time
	trace []tracePoint
}

// maxTrace is how many points a trace has at most: every other one goes where there are more.
const maxTrace = 1000

// addProgress adds --progress.
func (f *solveFlags) addProgress(c *cobra.Command) {
	c.Flags().StringVar(&f.progress, "progress", "",
		"`ndjson`: one JSON object an event on standard error, in place of the log there")
}

// newEvents returns the events of a run.
func (a *app) newEvents() (*events, error) {
	e := &events{began: a.began}
	switch a.flags.progress {
	case "":
	case "ndjson":
		e.w = a.stderr
	default:
		return nil, badInput(fmt.Errorf("--progress %s: ndjson is the only layout", a.flags.progress))
	}
	return e, nil
}

// wanted reports whether objects are written.
func (e *events) wanted() bool { return e.w != nil }

// add takes an event into the trace, and writes it.
func (e *events) add(v event) {
	v.Seconds = number(time.Since(e.began).Seconds())
	v.Gap = number(lp.RelativeGap(float64(v.Objective), float64(v.Bound)))
	same := func(a, b number) bool { return a == b || math.IsNaN(float64(a)) && math.IsNaN(float64(b)) }
	n := len(e.trace)
	if n == 0 || !same(e.trace[n-1].Objective, v.Objective) || !same(e.trace[n-1].Bound, v.Bound) {
		e.trace = append(e.trace, tracePoint{v.Seconds, v.Objective, v.Bound})
	}
	if len(e.trace) > maxTrace {
		kept := e.trace[:0]
		for k := 0; k < len(e.trace); k += 2 {
			kept = append(kept, e.trace[k])
		}
		e.trace = kept
	}

	// An event that cannot be written is no reason to end a run.
	if e.w != nil {
		_ = writeJSON(e.w, v)
	}
}

// search takes an event of a branch-and-cut search.
func (e *events) search(p bnb.Progress) {
	e.add(event{Event: "progress", Phase: "tree", Objective: number(p.Objective), Bound: number(p.Bound), Nodes: p.Nodes,
		Open: p.Open, Cuts: p.Cuts})
}

// benders takes an event of a Benders run.
func (e *events) benders(p benders.Progress) {
	phase := "tree"
	switch {
	case p.Start:
		phase = "start"
	case p.Depth > 0:
		phase = "dual tree"
	case p.Iteration > 0:
		phase = "rounds"
	}
	e.add(event{Event: "progress", Phase: phase, Objective: number(p.TrueCost), Bound: number(p.Bound), Nodes: p.Nodes,
		Open: p.Open, Rounds: p.Iteration, Cuts: p.Cuts})
}

// result ends the events with what a report says, and returns the trace.
func (e *events) result(r *report, nodes int) []tracePoint {
	e.add(event{Event: "result", Objective: r.Objective, Bound: r.Bound, Nodes: nodes, Status: r.Status})
	return e.trace
}
