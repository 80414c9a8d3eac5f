package twostage

import (
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/outward"
)

// Weighted is a sum of optimality cuts of scenarios, each times a weight that is not negative, in doubled precision.
type Weighted struct {
	p     *Problem // the skeleton, for the bounds of the first stage
	alpha outward.DualBound
	beta  []outward.Dot // of every first-stage column
}

// NewWeighted returns an empty sum.
func (s *Scenarios) NewWeighted() *Weighted {
	return &Weighted{p: s.base, beta: make([]outward.Dot, s.base.First)}
}

// Add adds a cut.
func (w *Weighted) Add(weight float64, cut *benders.Cut) {
	w.alpha.Add(weight, cut.Alpha)
	for k, j := range cut.Index {
		w.beta[j].Add(weight, cut.Beta[k])
	}
}

// AddDual adds what the cut of a certificate for a scenario is before it is rounded.
func (w *Weighted) AddDual(weight float64, d *Dual, scenario int) {
	for j := range d.beta {
		w.beta[j].AddTimes(weight, &d.beta[j])
	}

	// Alpha and the slopes move from the numbers of the skeleton to those of the scenario.
	alpha := d.alpha
	d.shiftAll(w, weight, &alpha, scenario)

	// What rounding may cost is part of the weighted sum, so that the weight applies to it too.
	alpha.Add(-1, alpha.Loss())
	w.alpha.AddTimes(weight, &alpha.Dot)
}

// Cut returns the sum as a cut on an epigraph, rounded outward: the cuts imply it for every y in its bounds (within
// Reach for columns without any). It reports false if a number is too large.
func (w *Weighted) Cut(theta int) (benders.Cut, bool) {

	// Slopes of at most 1e-11 of the largest are left out where that can be paid for.
	out := benders.Cut{Kind: benders.Optimality, Theta: theta}
	largest := 0.0
	for j := range w.beta {
		v, _ := w.beta[j].Value()
		largest = max(largest, math.Abs(v))
	}

	// The slopes, rounded; a copy of alpha is lowered by what that may cost, since the sum may grow further.
	alpha := w.alpha
	for j := range w.beta {
		if w.beta[j].Terms() == 0 {
			continue
		}
		low, high := w.beta[j].Interval()
		b, loss := roundSlope(low, high, w.p.lower(int32(j)), w.p.upper(int32(j)), 1e-11*largest)
		if !isFinite(b) || !isFinite(loss) {
			return out, false
		}
		alpha.Lose(loss)
		if b != 0 {
			out.Index, out.Beta = append(out.Index, int32(j)), append(out.Beta, b)
		}
	}
	out.Alpha = alpha.Below()
	return out, isFinite(out.Alpha)
}
