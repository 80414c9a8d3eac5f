package netdes

import (
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/outward"
)

// potentials are the certificate of a cut on the sum of some scenarios' costs, or, for feasibility, of one scenario:
// the potentials of all nodes, scenario by scenario.
type potentials struct {
	kind benders.Kind
	// scenarios are those of the cut, one for a cut of feasibility.
	scenarios []int
	// pi has len(scenarios) x nodes numbers, any numbers at all: every choice gives a valid cut.
	pi []float64
}

// Kind implements benders.Certificate.
func (p *potentials) Kind() benders.Kind { return p.kind }

// Vector implements benders.Certificate.
func (p *potentials) Vector() []float64 { return p.pi }

// noise is what counts as no gain of an arc, relative to the potentials of its ends: the rounding of a difference.
const noise = 1e-11

// cut returns the cut of potentials, rounded outward. It reports false if a number is too large.
func (d *Data) cut(p *potentials, theta int) (benders.Cut, bool) {
	out := benders.Cut{Kind: p.kind, Theta: theta, Certificate: p}
	slopes := make([]float64, d.arcs())
	for k, s := range p.scenarios {
		d.addScenario(&out, slopes, s, p.pi[k*d.Nodes:(k+1)*d.Nodes])
	}

	for e, v := range slopes {
		// A slope is negative in the cut: an open arc lowers the bound.
		if v > 0 {
			out.Index = append(out.Index, int32(e))
			out.Beta = append(out.Beta, -v)
		}
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return out, false
		}
	}
	return out, !math.IsInf(out.Alpha, 0) && !math.IsNaN(out.Alpha)
}

// addScenario adds to a cut the inequality of scenario s at the node potentials pi, weighted by the probability if
// the cut is one of optimality: sum_v b_vs pi_v to the constant, min(u_es, D_s) (pi_a - pi_b - c_es)+ to the slope of
// arc e.
func (d *Data) addScenario(out *benders.Cut, slopes []float64, s int, pi []float64) {
	at := &d.Scenarios[s]
	total := at.total()
	weight := 1.0
	if out.Kind == benders.Optimality {
		weight = at.Probability
	}

	// The constant: the balances times the potentials, rounded down.
	var side outward.Dot
	for v, b := range at.Demand {
		side.Add(b, pi[v])
	}
	low, _ := side.Interval()
	out.Alpha = outward.AddDown(out.Alpha, outward.MulDown(weight, low))

	for e, a := range d.Tail {
		b := d.Head[e]
		cost := 0.0
		if out.Kind == benders.Optimality {
			cost = at.Cost[e]
		}

		// Most arcs clearly gain nothing, which a sum in floats shows; what is near zero is decided by the rounded sum.
		gain := pi[a] - pi[b] - cost
		scale := math.Abs(pi[a]) + math.Abs(pi[b]) + cost
		if gain <= -noise*scale {
			continue
		}
		var sum outward.Dot
		sum.Add(1, pi[a])
		sum.Add(-1, pi[b])
		sum.Add(-1, cost)
		_, high := sum.Interval()
		if high <= 0 {
			continue
		}

		// A gain that is nothing but rounding goes into the constant, as that of an open arc.
		slope := outward.MulUp(weight, outward.MulUp(at.Limit(e, total), high))
		if high <= noise*scale {
			out.Alpha = outward.AddDown(out.Alpha, -slope)
		} else {
			slopes[e] = outward.AddUp(slopes[e], slope)
		}
	}
}

// constant returns the cut without slopes that holds at all designs: with every arc open, where the slopes, which are
// not positive, give the least value.
func constant(c benders.Cut) benders.Cut {
	// No slope is positive, so that all of them are subtracted.
	for _, b := range c.Beta {
		c.Alpha = outward.AddDown(c.Alpha, b)
	}
	c.Index = nil
	c.Beta = nil
	return c
}
