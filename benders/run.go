package benders

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/proxybd/proxybd/bnb"
)

// run is what both drivers share: the master, the separator, the counters and the priced designs.
type run struct {
	p     *Problem
	sep   Separator
	opt   Options
	m     *master
	sel   *selection // the priced designs
	began time.Time

	// For the result.
	counts    Counts
	parts     Parts
	uses      Uses
	projected int
	inexact   bool // a design was accepted whose recourse cost was only bounded, not computed

	improved keySet // roundings that the heuristic has begun with
}

// newRun returns a run that has separated and priced nothing yet.
func newRun(p *Problem, sep Separator, opt Options, m *master) *run {
	return &run{
		p:      p,
		sep:    sep,
		opt:    opt,
		m:      m,
		sel:    newSelection(p),
		began:  time.Now(),
		counts: Counts{Initial: len(p.Initial)},
	}
}

// pricing reports whether visited designs are priced by their true cost.
func (r *run) pricing() bool { return r.opt.TrueCost && r.p.Recourse != nil }

// design copies and rounds the first-stage part of a master point. Continuous first-stage columns
// keep their values.
func (r *run) design(x []float64) []float64 {
	y := append([]float64(nil), x[:r.m.n]...)
	for j := range y {
		if r.p.Master.Cols[j].Integer {
			y[j] = math.Round(y[j])
		}
	}
	return y
}

// separateAt makes cuts at p.Y and keeps those that the master's point (y, p.Theta) violates.
func (r *run) separateAt(ctx context.Context, p Point, y []float64) (*Separation, []Cut, error) {
	start := time.Now()
	p.From = y
	s, err := ask(ctx, r.sep, p)
	r.parts.Separation += time.Since(start)
	r.parts.Times.add(s.Times)
	r.uses.add(s.Uses)
	if err != nil {
		return nil, nil, fmt.Errorf("benders: %s separation of %s: %w", r.sep.Source(), r.p.Name, err)
	}
	r.projected += s.Projected
	cuts := violated(s.Cuts, y, p.Theta, r.opt.Violation)

	// A design without a violated cut is accepted, and proven only if the epigraphs bear its exact recourse cost.
	r.inexact = r.inexact || p.Integer && len(cuts) == 0 && !(s.Exact && r.prices(p.Theta, s.Value))
	if r.opt.Recorder != nil {
		r.opt.Recorder.Separated(p, &s, cuts)
	}
	return &s, cuts, nil
}

// prices reports whether the epigraphs bear a recourse cost, to the tolerance of the cuts: cuts with large coefficients
// are enforced less tightly than that.
func (r *run) prices(theta []float64, cost float64) bool {
	sum, size := 0.0, 0.0
	for _, t := range theta {
		sum += t
		size += max(1, math.Abs(t))
	}
	return cost-sum <= 2*r.opt.Violation*size
}

// rows returns cuts that were made at y as rows of the master. In the tree they are held against their scale where they
// are tight.
func (r *run) rows(cuts []Cut, y []float64) []bnb.Cut {
	rows := make([]bnb.Cut, len(cuts))
	for i := range cuts {
		rows[i] = r.m.row(&cuts[i])
		t := 0.0
		if cuts[i].Kind == Optimality {
			t = cuts[i].Value(y)
		}
		rows[i].Scale = cuts[i].Scale(y, t)
	}
	return rows
}

// offer prices a design and returns it as a complete point of the master where it is the cheapest
// so far.
func (r *run) offer(ctx context.Context, y []float64) ([][]float64, error) {
	v, improved, err := r.sel.price(ctx, y)
	if err != nil || !improved {
		return nil, err
	}
	x, err := r.m.complete(ctx, v.y, v.q)
	if err != nil || x == nil {
		return nil, err
	}
	return [][]float64{x}, nil
}

// starts prices the problem's starting designs and returns those that are the cheapest so far as complete points.
func (r *run) starts(ctx context.Context) ([][]float64, error) {
	if !r.opt.Heuristic || !r.pricing() {
		return nil, nil
	}
	var out [][]float64
	for _, y := range r.p.Starts {
		// A run that is cancelled goes on with the starts that are priced, to end with the best of them.
		points, err := r.offer(ctx, y)
		if err != nil {
			return out, NotCancelled(ctx, err)
		}
		out = append(out, points...)
	}
	return out, nil
}

// terminal prices the master's last incumbent. A design that breaks a row once it is rounded, or that has no feasible
// recourse (a proxy may fail to see that), is not returned.
func (r *run) terminal(ctx context.Context, out *Result, y []float64) error {
	if r.p.Recourse == nil || r.opt.Unpriced {
		ok, err := r.p.Check(y)
		if ok {
			out.Design = y
		}
		return err
	}

	// The design is priced also after the end of the context: without its price the run would lose it. With true-cost
	// selection it has its price already.
	v, _, err := r.sel.price(context.WithoutCancel(ctx), y)
	if err != nil || !v.feasible {
		return err
	}

	// Without true-cost selection this is the design of the result.
	out.Design, out.Terminal, out.Objective = y, v.cost, v.cost
	return nil
}

// selectDesign returns the cheapest priced design instead of the terminal one where that is better.
func (r *run) selectDesign(out *Result) {
	if best := r.sel.best; r.pricing() && best != nil && !(out.Objective <= best.cost) {
		out.Design, out.Objective = best.y, best.cost
	}
}

// settle sets the status of a finished run. A fixed point is how a run with predictions alone may end; where a
// separator that proves leaves a gap, numerical trouble did, and the problem is not solved.
func (r *run) settle(out *Result, why Reason) {
	if why == Completed && r.sep.Source().Proves() {
		why = CompletedProof
	}

	// The proof is one-sided where the cost of some accepted design was only bounded.
	if r.inexact {
		why = why.Bounded()
	}
	out.Settle(why, r.opt.Gap)
}

// result starts a Result from the counters.
func (r *run) result() *Result {
	out := Nothing(Unfinished)
	out.Cuts, out.Projected, out.Uses, out.Parts = r.counts, r.projected, r.uses, r.parts
	return out
}

// split fills in the times and counts that are known at the end.
func (r *run) split(out *Result) {
	out.Elapsed = time.Since(r.began)
	out.Visited = len(r.sel.seen)
	out.Parts.Recourse = r.sel.elapsed
	out.Parts.Fill(out.Elapsed)
}

// stopped turns the error of work that was cut short by the end of its context into a reason.
func stopped(ctx context.Context, why Reason, err error) (Reason, error) {
	switch {
	case ctx.Err() == nil:
	case errors.Is(err, context.Canceled):
		return Cancelled, nil
	case errors.Is(err, context.DeadlineExceeded):
		return TimeOut, nil
	}
	return why, err
}

// remaining returns what is left of the time limit.
func (r *run) remaining() time.Duration {
	if r.opt.TimeLimit == math.MaxInt64 {
		return math.MaxInt64
	}
	return max(0, r.opt.TimeLimit-time.Since(r.began))
}
