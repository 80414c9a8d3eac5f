package decompose

import (
	"context"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/lp"
)

// SearchTree runs a tree without a master as a run: root makes the tree for a gap, in time that counts, and the options
// set its limits. Of the result the design, what pricing took and the status are left to the caller, who settles it
// with the reason.
func SearchTree(ctx context.Context, o benders.Options,
	root func(ctx context.Context, gap float64) (*lagrange.Tree, error)) (
	out *benders.Result, why benders.Reason, err error) {
	began := time.Now()
	within, cancel := o.Within(ctx, began)
	defer cancel()

	// The root is made and the tree is searched in the time of the run.
	gap := inside(o.Gap)
	t, err := root(within, gap)
	if err != nil {
		return nil, why, err
	}
	t.Gap, t.MaxNodes, t.Report = gap, o.MaxNodes, nil
	if o.Progress != nil {
		t.Report = reporter(t, &o, began)
	}
	made := time.Since(began)
	found, err := t.Solve(within)
	if err != nil {
		return nil, why, err
	}

	// The result has the best design of the search, whose cost bounds the optimum from above.
	cost := t.Search.Cost()
	out = &benders.Result{
		Objective: cost,
		Terminal:  cost,
		Nodes:     found.Nodes,
		Visited:   1,
		Bound:     min(found.Bound, cost),
		Parts:     benders.Parts{Presolve: made, Master: found.Bounding, Heuristic: found.Searching},
	}

	// Why it ended: the first of these that holds. A complete tree has proven its result even where a limit came after.
	switch {
	case found.Complete:
		why = benders.Completed
	case ctx.Err() != nil:
		why = benders.Cancelled
	case within.Err() != nil:
		why = benders.TimeOut
	default:
		why = benders.NodesOut
	}
	return out, why, nil
}

// reporter returns a function that reports the progress of a tree, at most once in an interval. The bound of the root
// holds for the whole tree.
func reporter(t *lagrange.Tree, o *benders.Options, began time.Time) func(nodes, depth int) {
	const every = 16 // nodes between two looks at the clock
	last := began
	return func(nodes, depth int) {
		now := time.Now()
		if nodes%every != 0 || now.Sub(last) < o.LogEvery {
			return
		}
		last = now

		// The search has the best design, and the tree no better bound than that of its root.
		best := t.Search.Cost()
		p := benders.Progress{TrueCost: best, Depth: depth}
		p.Nodes, p.Objective, p.Bound, p.Elapsed = nodes, best, t.Bound, now.Sub(began)
		p.Gap = lp.RelativeGap(best, t.Bound)
		o.Progress(p)
	}
}
