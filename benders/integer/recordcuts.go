package integer

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
)

// proofNodes is how many nodes the tree of a cut may have. Where it ends there, the cut has the constant that is
// proven.
const proofNodes = 50_000

// rounding is how much less than its constant the proof of a cut may give, relative to the size of its terms. Without
// it a tree would branch where its linear program misses the constant by a tolerance.
const rounding = 1e-8

// localSteps is how many mixed-integer programs a Lagrangian cut of a box takes at most. Their designs are divided
// further where it is not enough.
const localSteps = 4

// prove returns a cut with the slopes of another one, and the constant that a tree over the scenario proves: that of
// the cut, or somewhat less. in is the box of designs that the cut is for, nil for all.
func (p *prover) prove(ctx context.Context, s int, like benders.Cut, in *box) (benders.Cut, error) {
	b := p.blocks[s]
	cost := slices.Clone(b.costs)
	if like.Kind == benders.Feasibility {
		clear(cost)
	}
	size := max(1, math.Abs(like.Alpha))
	for k, j := range like.Index {
		cost[j] = -like.Beta[k]
		size = max(size, math.Abs(like.Beta[k]))
	}
	goal := like.Alpha
	if !math.IsInf(goal, 1) {
		goal -= rounding * size
	}

	out := like
	own := &proof{kind: like.Kind, scenario: s}
	if in != nil {
		own.lower = slices.Clone(in.lower)
		own.upper = slices.Clone(in.upper)
	}
	tree, bound, err := b.bounder.Bound(ctx, cost, own.lower, own.upper, goal)
	if err != nil {
		return out, fmt.Errorf("integer: scenario %s: %w", p.p.tight.ScenarioName(s), err)
	}
	if err := ctx.Err(); err != nil {
		return out, err
	}

	// Where the scenario has no point, any constant is right.
	out.Alpha = min(bound, like.Alpha)
	if math.IsInf(out.Alpha, 1) {
		out.Alpha = 0
	}
	own.tree = tree
	out.Certificate = own
	return out, nil
}

// Source implements benders.Separator.
func (p *prover) Source() benders.Source { return benders.FromExact }

// Separate implements benders.Separator: cuts of single scenarios that the point violates. At a 0-1 design that the
// linear programs do not exclude they are integer L-shaped cuts.
func (p *prover) Separate(ctx context.Context, pt benders.Point) (benders.Separation, error) {
	lows := make([]benders.Cut, len(p.blocks))
	cuts := make([]*benders.Cut, len(p.blocks))
	err := p.each(func(c *chunk) error {
		for _, s := range c.scenarios {
			if err := p.linear(ctx, c, s, pt, lows, cuts); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return benders.Separation{}, err
	}

	out := benders.Separation{Value: math.NaN()}
	for _, cut := range cuts {
		if cut != nil {
			out.Cuts = append(out.Cuts, *cut)
			out.Infeasible = out.Infeasible || cut.Kind == benders.Feasibility
		}
	}
	if len(out.Cuts) > 0 || !pt.Integer {
		return out, nil
	}
	return p.atDesign(ctx, pt, lows, out)
}

// violation is how much a cut has to be violated before it is proven, relative to max(1, |theta|).
const violation = 1e-7

// linear makes the cut of the linear program of a scenario at a point, and proves it where the point violates it.
func (p *prover) linear(ctx context.Context, c *chunk, s int, pt benders.Point, lows []benders.Cut,
	cuts []*benders.Cut) error {
	if err := c.view.Set(s); err != nil {
		return prefixed(err)
	}
	sep, err := c.view.Separate(ctx, pt.Y)
	if err != nil {
		return prefixed(err)
	}

	for k := range sep.Cuts {
		// The cost of the scenario has its probability as a factor.
		low := sep.Cuts[k]
		w := p.p.scenarios.NewWeighted()
		if low.Kind == benders.Optimality {
			w.Add(p.p.weight[s], &low)
			var ok bool
			if low, ok = w.Cut(s); !ok {
				continue
			}
			lows[s] = low
			if low.Value(pt.Y)-pt.Theta[s] <= violation*max(1, math.Abs(pt.Theta[s])) {
				continue
			}
		}
		cut, err := p.prove(ctx, s, low, nil)
		if err != nil {
			return err
		}
		cuts[s] = &cut
	}
	return nil
}

// atDesign adds the cuts of mixed-integer programs at a 0-1 design: as many scenarios are solved as it takes to see
// that the design is no better than the best one.
func (p *prover) atDesign(ctx context.Context, pt benders.Point, lows []benders.Cut, out benders.Separation) (
	benders.Separation, error) {
	_, feasible, err := p.price(ctx, pt.Y, p.run.cutoff())
	out.Infeasible = !feasible
	if err != nil || !p.p.binary {
		return out, err
	}

	cuts := make([]*benders.Cut, len(p.blocks))
	err = p.each(func(c *chunk) error {
		for _, s := range c.scenarios {
			cut, ok := p.raised(s, pt, lows[s])
			if !ok {
				continue
			}
			proven, err := p.prove(ctx, s, cut, nil)
			if err != nil {
				return err
			}
			cuts[s] = &proven
		}
		return nil
	})
	for _, cut := range cuts {
		if cut != nil {
			out.Cuts = append(out.Cuts, *cut)
		}
	}
	return out, err
}

// raised returns the cut of a linear program, raised to the cost of its scenario at the design that was priced last, or
// what excludes the design where it has no recourse. It reports false where the cost is not above the epigraph.
func (p *prover) raised(s int, pt benders.Point, low benders.Cut) (benders.Cut, bool) {
	v := &p.values[s]
	theta := pt.Theta[s]
	switch {
	case v.infeasible:
		return noGood(pt.Y), true
	case v.state == unknown || p.p.weight[s]*v.low-theta <= violation*max(1, math.Abs(theta)):
		return low, false
	}
	return p.bump.bump(low, pt.Y, p.p.weight[s]*v.low)
}

// local returns Lagrangian cuts of a box at a design.
func (p *prover) local(ctx context.Context, lower, upper, y []float64) ([]benders.Cut, error) {
	if p.dual == nil {
		p.dual = newLagrangian(p.pricer)
		p.dual.free = true
	}
	in := box{lower, upper}
	slopes := make([][]float64, len(p.blocks))
	for s := range slopes {
		slopes[s] = make([]float64, len(y))
	}
	planes, err := p.dual.planes(ctx, in, y, slopes, localSteps)
	if err != nil {
		return nil, err
	}

	var out []benders.Cut
	for s := range planes {
		// A scenario without a point in the box excludes all of its designs.
		cut := benders.Cut{Kind: benders.Feasibility, Alpha: 1}
		if !planes[s].infeasible {
			cut = planes[s].cut()
			w := p.p.scenarios.NewWeighted()
			w.Add(p.p.weight[s], &cut)
			var ok bool
			if cut, ok = w.Cut(s); !ok {
				continue
			}
		}
		if cut, err = p.prove(ctx, s, cut, &in); err != nil {
			return nil, err
		}
		out = append(out, cut)
		if planes[s].infeasible {
			break
		}
	}
	return out, nil
}
