package decompose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// ErrState is wrapped by the errors about a design or a state that a run cannot begin with.
var ErrState = errors.New("not a start of this program")

// State is what another run of the same program goes on from: the best design, the bound and the cuts, from which the
// tree is built again. Costs and cuts are those of the program as it is run: minimised, a cost being one of 2^Exponent
// as much in the program given.
type State struct {
	Design    []float64     // the best design, nil for none
	Cost      float64       // its true cost, +Inf for none
	Bound     float64       // a proven lower bound on all designs
	Cuts      []benders.Cut // without certificates, the last ones of many
	Epigraphs int           // of the master of these cuts, 0 for none
	Exponent  int           // of the unit of costs
}

// checkpointer collects the best design, the bound and the cuts of a run, and saves them from time to time. A nil
// checkpointer does nothing: it is that of a run which saves no states.
type checkpointer struct {
	benders.CutLog // the cuts
	state          State
	save           func(*State)
	every          time.Duration // between two states
	last           time.Time     // when the last one was saved; zero after a better design
}

// newCheckpointer returns the checkpointer of a run, nil where the options save no states.
func newCheckpointer(r *run) *checkpointer {
	if r.o.Save == nil {
		return nil
	}
	k := &checkpointer{
		save:  r.o.Save,
		every: r.o.SaveEvery,
		last:  r.began,
		state: State{Cost: math.Inf(1), Bound: math.Inf(-1), Exponent: r.exponent},
	}
	k.Most = maxKept
	return k
}

// maxKept is the largest number of cuts of a state, which limits the size of its file.
const maxKept = 2000

// observe lets the checkpointer record the bounds that a run reports.
func (k *checkpointer) observe(o *benders.Options) {
	if k == nil {
		return
	}

	// The caller's function is called after the bound is kept.
	report := o.Progress
	o.Progress = func(p benders.Progress) {
		k.record(nil, math.Inf(1), p.Bound)
		k.due()
		if report != nil {
			report(p)
		}
	}
}

// record keeps a design and a bound, each if it is better.
func (k *checkpointer) record(design []float64, cost, bound float64) {
	if k == nil {
		return
	}

	// A better design is saved at the next occasion, however short the time since the last state.
	if design != nil && cost < k.state.Cost {
		k.state.Design, k.state.Cost = slices.Clone(design), cost
		k.last = time.Time{}
	}

	// +Inf is the bound of an infeasible program or of one without a better design, and none to go on from.
	if bound > k.state.Bound && !math.IsInf(bound, 1) {
		k.state.Bound = bound
	}
}

// Separated implements benders.Recorder.
func (k *checkpointer) Separated(p benders.Point, s *benders.Separation, violated []benders.Cut) {
	k.CutLog.Separated(p, s, violated)
	k.due()
}

// due saves the state after a better design, and where the last time is long ago.
func (k *checkpointer) due() {
	if time.Since(k.last) >= k.every {
		k.saveState()
	}
}

// saveState passes a copy of the state to the function that saves it.
func (k *checkpointer) saveState() {
	// Bounds hold for designs that cost at most the best one, since fixings rest on its cost.
	state := k.state
	state.Bound = min(state.Bound, state.Cost)
	state.Cuts = k.Cuts
	k.save(&state)
	k.last = time.Now()
}

// observePricing lets the checkpointer record the designs that a problem prices and the cuts that its separator
// returns. Cuts of a problem with another number of epigraphs are of no use to this one, and are dropped.
func (k *checkpointer) observePricing(p *benders.Problem, o *benders.Options) {
	if k == nil {
		return
	}
	if k.state.Epigraphs != p.Epigraphs {
		k.state.Epigraphs, k.Cuts = p.Epigraphs, nil
	}

	// The log of cuts comes before the recorder of the run, which it calls.
	k.Next = o.Recorder
	o.Recorder = k
	if p.Recourse == nil {
		return
	}

	// The cost of a priced design is that of the first stage and of all epigraphs; the state has the rounded design.
	recourse := p.Recourse
	p.Recourse = func(ctx context.Context, y, q []float64) (bool, error) {
		feasible, err := recourse(ctx, y, q)
		if err == nil && feasible {
			cost := p.Master.Evaluate(y)
			for _, v := range q {
				cost += v
			}

			// Only a better design is worth rounding.
			if cost < k.state.Cost {
				if y, err := p.Master.Rounded(y); err == nil {
					k.record(y, cost, math.Inf(-1))
				}
			}
		}
		return feasible, err
	}
}

// resume goes on from the state and the design that the options have.
func (r *run) resume(ctx context.Context) error {
	if s := r.o.Resume; s != nil {
		// The exponent follows from the data: another one is that of another program.
		if s.Exponent != r.exponent {
			return fmt.Errorf("decompose: %w: its costs have another unit", ErrState)
		}
		if err := r.beginWith(ctx, s.Design); err != nil {
			return err
		}

		// The design was priced again, and its cost may show that the bound is of another program.
		if s.Design != nil && s.Bound > r.start.Cost+1e-6*max(1, math.Abs(r.start.Cost)) {
			return fmt.Errorf("decompose: %w: its bound %g is above the cost %g of a design", ErrState, s.Bound, r.start.Cost)
		}
		r.start.Bound = max(r.start.Bound, s.Bound)
	}

	// The start of the options may be better than the design of the state.
	if err := r.beginWith(ctx, r.o.Start); err != nil {
		return err
	}
	r.keep.record(r.start.Design, r.start.Cost, r.start.Bound)
	return nil
}

// beginWith prices a design, which becomes that of the start where it is cheaper.
func (r *run) beginWith(ctx context.Context, design []float64) error {
	if design == nil {
		return nil
	}

	// The design is priced also where no time is left: without it the run would have nothing to return.
	design, err := r.p.Model.Master().Rounded(design)
	if err != nil {
		return fmt.Errorf("decompose: %w: %w", ErrState, err)
	}
	cost, feasible, err := r.p.minimised(context.WithoutCancel(ctx), design)
	switch {
	case err != nil:
		return err
	case !feasible:
		return fmt.Errorf("decompose: %w: its design has no feasible recourse", ErrState)
	case cost >= r.start.Cost:
		return nil
	}

	// What the program has prepared rests on its own design, and has to follow the better one: columns are fixed against
	// its cost, for example.
	r.start.Design, r.start.Cost = design, cost
	if r.p.Preparation.Accept == nil || !r.prepared {
		return nil
	}
	return r.p.Preparation.Accept(ctx, &r.start)
}

// resumed puts the cuts of an earlier run around a separator, if they are about the epigraphs of the problem. The cost
// of a design is known exactly: a cut that says more there is of another program, and so is one that excludes it.
func (r *run) resumed(ctx context.Context, p *benders.Problem, sep benders.Separator) (benders.Separator, error) {
	// Cuts on another number of epigraphs, as those of another method, are of no use.
	s := r.o.Resume
	if s == nil || s.Epigraphs != p.Epigraphs || len(s.Cuts) == 0 {
		return sep, nil
	}
	if err := s.check(ctx, p, r.start.Design); err != nil {
		return nil, err
	}
	return benders.Chain(sep, s.violated), nil
}

// check reports the first cut that cannot be one of the problem. The design is the best known one, nil for none: a more
// expensive one may be excluded by the fixed columns of the problem, and its price may be a lower bound.
func (s *State) check(ctx context.Context, p *benders.Problem, design []float64) error {
	q := make([]float64, p.Epigraphs) // the exact recourse cost of the design, where that is priced
	priced := false
	if design != nil && p.Recourse != nil {
		var err error
		if _, priced, err = p.Price(context.WithoutCancel(ctx), design, q); err != nil {
			return err
		}
	}

	for k := range s.Cuts {
		// The form of the cut: its epigraph and its columns exist.
		c := &s.Cuts[k]
		if c.Theta < benders.AllEpigraphs || c.Theta >= p.Epigraphs {
			return fmt.Errorf("decompose: %w: cut %d is about the epigraph %d of %d", ErrState, k+1, c.Theta, p.Epigraphs)
		}
		for _, j := range c.Index {
			if j < 0 || int(j) >= len(p.Master.Cols) {
				return fmt.Errorf("decompose: %w: cut %d has the column %d of %d", ErrState, k+1, j, len(p.Master.Cols))
			}
		}

		// A valid cut holds at every design with its exact cost. Without a price the form alone is checked.
		if !priced {
			continue
		}
		t := c.At(q)
		if v := c.Value(design); v-t > 1e-6*c.Scale(design, t) {
			return fmt.Errorf("decompose: %w: cut %d says %g of a design for which it is %g", ErrState, k+1, v, t)
		}
	}
	return nil
}

// violated implements benders.Step with the cuts of the state: where they cut a point off nothing else is needed.
func (s *State) violated(_ context.Context, p benders.Point) (out benders.Separation, final bool, err error) {
	const (
		maxCuts      = 50   // the most violated ones
		minViolation = 1e-5 // relative to the scale of a cut
	)
	y := p.Target()

	type hit struct {
		cut       *benders.Cut
		violation float64
	}
	var list []hit
	out = benders.Separation{Value: math.Inf(-1), Source: benders.FromKnown}
	// All cuts that the point violates, the most violated ones first: they cost no linear program.
	for k := range s.Cuts {
		c := &s.Cuts[k]
		t := c.At(p.Theta)
		if v := (c.Value(y) - t) / c.Scale(y, t); v > minViolation {
			list = append(list, hit{c, v})

			// Between designs a violated feasibility cut does not prove that the point has no recourse.
			out.Infeasible = out.Infeasible || p.Integer && c.Kind == benders.Feasibility
		}
	}

	slices.SortStableFunc(list, func(a, b hit) int { return cmp.Compare(b.violation, a.violation) })
	for _, h := range list[:min(maxCuts, len(list))] {
		out.Cuts = append(out.Cuts, *h.cut)
	}
	return out, len(list) > 0, nil
}

// finished saves the state with which a run ended, unless the run has shown that there is nothing to go on from.
func (k *checkpointer) finished(out *benders.Result) {
	if k == nil || out.Status == lp.Infeasible || out.Status == lp.Unbounded {
		return
	}
	k.record(out.Design, out.Objective, out.Bound)
	k.saveState()
}
