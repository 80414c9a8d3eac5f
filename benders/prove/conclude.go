package prove

import (
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
)

// conclude makes the result of a run from its own end and what its record proves. A record may fall short of a run that
// is right: floats cannot say every proof, and a design may be feasible to tolerances only. Then the run keeps its
// status and its bound, unless the proven bound contradicts the cost of its design: a bound that is proven in exact
// arithmetic is right, so the design is none and the run is not solved.
func conclude(res *benders.Result, rec *record.Record, exact bool, gap float64) {
	own := *res
	why := benders.Ended(own.Status)
	if why == benders.Unfinished || why == benders.NoDesign && own.Design != nil { // the proof came upon a design
		why = benders.OneSided
	}
	if own.Design == nil {
		own.Objective = math.NaN()
	}

	// The proof is the result where it decides.
	proven := own
	proven.Bound = float64(rec.Header.Bound)
	if rec.Design != nil {
		proven.Objective = float64(rec.Header.Objective)
	}
	proven.Settle(why.Bounded(), gap)
	if own.Design == nil && math.IsInf(proven.Bound, 1) {
		proven.Settle(benders.NoDesign, gap)
	}
	if proven.Status == lp.Optimal || proven.Status == lp.Infeasible && math.IsInf(proven.Bound, 1) {
		*res = proven
		return
	}

	// Else it is that of the run, with the better of the two bounds.
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
