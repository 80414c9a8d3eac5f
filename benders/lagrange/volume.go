package lagrange

import (
	"context"
	"math"
	"slices"
)

// Relaxation is a Lagrangian relaxation of a minimisation in the form that Volume needs: a concave function of
// multipliers whose values are lower bounds.
type Relaxation interface {
	// Project maps multipliers in place to ones that have a bound.
	Project(multipliers []float64)
	// Evaluate returns the bound, and fills slope with a supergradient. Point is the primal solution that belongs
	// to it, a view valid until the next call; it is nil where the relaxation is infeasible.
	Evaluate(multipliers, slope []float64) (bound float64, point []float64)
	// Limit returns the value from which on a bound need not be raised: there is nothing left below it.
	Limit() float64
}

// Volume is the volume algorithm (Barahona and Anbil 2000): it raises the bound of a relaxation by steps along an
// average of supergradients, whose weights also make an average of primal points. Steps are taken in multipliers over
// Scale.
type Volume struct {
	Multipliers []float64 // the best so far
	Scale       []float64 // of each multiplier
	Average     []float64 // of the primal points
	Direction   []float64 // average of the supergradients
	Bound       float64   // of Multipliers
	Pace

	failed       int       // steps since the last better bound
	trial, slope []float64 // the multipliers of the last step, and the supergradient there
}

// Pace sets how the volume algorithm moves. A long run needs small weights, for averages that converge; a probe, which
// starts from good averages and has few steps, does best with nearly the plain supergradient.
type Pace struct {
	Length   float64 // of a step, as a fraction of Polyak's; it grows where steps succeed and shrinks where they fail
	Weight   float64 // greatest weight of the newest point
	Patience int     // steps without a better bound, after which Length is cut
	Trial    int     // if positive, the steps by which 30% of the way to the limit must be made, or Improve ends
}

// The paces of a long run, of a node of a tree and of a probe.
var (
	longRun = Pace{Length: 0.7, Weight: 0.2, Patience: 8}
	atNode  = Pace{Length: 0.3, Weight: 0.5, Patience: 3, Trial: 16}
	probing = Pace{Length: 0.7, Weight: 0.5, Patience: 3, Trial: 16}
)

// NewVolume returns a volume algorithm for n multipliers and the given columns, all zero, with unit scales and the
// pace of a long run.
func NewVolume(multipliers, columns int) *Volume {
	return &Volume{
		Multipliers: make([]float64, multipliers),
		Scale:       slices.Repeat([]float64{1}, multipliers),
		Average:     make([]float64, columns),
		Direction:   make([]float64, multipliers),
		Pace:        longRun,
		trial:       make([]float64, multipliers),
		slope:       make([]float64, multipliers),
	}
}

// Restart evaluates the present multipliers and begins new averages at their point, if the relaxation has one.
func (v *Volume) Restart(r Relaxation) {
	r.Project(v.Multipliers)
	bound, point := r.Evaluate(v.Multipliers, v.Direction)
	v.Bound, v.failed = bound, 0
	copy(v.Average, point)
}

// force starts where another volume algorithm of the same size is, with a column fixed, and its averages corrected for
// that.
func (v *Volume) force(r Binary, from *Volume, column int, to State) {
	v.copyFrom(from)
	r.Known().State[column] = to

	// The other columns keep their averages, which are still good.
	r.Shift(v.Direction, v.Multipliers, column, to.Value()-v.Average[column])
	v.Average[column] = to.Value()
	v.Resume(r)
}

// Resume evaluates the present multipliers, whose relaxation has changed a little, and keeps the averages.
func (v *Volume) Resume(r Relaxation) {
	r.Project(v.Multipliers)
	v.Bound, _ = r.Evaluate(v.Multipliers, v.slope)
	v.failed = 0
}

const (
	minStep = 1e-4  // of a step, at which the algorithm gives up
	minNorm = 1e-12 // of the direction, over the number of multipliers, in scaled steps
)

// Improve takes up to the given number of steps. It ends early where the bound has reached the limit, the relaxation
// has become infeasible (the bound is that of the relaxation then), the steps have become tiny or the context is
// cancelled.
func (v *Volume) Improve(ctx context.Context, r Relaxation, steps int) {
	// The direction counts as zero below a length that depends on the scales alone.
	first := v.Bound
	least := 0.0
	for _, s := range v.Scale {
		least += minNorm * s * s
	}

	for step := range steps {
		// The squared length of the direction, in scaled steps.
		limit := r.Limit()
		norm := 0.0
		for k, d := range v.Direction {
			norm += d * d * v.Scale[k] * v.Scale[k]
		}
		ends := norm <= least || v.Bound >= limit || v.Length < minStep
		if ends || ctx.Err() != nil || v.vain(step, first, limit) {
			return
		}

		// A step from the best multipliers along the direction, the average of the slopes (Barahona and Anbil 2000).
		size := v.Length * (v.goal(limit) - v.Bound) / norm
		for k, d := range v.Direction {
			v.trial[k] = v.Multipliers[k] + size*d*v.Scale[k]*v.Scale[k]
		}
		r.Project(v.trial)
		bound, point := r.Evaluate(v.trial, v.slope)
		if point == nil {
			v.Bound = bound
			return
		}

		// The averages take in every point, also where the bound has fallen.
		v.average(point)

		// Steps become shorter after failures, and a little longer where the bound rises.
		if bound <= v.Bound {
			if v.failed++; v.failed >= v.Patience {
				v.Length, v.failed = v.Length*0.7, 0
			}
			continue
		}
		if bound > v.Bound+1e-5*(v.goal(limit)-v.Bound) {
			v.failed = 0
		}
		v.Bound = bound
		copy(v.Multipliers, v.trial)
		v.Length = min(v.Length*1.05, 1.5)
	}
}

// vain reports whether to give up after this step: less than a third of the way to the limit was made by the end of
// the trial, or less than half of it half a trial later.
func (v *Volume) vain(step int, first, limit float64) bool {
	if v.Trial <= 0 || step != v.Trial && step != v.Trial+v.Trial/2 {
		return false
	}
	made := (v.Bound - first) / (limit - first)
	return made < 0.3 || step > v.Trial && made < 0.5
}

// goal is the value that the step length aims at.
func (v *Volume) goal(limit float64) float64 {
	// A limit that is far off, or none, would make steps too long: five per cent above the bound are aimed at then.
	size := max(v.Bound, -v.Bound)
	if limit > 2*size+1 || math.IsNaN(limit) {
		return v.Bound + 0.05*size + 1e-9
	}
	return max(limit, v.Bound+1e-4*size)
}

// average moves the averages towards the newest slope and point by the weight, between a tenth of Weight and Weight,
// that makes the direction shortest.
func (v *Volume) average(point []float64) {
	// With e the difference of the slope from the direction, the weight w = -d'e / e'e makes d + w e shortest.
	across, length := 0.0, 0.0
	for k, d := range v.Direction {
		e, s := v.slope[k]-d, v.Scale[k]*v.Scale[k]
		across -= e * d * s
		length += e * e * s
	}
	weight := v.Weight
	if length > 0 {
		weight = min(max(across/length, v.Weight/10), v.Weight)
	}
	for k, d := range v.Direction {
		v.Direction[k] += weight * (v.slope[k] - d)
	}
	for j, x := range v.Average {
		v.Average[j] += weight * (point[j] - x)
	}
}

// copyFrom takes multipliers, averages and bound from another volume algorithm of the same size.
func (v *Volume) copyFrom(o *Volume) {
	copy(v.Multipliers, o.Multipliers)
	copy(v.Scale, o.Scale)
	copy(v.Average, o.Average)
	copy(v.Direction, o.Direction)
	v.Bound = o.Bound
}
