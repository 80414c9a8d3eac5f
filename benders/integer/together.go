package integer

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Once the integer columns are fixed, those of the recourse in every scenario to values of their own, a program is a
// two-stage linear program: its decomposition finds the best values of all continuous columns together, of the first
// stage and of the recourse. Good values of the integer columns are those of the mixed-integer programs of the
// scenarios at a design near to the optimum of the linear relaxation that has a little more room: where there is just
// the capacity that the fractions need, a scenario takes whatever fits, at any cost. On sslpv-40-50-200 the points
// without more room lead to a design of cost -555.14, those with 1/128 of the way to the upper bounds to -556.98, and
// the relaxation is -557.37.

const (
	maxTogether = 3   // times in a row that the integer columns are fixed at the points of the best design
	nearest     = 0.5 // rounds a column to the nearest integer, as the fraction up to which it is rounded down
)

// togetherShares are the shares of the way from the point of the relaxation to the upper bounds of its continuous
// columns. They were tuned on sslpv-40-50-200 alone.
var togetherShares = []float64{1. / 512, 1. / 128, 1. / 32}

// together seeks designs by linear programs with fixed integer columns. Integer columns of the first stage are those of
// a point of the relaxation, rounded.
func (t *tree) together(ctx context.Context, y []float64) error {
	continuous := func(c lp.Col) bool { return !c.Integer }
	if t.prices.points == nil || t.closed() || !slices.ContainsFunc(t.p.tight.Core.Cols[t.p.tight.First:], continuous) {
		return nil
	}
	base, value, err := t.bestContinuous(ctx, y)
	if err != nil || base == nil {
		return err
	}

	// With integer columns that are integers the relaxed program has this value, so that its bound is at most this.
	t.decided = value-t.bound() <= t.o.Gap*math.Abs(value)

	// More room is tried as long as it makes the design cheaper.
	for _, share := range togetherShares {
		before := t.cost
		if err := t.fixAt(ctx, t.withRoom(base, nearest, share)); err != nil {
			return err
		}
		t.logTogether(before)
		if !(t.cost < before) || t.closed() {
			break
		}
	}

	// At the best design the scenarios choose their integer columns again.
	for range maxTogether {
		if t.design == nil || t.closed() {
			return nil
		}
		before := t.cost
		if err := t.fixAt(ctx, slices.Clone(t.design)); err != nil {
			return err
		}
		t.logTogether(before)
		if !(before-t.cost > t.o.Gap*math.Abs(t.cost)) {
			return nil
		}
	}
	return nil
}

// bestContinuous returns the best design of the linear relaxation whose integer columns are those of a point, rounded
// to the nearest integers or up, whichever is better, and its value; nil where neither can lead to a better design.
func (t *tree) bestContinuous(ctx context.Context, y []float64) (best []float64, least float64, err error) {
	least = t.cost
	for _, down := range []float64{nearest, 0} {
		cost, design, err := t.linearProgram(ctx, fixedIntegers(t.p.tight, t.withRoom(y, down, 0), nil))
		if err != nil {
			return nil, 0, err
		}
		if design != nil && cost < least {
			best = design
			least = cost
		}
	}
	return best, least, nil
}

// fixAt prices a design in all scenarios, fixes the integer columns at their points there, and prices the design of the
// linear program that is left.
func (t *tree) fixAt(ctx context.Context, y []float64) error {
	if t.p.master.Check(y) != nil {
		return nil // a point of a linear program that is a design to tolerances only
	}
	_, feasible, err := t.prices.price(ctx, y, math.Inf(1))
	if err != nil || !feasible {
		return err
	}
	t.accept(y, t.p.master.Evaluate(y)+t.prices.upper())
	_, design, err := t.linearProgram(ctx, fixedIntegers(t.p.tight, y, t.prices.points))
	if err != nil || design == nil {
		return err
	}
	return t.try(ctx, design)
}

// linearProgram solves a program without integer columns by decomposition. It returns a nil design where none is found;
// this is a part of a heuristic, so that an error of its run is none of this one.
func (t *tree) linearProgram(ctx context.Context, p *stoch.Program) (float64, []float64, error) {
	q, err := scenario.New(p)
	if err != nil {
		return 0, nil, prefixed(err)
	}
	o := decompose.DefaultOptions()
	o.Threads = t.run.o.Threads
	o.Benders = t.o
	o.Benders.Progress = nil
	out, err := decompose.Solve(ctx, q.Program(), o)
	if err != nil {
		return 0, nil, ctx.Err()
	}
	return out.Objective, out.Design, ctx.Err()
}

// fixedIntegers returns a program as a linear one, with the integer columns of the first stage fixed at a design and
// those of the recourse, in each scenario, at its point; both are rounded. Without points the recourse is free.
func fixedIntegers(p *stoch.Program, y []float64, points [][]float64) *stoch.Program {
	q := *p.ContinuousRecourse()
	q.Core = q.Core.Clone()

	// Most scenarios have the same value in a column of the recourse: that of the first one is in the skeleton.
	values := slices.Clone(y)
	if points != nil {
		values = append(values, points[0][p.First:]...)
	}
	for j, v := range values {
		if p.Core.Cols[j].Integer {
			c := &q.Core.Cols[j]
			c.Integer = false
			c.Lower = math.Round(v)
			c.Upper = c.Lower
		}
	}
	if points == nil {
		return &q
	}

	// The others differ from it; bounds that a scenario gives to an integer column have no say any more.
	q.Scenarios = slices.Clone(p.Scenarios)
	for s := range q.Scenarios {
		changes := slices.Clone(q.Scenarios[s].Changes)
		changes = slices.DeleteFunc(changes, func(c stoch.Change) bool {
			return (c.Kind == stoch.ColLower || c.Kind == stoch.ColUpper) && p.Core.Cols[c.Col].Integer
		})
		for j := p.First; j < len(q.Core.Cols); j++ {
			if v := math.Round(points[s][j]); p.Core.Cols[j].Integer && v != q.Core.Cols[j].Lower {
				changes = append(changes, stoch.SetColLower(lp.Var(j), v), stoch.SetColUpper(lp.Var(j), v))
			}
		}
		q.Scenarios[s].Changes = changes
	}
	return &q
}

// logTogether writes to the log what a linear program with fixed integer columns found.
func (t *tree) logTogether(before float64) {
	if t.run.o.Log != nil && t.cost < before {
		t.run.o.Log(fmt.Sprintf("continuous columns together: a design of cost %.9g, before %.9g, %.1fs", t.cost, before,
			time.Since(t.began).Seconds()))
	}
}
