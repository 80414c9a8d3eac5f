package scenario

import (
	"context"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/simplex"
)

// meanCore returns the skeleton with the mean of all that differs, minimised.
func (p *Problem) meanCore() *lp.Model {
	// Costs are averaged in the sense of the program, and the model is negated at the end where need be.
	core := p.frame.Core
	skeleton := func(at stoch.Change) float64 {
		if at.Kind == stoch.Cost {
			return core.Cols[at.Col].Cost
		}
		return p.scenarios.Skeleton(at)
	}

	// The mean of a place is its value in the skeleton and the weighted differences of the scenarios that change it.
	// Places keep the order in which scenarios first change them, so that sums are the same in every run.
	// The weights are divided by their sum, which may differ from one by rounding: what is missing would be the weight of
	// the skeleton, whose own numbers may be anything.
	total := p.probability()
	known := stoch.NewPlaces()
	var old, average []float64
	p.scenarios.Each(func(s int, changes []stoch.Change) {
		known.Restart()
		for _, c := range changes {
			k := known.Of(c)
			if k == len(old) {
				old = append(old, skeleton(known.At[k]))
				average = append(average, 0)
			}

			// Equal values may be infinite, and their difference would not be a number.
			if c.Value != old[k] {
				average[k] += p.weight[s] / total * (c.Value - old[k])
			}
		}
	})

	// The mean scenario is a program of its own with one scenario.
	one := stoch.Program{
		Core:      core,
		First:     p.frame.First,
		Scenarios: []stoch.Scenario{{Probability: 1}},
	}
	for k, at := range known.At {
		at.Value = old[k] + average[k]
		one.Scenarios[0].Changes = append(one.Scenarios[0].Changes, at)
	}

	// New has validated every place that is changed here.
	m := must(one.Model(0))
	m.Minimize()
	return m
}

// mean is the mean scenario's recourse at points of the first stage.
type mean struct {
	rows  []int           // whose multipliers are predicted, in the skeleton
	lp    *simplex.Solver // of the recourse, with the first stage fixed
	inner *simplex.Solver // of the recourse with a margin (within), nil where none is needed
	base  []float64       // multipliers of lp at the last point
	inset []float64       // those of inner
	span  float64         // mean size of the multipliers of the mean scenario's solution, 1 where they are all zero
}

// margins are how far inside the dual multipliers of the mean scenario are asked to be, in spans and largest
// coefficients of a column: the greatest one that costs little.
var margins = []float64{0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4}

// meanAndView returns the recourse of the mean scenario and a new view of the program.
func meanAndView(p *Problem) (*mean, *twostage.View, error) {
	v, err := p.scenarios.View()
	if err != nil {
		return nil, nil, err
	}
	core := p.meanCore()
	for j := range core.Cols {
		core.Cols[j].Integer = false
	}

	// The solution of the whole mean scenario, first stage included, sets the scale of multipliers and margins.
	sol, err := simplex.Solve(context.Background(), core, simplex.DefaultOptions())
	if err != nil {
		return nil, nil, p.meanError(err)
	}

	// The rows of the recourse whose multipliers are predicted.
	m := &mean{span: 1}
	recourse := p.onlyRecourse(core)
	for _, k := range v.Predicted() {
		m.rows = append(m.rows, recourse[k])
	}
	m.base = make([]float64, len(m.rows))
	m.inset = make([]float64, len(m.rows))

	// Without an optimum of the mean scenario there is no solution to choose a margin at.
	if m.lp, err = simplex.New(core, simplex.DefaultOptions()); err != nil || sol.Status != lp.Optimal {
		return m, v, err
	}

	// The span is the unit in which margins are measured.
	sum := 0.0
	for _, i := range m.rows {
		sum += math.Abs(sol.RowDual[i])
	}
	if sum > 0 {
		m.span = sum / float64(len(m.rows))
	}

	// Where the completion is closed, multipliers need no margin.
	if v.Closed() {
		return m, v, nil
	}
	if core, err = within(core, p.frame.First, m.span, sol); err == nil {
		m.inner, err = simplex.New(core, simplex.DefaultOptions())
	}
	return m, v, err
}

// onlyRecourse frees the rows of the first stage in a model of the program, and returns the others: a point that misses
// a row of the first stage by rounding has a recourse all the same.
func (p *Problem) onlyRecourse(core *lp.Model) (recourse []int) {
	for i, part := range p.scenarios.Problem().RecourseRows() {
		if part {
			recourse = append(recourse, i)
		} else {
			core.Rows[i].Lower, core.Rows[i].Upper = math.Inf(-1), lp.Inf
		}
	}
	return recourse
}

// meanError names the mean scenario in an error.
func (p *Problem) meanError(err error) error {
	return fmt.Errorf("scenario: the mean scenario of %s: %w", p.name, inner(err))
}

// solveAt solves a model of the mean scenario with the first stage fixed at y, and reports whether it has an optimum.
// The basis of the last point stays dual feasible.
func solveAt(ctx context.Context, s *simplex.Solver, y []float64) (optimal bool, err error) {
	for j, v := range y {
		s.SetColBounds(lp.Var(j), v, v)
	}
	r, err := s.Solve(ctx, simplex.NoLimits())
	if err != nil {
		return false, fmt.Errorf("scenario: the mean scenario: %w", inner(err))
	}
	return r.Status == lp.Optimal, nil
}

// within returns the mean scenario's recourse with the greatest margin that costs little at its solution: its
// multipliers keep a distance from what columns without a bound ask of them, whose costs are lower by that.
func within(core *lp.Model, first int, span float64, at *simplex.Solution) (*lp.Model, error) {
	a, err := core.Matrix()
	if err != nil {
		return nil, err
	}

	// The cost of the recourse is what a margin may lower by a small share.
	recourse := 0.0
	for j := first; j < len(core.Cols); j++ {
		recourse += core.Cols[j].Cost * at.X[j]
	}

	// The margins from the greatest on, each in a program of its own.
	for _, margin := range margins {
		m := core.Clone()
		for j := range m.Cols {
			// The first stage is fixed at the solution.
			c := &m.Cols[j]
			if j < first {
				c.Lower, c.Upper = at.X[j], at.X[j]
				continue
			}

			// A lower cost of a column that is bounded on one side only tightens its row of the dual by as much.
			_, value := a.Vec(j)
			largest := 0.0
			for _, v := range value {
				largest = max(largest, math.Abs(v))
			}
			noLower := math.IsInf(c.Lower, -1)
			noUpper := math.IsInf(c.Upper, 1)
			switch {
			case noLower && !noUpper:
				c.Cost += margin * span * largest
			case noUpper && !noLower:
				c.Cost -= margin * span * largest
			}
		}

		// The first margin that costs little is taken.
		sol, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
		least := at.Objective - params.marginCost*max(1, math.Abs(recourse))
		if err == nil && sol.Status == lp.Optimal && sol.Objective >= least {
			return m, nil
		}
	}
	return core, nil
}

// at returns the multipliers of the predicted rows at y, zeros where the mean scenario has none, and others with a
// distance from what columns without a bound ask of them. They are valid until the next call.
func (m *mean) at(ctx context.Context, y []float64) (base, middle []float64, err error) {
	// Without a margin the multipliers themselves are inside the dual.
	if err := m.solve(ctx, m.lp, m.base, y); err != nil || m.inner == nil {
		return m.base, m.base, err
	}
	return m.base, m.inset, m.solve(ctx, m.inner, m.inset, y)
}

// solve fills duals with the multipliers of the predicted rows at y, zeros where there is no optimum.
func (m *mean) solve(ctx context.Context, s *simplex.Solver, duals, y []float64) error {
	optimal, err := solveAt(ctx, s, y)
	if err != nil {
		return err
	}
	clear(duals)
	if optimal {
		all := s.RowDual()
		for k, i := range m.rows {
			duals[k] = all[i]
		}
	}
	return nil
}

// set turns outputs of a network, which are differences from base in spans, into multipliers; lambda and out may share
// memory.
func (m *mean) set(lambda, out, base []float64) {
	for i, b := range base {
		lambda[i] = b + m.span*out[i]
	}
}

// sight makes the inputs of a network for scenarios at a point: their numbers, less those of the mean scenario, and the
// multipliers of that, in spans. More inputs that depend on the point alone would be fitted to the few points of
// training: with the mean scenario's numbers too, what the multipliers of r04.4 certify at other points falls while it
// rises at those.
type sight struct {
	view    *twostage.View
	numbers []float64 // scratch
}

// middle returns the numbers of the mean scenario at y, and calls each with those of every scenario, in their order, if
// that is not nil.
func (g *sight) middle(weight, y []float64, each func(numbers []float64)) ([]float64, error) {
	var mean []float64
	for s, p := range weight {
		// The view reads one scenario at a time, and its numbers are valid until the next.
		if err := g.view.Set(s); err != nil {
			return nil, err
		}
		g.numbers = g.view.Numbers(g.numbers[:0], y)
		if mean == nil {
			mean = make([]float64, len(g.numbers))
		}
		for k, v := range g.numbers {
			mean[k] += p * v
		}
		if each != nil {
			each(g.numbers)
		}
	}
	return mean, nil
}

// of appends the inputs of the scenario that the view shows.
func (g *sight) of(x, y, middle, base []float64, span float64) []float64 {
	at := len(x)
	x = spans(g.view.Numbers(x, y), base, span)
	less(x[at:], middle)
	return x
}

// all appends the inputs of all scenarios, reading every one once.
func (g *sight) all(x, weight, y, base []float64, span float64) ([]float64, error) {
	// The mean is known only when every scenario has been read: it is taken off afterwards.
	from := len(x)
	middle, err := g.middle(weight, y, func(numbers []float64) { x = spans(append(x, numbers...), base, span) })
	if err != nil {
		return nil, err
	}
	for at := from; at < len(x); at += len(middle) + len(base) {
		// The inputs of a scenario are its numbers and then the multipliers, which are not centred.
		less(x[at:], middle)
	}
	return x, nil
}

// less takes the numbers of the mean scenario from the inputs of one.
func less(x, middle []float64) {
	for k, v := range middle {
		x[k] -= v
	}
}

// spans appends multipliers in spans.
func spans(x, base []float64, span float64) []float64 {
	for _, v := range base {
		x = append(x, v/span)
	}
	return x
}

// inputs returns the number of inputs of a network for a scenario of a program with the given number of first-stage
// columns.
func inputs(v *twostage.View, first int) int {
	// The number does not depend on the point, nor on the scenario.
	return len(v.Numbers(nil, make([]float64, first))) + len(v.Predicted())
}
