package scenario

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// merged returns cuts on the epigraphs of a tree, each of which stands for one or more of the relaxation: the
// combinations of the relaxation's cuts by the master's multipliers. They give the tree's root the bound of the
// relaxation with a fraction of its rows and columns. Combinations have no certificates: where cuts keep theirs, they
// are those of the pool at the relaxation's cheapest point, and the bound is lower.
func (r *root) merged(ctx context.Context, s *separator) ([]benders.Cut, error) {
	// Feasibility cuts need no combination, and no cut does if the epigraphs are the same.
	var out []benders.Cut
	same := len(s.groups) == len(r.s.groups)
	for k := range r.cuts {
		if c := &r.cuts[k].Cut; same || c.Kind == benders.Feasibility {
			out = append(out, *c)
		}
	}
	if same {
		return out, nil
	}
	if s.certified {
		return append(out, s.priced(ctx, r.best)...), nil
	}

	// The master's multipliers of the cuts of each epigraph, and of its lower bound.
	result, err := r.lp.Solve(ctx, simplex.NoLimits())
	if err != nil || result.Status != lp.Optimal {
		if err = benders.NotCancelled(ctx, err); err != nil {
			err = fmt.Errorf("scenario: the master: %w", inner(err))
		}
		return out, err
	}
	of := make([][]part, len(r.s.groups))
	dual := r.lp.RowDual()
	for k := range r.cuts {
		// Cuts are rows with a lower side, whose multipliers are not negative but for rounding.
		if c := &r.cuts[k].Cut; c.Kind == benders.Optimality {
			of[c.Theta] = append(of[c.Theta], part{c, max(0, dual[r.given+k])})
		}
	}
	low := r.lp.ReducedCost()[r.n:]

	// An epigraph of the tree has the next few of the relaxation: its cut is the sum of their convex combinations.
	next := 0 // epigraph of the relaxation
	for t, scenarios := range s.groups {
		w := r.s.p.scenarios.NewWeighted()
		whole := true // every epigraph of the relaxation has a cut
		for n := 0; n < len(scenarios); next++ {
			n += len(r.s.groups[next])

			// The lower bound of the epigraph is a cut too, and its multiplier the epigraph's reduced cost.
			if l := r.master.Cols[r.n+next].Lower; !math.IsInf(l, -1) {
				of[next] = append(of[next], part{&benders.Cut{Alpha: l}, max(0, low[next])})
			}
			whole = whole && len(of[next]) > 0
			for _, one := range convex(of[next]) {
				w.Add(one.of, one.cut)
			}
		}

		// An epigraph without any cut has no lower bound, and neither has the sum.
		if cut, ok := w.Cut(t); ok && whole {
			out = append(out, cut)
		}
	}
	return out, nil
}

// priced returns the cuts of the pool at a point, none where that is nil.
func (s *separator) priced(ctx context.Context, y []float64) []benders.Cut {
	if y == nil {
		return nil
	}
	s.move(y)
	var out benders.Separation
	if s.byPool() {
		s.cuts(ctx, benders.Point{Y: y}, &out)
	}
	return out.Cuts
}

// part is a cut of a group with its multiplier.
type part struct {
	cut *benders.Cut
	of  float64
}

// convex returns those with a multiplier, which are made to add up to one in exact arithmetic: the greatest gets the
// rest, and all of it where none has one.
func convex(list []part) []part {
	const unit = 1 << 40 // multiples of 1/unit have exact sums
	if len(list) == 0 {
		return nil
	}

	// The greatest comes first, so that the rest, which may be larger than its own share, changes it least.
	slices.SortStableFunc(list, func(a, b part) int { return cmp.Compare(b.of, a.of) })
	total := 0.0
	for k := range list {
		total += list[k].of
	}

	// Every other share is rounded down to a multiple of 1/unit, so that the rest is exact and not negative. Where total
	// is 0 the shares are not numbers, and none is kept.
	kept := list[:1]
	rest := 1.0
	for _, p := range list[1:] {
		if p.of = math.Floor(p.of/total*unit) / unit; p.of > 0 {
			kept = append(kept, p)
			rest -= p.of
		}
	}
	kept[0].of = rest
	return kept
}
