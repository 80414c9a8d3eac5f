package decompose

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/lagrange"
)

// TestCutsOfStates goes on from states whose design is more expensive than the start, and has a site that the problem
// closes. The form and the values of the cuts are checked all the same.
func TestCutsOfStates(t *testing.T) {
	s := randomSites(5, 6, 8)
	s.open[0] = 1e4 // in no optimum
	best, cost := s.best()
	all := slices.Repeat([]float64{1}, len(s.open))

	// The cut that is separated at the best design is tight there, so that a higher one is wrong.
	tight, err := s.Separate(t.Context(), benders.Point{Y: best, Integer: true})
	if err != nil {
		t.Fatal(err)
	}

	// The cost of the start closes the first site.
	p := s.program()
	p.Preparation.Fix = func(_ context.Context, start *Start, _ bool) error {
		start.Fixing = lagrange.Fixing{Closed: []int32{0}, UB: start.Cost}
		return nil
	}

	// Each case changes a copy of this cut. A lower cut stays valid.
	valid := tight.Cuts[0]
	for name, c := range map[string]struct {
		change func(c *benders.Cut)
		valid  bool
	}{
		"valid":       {func(*benders.Cut) {}, true},
		"column":      {func(c *benders.Cut) { c.Index[0] = 99 }, false},
		"no column":   {func(c *benders.Cut) { c.Index[0] = -1 }, false},
		"epigraph":    {func(c *benders.Cut) { c.Theta = 7 }, false},
		"too high":    {func(c *benders.Cut) { c.Alpha += 1e-3 * cost }, false},
		"not so high": {func(c *benders.Cut) { c.Alpha -= 1e-3 * cost }, true},
	} {
		// The run begins with the best design and with a state that has the changed cut and the design that opens all sites.
		cut := valid
		cut.Index = slices.Clone(valid.Index)
		c.change(&cut)
		o := exactly(Exact)
		o.Start = best
		o.Resume = &State{Design: all, Cost: s.total(all), Epigraphs: 1, Cuts: []benders.Cut{cut}}
		r, err := Solve(t.Context(), p, o)

		// An invalid cut is refused; with a valid one the run ends with the cost of the best design.
		switch {
		case !c.valid && !errors.Is(err, ErrState):
			t.Errorf("%s: %v", name, err)
		case c.valid && (err != nil || math.Abs(r.Objective-cost) > 1e-9*cost):
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// TestStatesOfExpensiveDesigns goes on from a state whose design costs more than the start, with a program that prices
// such designs by lower bounds. A valid cut that is tight at the design is accepted.
func TestStatesOfExpensiveDesigns(t *testing.T) {
	s := randomSites(5, 6, 8)
	best, cost := s.best()
	one := make([]float64, len(s.open))
	one[0] = 1
	tight, err := s.Separate(t.Context(), benders.Point{Y: one, Integer: true})
	if err != nil || s.total(one) < 1.1*cost {
		t.Fatal(s.total(one), cost, err)
	}

	p := s.program()
	problem := p.Recourse.Problem
	p.Recourse.Problem = func(ctx context.Context, aggregated bool) (*benders.Problem, error) {
		b, err := problem(ctx, aggregated)
		exact := b.Recourse
		b.Recourse = func(ctx context.Context, y, q []float64) (bool, error) {
			feasible, err := exact(ctx, y, q)
			q[0] = min(q[0], 1.01*cost-s.master().Evaluate(y))
			return feasible, err
		}
		return b, err
	}
	o := exactly(Exact)
	o.Start = best
	o.Resume = &State{Design: one, Cost: s.total(one), Epigraphs: 1, Cuts: tight.Cuts}
	r, err := Solve(t.Context(), p, o)
	if err != nil || math.Abs(r.Objective-cost) > 1e-9*cost {
		t.Errorf("%+v, %v", r, err)
	}
}
