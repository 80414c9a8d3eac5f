package benders

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// Accepted is a Recorder that keeps the design with which a master that is solved to its end ends: of the integer
// points at which no cut was violated the one of least master value. What its certificates lack there, Q(Design) -
// Certified, bounds by how much the design costs more than the proven bound (docs/gap.md). Tolerances are in Scale.
type Accepted struct {
	Master *lp.Model // whose columns are those of the points, with their costs
	Next   Recorder  // what observes the run besides; it may be nil

	Design    []float64 // nil before the first such point
	Value     float64   // f'y + sum theta of it
	Certified float64   // the sum of the values of its certificates
	Scale     float64   // what violations of its cuts are relative to, in sum
}

// Separated implements Recorder.
func (a *Accepted) Separated(p Point, s *Separation, violated []Cut) {
	if a.Next != nil {
		a.Next.Separated(p, s, violated)
	}

	// A point that was moved by rounding alone counts as that of the master.
	near := func(u, v float64) bool { return math.Abs(u-v) <= 1e-6 }
	ofMaster := p.Integer && slices.EqualFunc(p.Y, p.Target(), near)
	if !ofMaster || len(violated) > 0 || s.Infeasible {
		return
	}
	// The master's value there: the cost of the first stage and the epigraphs.
	value := sumFrom(a.Master.Evaluate(p.Y), p.Theta)
	if a.Design != nil && value >= a.Value {
		return
	}

	// The point is copied, since it is valid only during the call.

	a.Design = slices.Clone(p.Y)
	a.Value = value
	a.Certified = s.Value
	a.Scale = 0
	for k := range s.Cuts {
		a.Scale += s.Cuts[k].Scale(p.Y, s.Cuts[k].At(p.Theta))
	}
}
