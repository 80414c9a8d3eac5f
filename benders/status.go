package benders

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// Reason says why a run ended, before its numbers are judged. The zero value is Unfinished.
type Reason uint8

const (
	Unfinished     Reason = iota // nothing was decided
	Completed                    // the search is complete, and accepted designs were separated exactly
	OneSided                     // the search is complete, with designs whose recourse cost was only bounded
	CompletedProof               // as Completed, by a separator that proves: a gap that is left is a numerical failure
	InexactProof                 // as OneSided, by a separator that proves: a gap that is left is a numerical failure
	NoImprovement                // the search gave up after many nodes without a better design
	NoDesign                     // it is proven that there is no design
	NoBound                      // the objective improves without bound
	TimeOut                      // the time limit
	IterationsOut                // the limit of iterations
	NodesOut                     // the limit of nodes
	WorkOut                      // the limit of work
	MemoryOut                    // the limit of memory
	CutOff                       // the bound passed the cut-off
	Cancelled                    // the context was cancelled
	reasons                      // how many there are
)

// unproven is the status that a run has for a reason where its numbers prove nothing more.
var unproven = [reasons]lp.Status{
	Unfinished:     lp.NotSolved,
	Completed:      lp.FixedPoint,
	OneSided:       lp.FixedPoint,
	CompletedProof: lp.NotSolved,
	InexactProof:   lp.NotSolved,
	NoImprovement:  lp.Stalled,
	NoDesign:       lp.Infeasible,
	NoBound:        lp.Unbounded,
	TimeOut:        lp.TimeLimit,
	IterationsOut:  lp.IterationLimit,
	NodesOut:       lp.NodeLimit,
	WorkOut:        lp.WorkLimit,
	MemoryOut:      lp.MemoryLimit,
	CutOff:         lp.ObjectiveLimit,
	Cancelled:      lp.Interrupted,
}

// Ended is the reason that belongs to the status of a search, or of a part of a run.
func Ended(s lp.Status) Reason {
	switch s {
	case lp.Optimal:
		return Completed
	case lp.FixedPoint:
		return OneSided
	case lp.NotSolved:
		return Unfinished
	}

	// The other statuses belong to one reason each.
	if k := slices.Index(unproven[NoImprovement:], s); k >= 0 {
		return NoImprovement + Reason(k)
	}
	return Unfinished
}

// Bounded is the reason where the cost of the returned design was only bounded by the run.
func (why Reason) Bounded() Reason {
	switch why {
	case Completed:
		return OneSided
	case CompletedProof:
		return InexactProof
	}
	return why
}

// complete reports whether the search ended by itself.
func (why Reason) complete() bool { return why >= Completed && why <= NoImprovement }

// Tolerances of Settle, relative to the objective or absolute where that is below 1.
const (
	// equalCosts is the difference of two objectives that counts as rounding, as in package bnb.
	equalCosts = 1e-9
	// contradiction is by how much a bound may exceed the objective of a design: bounds of LPs hold to 1e-6.
	contradiction = 1e-6
	// cutPrecision is how far beyond the gap the bound may stay below the cost of a design at which no cut is violated.
	// Cuts are enforced to Options.Violation of their size, 1e-6 if nobody asks for another one, for every epigraph.
	cutPrecision = 1e-5
)

// Settle sets Gap and Status from why a run ended and from what Objective and Bound prove. It is the only place where
// a run gets its status.
//
// Where the gap is proven for the true cost of the returned design the run is optimal, also at a limit. A complete
// search whose accepted designs were separated exactly is optimal to the tolerance of the cuts too, which is all that a
// smaller gap can ask for; else it is at a fixed point. An accepted design whose recourse turned out infeasible is no
// result, and no optimum. An objective below the bound, by more than the gap or the tolerance of bounds, contradicts
// the bound: one of the two is wrong, nothing is proven, and a complete search has not solved the problem.
func (r *Result) Settle(why Reason, gap float64) {
	size := max(1, math.Abs(r.Objective))
	contradicted := r.contradicts(gap)
	r.Gap = lp.RelativeGap(r.Objective, min(r.Bound, r.Objective))

	// The relative gap of a value near zero is rounding divided by rounding.
	if r.Design != nil && math.Abs(r.Objective-r.Bound) <= equalCosts*size {
		r.Gap = min(r.Gap, equalCosts)
	}
	if contradicted {
		r.Gap = math.Inf(1)
	}

	priced := r.Design != nil && !math.IsInf(r.Objective, 0)
	proven := priced && r.Gap <= max(gap, equalCosts)
	exact := why == Completed || why == CompletedProof
	precise := priced && exact && r.Objective-r.Bound <= (gap+cutPrecision)*size

	// The status of the reason stands, unless the numbers prove more, or contradict each other.
	r.Status = unproven[why]
	switch {
	case contradicted && why.complete():
		r.Status = lp.NotSolved
	case proven && (why.complete() || r.Status.Limited()), precise:
		r.Status = lp.Optimal
	}
}

// Update sets Gap and Status again after Objective or Bound changed.
func (r *Result) Update(gap float64) { r.Settle(Ended(r.Status), gap) }

// contradicts reports whether the objective of the design is known and below the bound by more than the gap.
func (r *Result) contradicts(gap float64) bool {
	slack := max(gap, contradiction) * max(1, math.Abs(r.Objective))
	return r.Design != nil && r.Objective < r.Bound-slack
}

// Nothing returns the result without a design and a bound of a run that ended for a reason.
func Nothing(why Reason) *Result {
	none := math.NaN()
	return &Result{Status: unproven[why], Objective: none, Terminal: none, Bound: math.Inf(-1), Gap: math.Inf(1)}
}

// Withdraw takes the design out of a result, which is not solved then unless a limit ended it.
func (r *Result) Withdraw() {
	r.Design, r.Objective, r.Terminal, r.Gap = nil, math.NaN(), math.NaN(), math.Inf(1)
	if !r.Status.Limited() {
		r.Status = lp.NotSolved
	}
}
