package benders

import (
	"context"
	"time"

	"github.com/proxybd/proxybd/bnb"
)

// BranchAndCut solves the problem in one branch-and-bound tree over the master: cuts are separated at
// every integer candidate (lazily) and, as Options.Fractional says, at fractional points (paper,
// Figure 4). It returns the best design and the proven bound at a limit and on cancellation too.
func BranchAndCut(ctx context.Context, p *Problem, sep Separator, opt Options) (*Result, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	m, err := newMaster(p)
	if err != nil {
		return nil, err
	}
	t := &tree{run: newRun(p, sep, opt, m), inOut: newInOut(opt.InOut, m)}

	o := bnb.DefaultOptions()
	o.Gap = opt.Gap
	o.MaxNodes = opt.MaxNodes
	o.StallNodes = opt.StallNodes
	o.Seed = opt.Seed
	o.LogEvery = opt.LogEvery
	o.RootRounds = opt.RootRounds
	o.NodeRounds = opt.NodeRounds
	o.CutViolation = opt.Violation
	if p.Copy != nil {
		// With a copy the tree has cutting planes over designs and flows, which are separated before Benders cuts.
		m.keep(p.Copy)
		o.CutOrder = bnb.CutsFirst
	}
	if opt.Probes {
		o.Branching = bnb.ByProbes
	}
	if o.Start, err = t.starts(ctx); err != nil {
		return nil, err
	}

	// Optimality of a candidate needs the lazy hook alone; the others are heuristics that the options ask for.
	hooks := bnb.Hooks{Lazy: t.lazy, Progress: t.progress}
	if opt.Fractional != Never {
		hooks.User = t.user
	}
	if opt.Heuristic && p.Improve != nil && t.pricing() {
		hooks.Heuristic = t.heuristic
	}

	// The tree has the time that is left after the starts were priced.
	o.TimeLimit = t.remaining()
	r, err := bnb.Solve(ctx, m.model, o, hooks)
	if err != nil {
		return nil, err
	}
	return t.finish(ctx, r)
}

// tree is a running branch-and-Benders-cut.
type tree struct {
	*run
	inOut *inOut
}

// lazy separates an integer candidate of the tree and prices its design.
func (t *tree) lazy(ctx context.Context, c bnb.Candidate) (bnb.Separation, error) {
	// The design is rounded, since integer columns are so within tolerances only, and cuts are made at exact designs.
	y := t.design(c.X)
	s, cuts, err := t.separateAt(ctx, Point{Y: y, Theta: t.m.theta(c.X), Integer: true}, y)
	if err != nil {
		return bnb.Separation{}, err
	}
	for i := range cuts {
		t.counts.add(cuts[i].Kind)
	}
	if s.Source == FromCutSets {
		t.counts.CutSets += len(cuts)
	}

	// A design with a recourse may be the cheapest one, whether its candidate is accepted or cut off.
	answer := bnb.Separation{Cuts: t.rows(cuts, y)}
	if s.Infeasible || !t.pricing() {
		return answer, nil
	}
	answer.Points, err = t.offer(ctx, y)
	return answer, err
}

// user separates a fractional point of the tree.
func (t *tree) user(ctx context.Context, c bnb.Candidate) (bnb.Separation, error) {
	if c.Depth > 0 && t.opt.Fractional == AtRoot {
		return bnb.Separation{}, nil
	}

	// The root is where rounds are many, and where a stabilised point saves some of them.
	y, theta := c.X[:t.m.n], t.m.theta(c.X)
	point, itself := y, true
	if c.Depth == 0 {
		point, itself = t.inOut.next(y, c.Objective)
	}
	_, cuts, err := t.separateAt(ctx, Point{Y: point, Theta: theta}, y)
	if err != nil {
		return bnb.Separation{}, err
	}

	// Where the cuts of the stabilised point do not cut y off, those of y itself are made.
	if len(cuts) == 0 && !itself {
		if _, cuts, err = t.separateAt(ctx, Point{Y: y, Theta: theta}, y); err != nil {
			return bnb.Separation{}, err
		}
	}
	t.counts.User += len(cuts)
	points, err := t.roundings(ctx, y)
	return bnb.Separation{Cuts: t.rows(cuts, y), Points: points}, err
}

// roundings is the design that the problem rounds a fractional point to, where it is the best so far.
func (t *tree) roundings(ctx context.Context, y []float64) ([][]float64, error) {
	if t.p.Round == nil || !t.pricing() {
		return nil, nil
	}
	design := t.p.Round(y)
	if design == nil {
		return nil, nil
	}
	return t.offer(ctx, design)
}

// rounded is a design near the relaxation, as the problem rounds it.
func (t *tree) rounded(x []float64) []float64 {
	if t.p.Round == nil {
		return t.design(x)
	}
	return t.p.Round(x[:t.m.n])
}

// heuristic rounds the relaxation to a design, improves it with the problem's own heuristic and
// offers the result. A rounding that was improved before is not tried again.
func (t *tree) heuristic(ctx context.Context, c bnb.Candidate) (bnb.Separation, error) {
	// A local search from the same design would end at the same one again.
	start := time.Now()
	y := t.rounded(c.X)
	if y == nil || !t.improved.add(floatKey(y)) {
		return bnb.Separation{}, nil
	}
	better, err := t.p.Improve(ctx, y)
	t.parts.Heuristic += time.Since(start)
	if err != nil {
		return bnb.Separation{}, err
	}
	points, err := t.offer(ctx, better)
	return bnb.Separation{Points: points}, err
}

// progress passes a log line of the tree on, with the cost of the cheapest priced design.
func (t *tree) progress(p bnb.Progress) {
	if t.opt.Progress != nil {
		t.opt.Progress(Progress{Progress: p, TrueCost: t.sel.bestCost()})
	}
}

// finish turns the tree's result into the driver's.
func (t *tree) finish(ctx context.Context, r bnb.Result) (*Result, error) {
	out := t.result()
	out.Bound, out.Nodes, out.LPIterations = r.Bound, r.Nodes, r.LPIterations
	out.Parts.Master = r.Parts[bnb.PartLP].Time

	// The tree's own incumbent first, then the cheapest priced design where that is better.
	if r.X != nil {
		if err := t.terminal(ctx, out, t.design(r.X)); err != nil {
			return nil, err
		}
	}
	t.selectDesign(out)
	t.settle(out, Ended(r.Status))
	t.split(out)
	return out, nil
}
