package prove

import (
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
)

// conclude makes the result of a run from its own end and what its record proves. A record may fall short of a run that
// is right: floats cannot say every proof, and a design may be feasible to tolerances only. Then the run keeps its
// status and its bound.
func conclude(res *benders.Result, rec *record.Record, exact bool, gap float64) {
	own := *res
	if own.Status == lp.NotSolved || own.Status == lp.Infeasible && own.Design != nil { // the proof came upon a design
		own.Status = lp.FixedPoint
	}
	if own.Design == nil {
		own.Objective = math.NaN()
	}
	proven := own
	proven.Bound = float64(rec.Header.Bound)
	if rec.Design != nil {
		proven.Objective = float64(rec.Header.Objective)
	}
	proven.SetStatus(gap, false)
	if own.Design == nil && math.IsInf(proven.Bound, 1) {
		proven.Status = lp.Infeasible
	}
	// A design below the bound is feasible to tolerances only.
	above := own.Design != nil && proven.Bound > proven.Objective+1e-6*max(1, math.Abs(proven.Objective))
	if proven.Status == lp.Optimal && !above || proven.Status == lp.Infeasible && math.IsInf(proven.Bound, 1) {
		*res = proven
		return
	}
	if !above {
		own.Bound = max(own.Bound, proven.Bound)
	}
	own.SetStatus(gap, true)
	if own.Status == lp.FixedPoint && exact {
		own.Status = lp.NotSolved
	}
	*res = own
}
