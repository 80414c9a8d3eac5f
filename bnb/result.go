package bnb

import (
	"slices"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// Result is what Solve returns, at a limit too: the best point and the bound proven so far.
type Result struct {
	Status       lp.Status // Optimal only when the gap is proven
	X            []float64 // the incumbent, one value a column; nil if there is none
	Objective    float64   // of X, model's sense; NaN without X
	Bound        float64   // proven: no feasible point is better
	Gap          float64   // |Objective - Bound| / |Objective| (0/0 is 0); +Inf without X
	Nodes        int
	LPIterations int
	UserCuts     int     // accepted from the user hook
	LazyCuts     int     // accepted from the lazy hook
	Incumbents   int     // accepted points
	Work         float64 // in deterministic units
	Span         float64 // what of it was done one after the other; less than Work with several threads
	Elapsed      time.Duration
	Parts        [Parts]PartStatistics // Elapsed and more by component
	Pool         []Point               // best first, X among them; empty without Options.PoolSize
}

// dropFromPool drops the points that are not better than the cutoff of the options. A search collects them on its way;
// the point of the result counts as better.
func (r *Result) dropFromPool(maximize bool, cutoff float64) {
	better := func(a, b float64) bool { return a != b && a > b == maximize }
	r.Pool = slices.DeleteFunc(r.Pool, func(p Point) bool {
		return !better(p.Objective, cutoff) && (r.X == nil || better(r.Objective, p.Objective))
	})
}

// addEffort adds what an earlier search of the same problem has spent, its time and parts apart.
func (r *Result) addEffort(earlier *Result) {
	r.Nodes += earlier.Nodes
	r.LPIterations += earlier.LPIterations
	r.UserCuts += earlier.UserCuts
	r.LazyCuts += earlier.LazyCuts
	r.Work += earlier.Work
	r.Span += earlier.Span
}
