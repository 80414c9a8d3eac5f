package prove

import (
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
)

// conclude combines the result of a run and the proof of its record. A record may prove less than a correct run found:
// not every proof has float64 multipliers, and a design may be feasible to tolerances only. Then the run keeps its
// status and its bound, unless the proven bound contradicts the cost of its design: a bound that is proven in exact
// arithmetic is right, so the design is not feasible and the run is not solved.
func conclude(res *benders.Result, rec *record.Record, exact bool, gap float64) {
	// A run that is unfinished, or that ended as infeasible before the proof found a design, counts as one whose designs
	// were only bounded.
	own := *res
	why := benders.Ended(own.Status)
	if why == benders.Unfinished || why == benders.NoDesign && own.Design != nil {
		why = benders.OneSided
	}
	if own.Design == nil {
		own.Objective = math.NaN()
	}

	// The proof is the result where it proves the optimum, or infeasibility. Its reason is one-sided, so that the run is
	// optimal by the proven gap alone, without the tolerance of cuts.
	proven := own
	proven.Bound = float64(rec.Header.Bound)
	if rec.Design != nil {
		proven.Objective = float64(rec.Header.Objective)
	}
	proven.Settle(why.Bounded(), gap)

	// A bound of +Inf is a proof that no design is feasible.
	if own.Design == nil && math.IsInf(proven.Bound, 1) {
		proven.Settle(benders.NoDesign, gap)
	}
	if proven.Status == lp.Optimal || proven.Status == lp.Infeasible && math.IsInf(proven.Bound, 1) {
		*res = proven
		return
	}

	// Otherwise the result is that of the run, with the better of the two bounds. With an exact separator a gap that is
	// left is a numerical failure, and no fixed point.
	own.Bound = max(own.Bound, proven.Bound)
	switch {
	case exact && why == benders.Completed:
		why = benders.CompletedProof
	case exact && why == benders.OneSided:
		why = benders.InexactProof
	}
	own.Settle(why, gap)
	*res = own
}
