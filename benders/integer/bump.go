package integer

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
)

// separator makes cuts for a first stage of 0-1 columns: those of the linear relaxation of the recourse and, at a
// design where these are not violated, integer L-shaped cuts. It implements benders.Separator.
type separator struct {
	*pricer
	base   benders.Separator // of the relaxed program
	groups [][]int
	lower  []float64      // of each epigraph, where there is no cut to raise
	cutoff func() float64 // of the run, at the time of the call

	violation float64 // at which a cut counts as violated, relative to its scale
}

// Source implements benders.Separator.
func (s *separator) Source() benders.Source { return benders.FromExact }

// Separate implements benders.Separator.
func (s *separator) Separate(ctx context.Context, pt benders.Point) (benders.Separation, error) {
	sep, err := s.base.Separate(ctx, pt)
	if err != nil {
		return sep, prefixed(err)
	}
	// The value that the linear programs prove is a lower bound on that of the integer recourse.
	sep.Exact = false
	violated := func(c benders.Cut) bool { return c.Violated(pt.Target(), pt.Theta, s.violation) }
	if sep.Infeasible || !pt.Integer || slices.ContainsFunc(sep.Cuts, violated) {
		return sep, nil
	}

	// The design satisfies every cut of the linear programs. Scenarios are solved until its cost is known, or known to
	// be above the cutoff of the run: lower bounds then raise the cuts by enough.
	complete, feasible, err := s.price(ctx, pt.Y, s.cutoff())
	if err != nil {
		return benders.Separation{}, err
	}
	if !feasible {
		return benders.Separation{Infeasible: true, Value: math.Inf(-1), Cuts: []benders.Cut{noGood(pt.Y)}}, nil
	}
	q := make([]float64, len(s.groups))
	out := benders.Separation{Exact: complete, Value: s.collect(s.groups, q)}
	for g := range s.groups {
		low := benders.Cut{Theta: g, Alpha: s.lower[g]}
		for k := range sep.Cuts {
			if c := &sep.Cuts[k]; c.Kind == benders.Optimality && c.Theta == g {
				low = *c
			}
		}
		if cut, ok := s.bump(low, pt.Y, q[g]); ok {
			out.Cuts = append(out.Cuts, cut)
			s.counts.bumps++
		}
	}
	return out, nil
}

// distance returns 1 - H(y, at) as a cut without a certificate, where H is the number of columns in which 0-1 vectors
// differ: 1 at the design, and 0 or less at every other.
func distance(at []float64) benders.Cut {
	c := benders.Cut{Alpha: 1}
	for j, v := range at {
		c.Index = append(c.Index, int32(j))
		if v > 0.5 {
			c.Beta = append(c.Beta, 1)
			c.Alpha--
		} else {
			c.Beta = append(c.Beta, -1)
		}
	}
	return c
}

// noGood returns the feasibility cut that excludes one 0-1 design: 0 >= 1 - H(y, at).
func noGood(at []float64) benders.Cut {
	c := distance(at)
	c.Kind = benders.Feasibility
	return c
}

// bump raises a cut by as much as a group of scenarios costs more than it at a 0-1 design, there alone. At every other
// design it is no higher than the cut.
func (s *separator) bump(low benders.Cut, at []float64, q float64) (benders.Cut, bool) {
	// The bound that the cut is raised to is that of mixed-integer programs in floating point.
	const rounding = 1e-9
	q -= rounding * max(1, math.Abs(q))
	by := q - low.Value(at) - rounding*max(1, math.Abs(q))
	if !(by > 0) || math.IsInf(low.Alpha, -1) {
		return low, false
	}

	w := s.p.scenarios.NewWeighted()
	w.Add(1, &low)
	peak := distance(at)
	w.Add(by, &peak)
	cut, ok := w.Cut(low.Theta)
	return cut, ok
}
