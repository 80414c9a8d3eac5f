package twostage

import (
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Weighted is a sum of optimality cuts of scenarios, each times a weight that is not negative, in doubled precision.
type Weighted struct {
	p     *Problem
	alpha outward.DualBound
	beta  []outward.Dot
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
	alpha := d.alpha
	entries := d.s.entries[scenario]
	for _, c := range d.s.program.Scenarios[scenario].Changes {
		at := int32(-1)
		if c.Kind == stoch.Entry {
			at, entries = entries[0], entries[1:]
		}
		d.shift(w, weight, &alpha, c, at)
	}
	alpha.Add(-1, alpha.Loss())
	w.alpha.AddTimes(weight, &alpha.Dot)
}

// Cut returns the sum as a cut on an epigraph, rounded outward: the cuts imply it for every y in its bounds (within
// Reach for columns without any). It reports false if a number is too large.
func (w *Weighted) Cut(theta int) (benders.Cut, bool) {
	out := benders.Cut{Kind: benders.Optimality, Theta: theta}
	largest := 0.0
	for j := range w.beta {
		v, _ := w.beta[j].Value()
		largest = max(largest, math.Abs(v))
	}
	alpha := w.alpha
	for j := range w.beta {
		if w.beta[j].Terms() == 0 {
			continue
		}
		b, loss := w.slope(int32(j), 1e-11*largest)
		if !isFinite(b) || !isFinite(loss) {
			return out, false
		}
		alpha.Lose(loss)
		if b != 0 {
			out.Index, out.Beta = append(out.Index, int32(j)), append(out.Beta, b)
		}
	}
	out.Alpha = alpha.Below()
	return out, !math.IsInf(out.Alpha, 0) && !math.IsNaN(out.Alpha)
}

// slope returns a float64 slope of column j, 0 for one of at most least where the bounds of y allow, and what alpha
// loses by its distance from the exact one.
func (w *Weighted) slope(j int32, least float64) (b, loss float64) {
	low, high := w.beta[j].Interval()
	l, u := w.p.lower(j), w.p.upper(j)
	wide := outward.Up(high - low)
	switch {
	case max(high, -low) <= least && !math.IsInf(l, -1) && !math.IsInf(u, 1):
		return 0, outward.Up(max(0, -low*l, -low*u, -high*l, -high*u))
	case low == high || l >= 0: // the exact slope is at least low, and y is not negative
		return low, 0
	case u <= 0:
		return high, 0
	case !math.IsInf(l, -1):
		return low, outward.Up(wide * -l)
	case !math.IsInf(u, 1):
		return high, outward.Up(wide * u)
	}
	return low, outward.Up(wide * Reach)
}
