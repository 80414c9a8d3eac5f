package verify

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/record"
)

// ErrClaim is wrapped by the error of a record that is sound, but whose run claims more than is proven. It wraps
// ErrProof.
var ErrClaim error = shortfall("the run claims more than is proven")

// shortfall is the text of an error that wraps ErrProof.
type shortfall string

func (s shortfall) Error() string { return string(s) }

// Unwrap returns ErrProof.
func (s shortfall) Unwrap() error { return ErrProof }

// Statuses that claim something of their own, and those that claim no more than the objective and the bound.
const (
	optimal    = "optimal"
	infeasible = "infeasible"
)

// otherStatuses claim no more than the objective and the bound.
var otherStatuses = []string{"not_solved", "time_limit", "iteration_limit", "node_limit", "work_limit", "memory_limit",
	"objective_limit", "interrupted", "fixed_point", "stalled"}

// rounding is the relative difference up to which two values of the objective are equal, since those of a run are sums
// of floats. The solvers have the same.
const rounding = 1e-9

// claim compares what the run claims with what was proven. Records before schema 5 have no claim of the run.
func (c *checker) claim(context.Context, func(string, int, int)) error {
	// The schema says whether the record must have a claim: leaving it out is no way to claim less.
	h := &c.r.Header
	switch {
	case h.Run == nil && h.Schema >= record.RunSchema:
		return failure(1, "the run's own claim is missing")
	case h.Run == nil:
		return nil
	}

	// A status that no run ends with may come from a forged record, and is not repeated in full.
	if s := h.Run.Status; s != optimal && s != infeasible && !slices.Contains(otherStatuses, s) {
		return failure(1, "the status %.20q is none that a recorded run ends with", s)
	}

	// NaN and negative gaps would make comparisons below mean nothing.
	if g := float64(h.Run.Gap); !(g >= 0) {
		return failure(1, "the run calls a design optimal within the gap %g", g)
	}

	// A sound record whose run claims more is reported with what is proven.
	if short := c.report.shortOf(h.Run); len(short) > 0 {
		return fmt.Errorf("verify: line 1: %w: %s", ErrClaim, strings.Join(short, "; "))
	}
	return nil
}

// shortOf lists the parts of a claim that are not proven. Comparisons are such that a claim of NaN is not proven.
func (r *Report) shortOf(run *record.Claim) (short []string) {
	add := func(format string, args ...any) { short = append(short, fmt.Sprintf(format, args...)) }
	objective, bound := float64(run.Objective), float64(run.Bound)

	// A run without a design claims no objective.
	switch {
	case math.IsInf(objective, 1):
	case math.IsInf(r.Objective, 1):
		add("the objective %.12g, and no design is proven", r.inSense(objective))
	case !(r.Objective <= objective+rounding*max(1, math.Abs(objective))):
		add("the objective %.12g, and the design costs %.12g", r.inSense(objective), r.inSense(r.Objective))
	}

	// The first comparison is for infinite bounds, whose difference is NaN.
	if !(r.Bound >= bound || r.Bound >= bound-rounding*max(1, math.Abs(bound))) {
		add("the bound %.12g, and what is proven is %.12g", r.inSense(bound), r.inSense(r.Bound))
	}

	// A status claims more than the two numbers: that there is no design, or that the gap is closed.
	switch {
	case run.Status == infeasible && !math.IsInf(r.Bound, 1):
		add("that no design is feasible, and the bound that is proven is %.12g", r.inSense(r.Bound))
	case run.Status != optimal:
	case math.IsInf(r.Objective, 1) || math.IsInf(objective, 1):
		add("an optimal design, and none is proven")
	case !(gap(objective, r.Bound) <= max(float64(run.Gap), rounding)):
		// The gap is that of the claimed objective to the proven bound.
		add("that this is optimal within the gap %.3g, and the proven bound leaves %.3g", run.Gap, gap(objective, r.Bound))
	}
	return short
}

// gap is the relative gap between an objective and a bound, as the solvers have it.
func gap(objective, bound float64) float64 {
	d := objective - bound
	// Values that are equal up to rounding have no gap, also at an objective of zero.
	if d <= rounding*max(1, math.Abs(objective)) {
		return 0
	}
	return d / math.Abs(objective)
}

// inSense returns a value of the objective in the sense of the program that the record was made from.
func (r *Report) inSense(v float64) float64 {
	if r.Maximize {
		// The record is of a minimisation: of a maximisation both values are negated.
		v = -v
	}
	return v + 0 // no negative zero
}
