package bnb

import "math"

// incumbent is the best accepted point and what follows from its objective.
type incumbent struct {
	p         *problem
	opt       Options
	guided    []float64 // origin.guide
	x         []float64
	objective float64 // +Inf without a point
	accepted  int
	source    Source

	// strict excludes only points that are not better than the incumbent (or Options.Cutoff): bounds
	// are tightened with it. cutoff also leaves the gap tolerance aside: nodes are dropped at it.
	strict, cutoff float64
}

// newIncumbent has no point; a cutoff of the options excludes points from the start.
func newIncumbent(p *problem, opt Options, guide []float64) incumbent {
	in := incumbent{p: p, opt: opt, guided: guide, objective: inf, strict: inf, cutoff: inf}
	if opt.HasCutoff {
		in.strict = p.sense * opt.Cutoff
		in.cutoff = in.strict
	}
	return in
}

// set makes x the incumbent.
func (in *incumbent) set(x []float64, objective float64, src Source) {
	// The slice is not nil even without columns: nil means that there is no point.
	in.x = append(make([]float64, 0, len(x)), x...) // never nil
	in.objective, in.source = objective, src
	in.accepted++

	// Where the objectives of integer points are multiples of a step, the next better point is a whole step better.
	strict := objective
	if in.p.step > 0 {
		if tol := in.p.stepTolerance(objective); tol <= 0.1 {
			strict = objective - in.p.step*(1-tol)
		}
	}

	// A cutoff of the options stays in force while it is tighter.
	in.strict = math.Min(in.strict, strict)
	in.cutoff = math.Min(in.cutoff, math.Min(strict, objective-in.allowance()))
}

// allowance is the absolute gap at which the search may stop.
func (in *incumbent) allowance() float64 {
	size := math.Abs(in.objective)

	// The relative gap is at most 1, so that bounds of the other sign are never good enough.
	gap := math.Min(in.opt.Gap, 1) * size
	return math.Max(math.Max(gap, in.opt.AbsoluteGap), numericTol*math.Max(1, size))
}

// closes reports whether bound proves the incumbent to the gap of the options. The bound may be that of another
// search, in which the objective of the same point is another sum: so much is rounding.
func (in *incumbent) closes(bound float64) bool {
	return in.x != nil && bound >= in.objective-in.allowance()-sumNoise*math.Max(1, math.Abs(in.objective))
}

// improves reports whether a point with that objective would be an improvement.
func (in *incumbent) improves(objective float64) bool {
	// Without a point the cutoff of the options is to be beaten, if there is one.
	if in.x == nil {
		return math.IsInf(in.strict, 1) || objective < in.strict-numericTol*math.Max(1, math.Abs(in.strict))
	}
	return objective < in.objective-numericTol*math.Max(1, math.Abs(in.objective))
}

// strictest is the value below which no excluded point may lie.
func (in *incumbent) strictest() float64 {
	if in.x != nil {
		return in.objective
	}
	return in.strict
}

// guide is the best point: the incumbent, else that of the search that this one continues; nil without either.
func (in *incumbent) guide() []float64 {
	if in.x != nil {
		return in.x
	}
	return in.guided
}

// reported returns the objective in the model's sense, NaN without a point.
func (in *incumbent) reported() float64 {
	if in.x == nil {
		return math.NaN()
	}
	return in.p.sense * in.objective
}
