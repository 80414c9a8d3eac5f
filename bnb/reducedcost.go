package bnb

import (
	"math"
	"slices"
)

// rootFixing keeps the reduced costs of the last LP of the root, so that every new incumbent can tighten the global
// bounds by them.
type rootFixing struct {
	price, lower, upper []float64
	objective           float64
	known               bool
}

// record keeps the LP just solved at the root.
func (f *rootFixing) record(pt *nodePoint, r *relaxation) {
	f.price = append(f.price[:0], pt.price...)
	f.lower = append(f.lower[:0], r.lower...)
	f.upper = append(f.upper[:0], r.upper...)
	f.objective = pt.objective
	f.known = true
}

// fork returns a copy for a worker, which may solve a root of its own and overwrite the values.
func (f *rootFixing) fork() rootFixing {
	own := *f
	own.price = slices.Clone(f.price)
	own.lower = slices.Clone(f.lower)
	own.upper = slices.Clone(f.upper)
	return own
}

// tighten tightens bounds in the whole tree: a move away from the bound at the root that costs
// more than the distance to the incumbent leads to no better point.
func (f *rootFixing) tighten(d *domain, ints []int32, strict float64) {
	if !f.known {
		return
	}

	// The slack is what the objective may rise above the LP value without reaching the incumbent.
	slack := strict - f.objective

	// The reduced costs belong to the bounds that the LP had.
	for _, j := range ints {
		if c, ok := priced(j, f.price[j], slack, f.lower[j], f.upper[j]); ok {
			d.tightenGlobal(c)
		}
	}
}

// tighten does the same with the LP of the current node, r, for its subtree.
func (pt *nodePoint) tighten(d *domain, r *relaxation, strict float64) {
	slack := strict - pt.objective
	if math.IsInf(slack, 1) {
		return
	}
	for _, j := range r.p.ints {
		if d.fixed(j) {
			continue
		}
		if c, ok := priced(j, pt.price[j], slack, r.lower[j], r.upper[j]); ok {
			d.tighten(c)
		}
	}
}

// priced returns the bound that the reduced cost d of an integer column leaves, where the LP had the
// bounds lower and upper and the objective may rise by slack.
func priced(j int32, d, slack, lower, upper float64) (change, bool) {
	// A reduced cost that is nearly zero proves nothing.
	if math.Abs(d) < 1e-7 || slack < 0 || math.IsInf(slack, 1) {
		return change{}, false
	}

	// A column may move by as many whole steps as its reduced cost can be paid from the slack.
	steps := math.Floor(slack/math.Abs(d) + fixingSlack)
	if d > 0 && lower+steps < upper {
		return change{j, true, lower + steps}, true
	}
	if d < 0 && upper-steps > lower {
		return change{j, false, upper - steps}, true
	}
	return change{}, false
}
