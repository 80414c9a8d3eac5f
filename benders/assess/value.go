package assess

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Value is a number with the reason why it is not known, or "".
type Value struct {
	Range
	Reason string
}

// unknown is a value that is not known.
func unknown(format string, args ...any) Value {
	return Value{Range{math.NaN(), math.NaN()}, fmt.Sprintf(format, args...)}
}

// WaitAndSee returns the wait-and-see value, the expected cost of a decision that is made once the scenario is known:
// every scenario that occurs is solved alone, by branch and cut. Where the context ends before that, the value is
// unknown.
func WaitAndSee(ctx context.Context, p *stoch.Program, o bnb.Options) (Value, error) {
	var sum Range
	p = p.Possible()
	for s := range p.Scenarios {
		m, err := p.Model(s)
		if err != nil {
			return Value{}, err
		}
		r, err := bnb.Solve(ctx, m, o, bnb.Hooks{})
		if err != nil {
			return Value{}, fmt.Errorf("assess: scenario %s: %w", p.ScenarioName(s), inner(err))
		}

		// A scenario that is not solved has a range if both its ends are finite.
		v := between(m, r)
		known := v.High-v.Low < math.Inf(1)
		switch {
		case ctx.Err() != nil && !known:
			return unknown("the time was over after %d of %d scenarios", s, len(p.Scenarios)), nil
		case r.Status == lp.Infeasible:
			return unknown("scenario %s is infeasible", p.ScenarioName(s)), nil
		case r.Status == lp.Unbounded:
			return unknown("scenario %s alone is unbounded", p.ScenarioName(s)), nil
		case !known:
			return unknown("scenario %s alone is not solved: %v", p.ScenarioName(s), r.Status), nil
		}
		w := p.Scenarios[s].Probability
		sum.Low += w * v.Low
		sum.High += w * v.High
	}
	return Value{Range: sum}, nil
}

// between returns the range of the optimum: bound and objective, which rounding may have reversed.
func between(m *lp.Model, r bnb.Result) Range {
	if m.Maximize {
		return Range{min(r.Objective, r.Bound), r.Bound}
	}
	return Range{min(r.Bound, r.Objective), r.Objective}
}

// PerfectInformation returns the expected value of perfect information: by how much an optimum, known as a range, is
// worse than deciding once the scenario is known.
func PerfectInformation(p *stoch.Program, optimum Range, waitAndSee Value) Value {
	if waitAndSee.Reason != "" {
		return waitAndSee
	}
	return loss(p, optimum, waitAndSee.Range)
}

// loss returns by how much a cost, known as a range, is worse than a better one: it is never negative.
func loss(p *stoch.Program, cost, better Range) Value {
	v := Range{cost.Low - better.High, cost.High - better.Low}
	if p.Core.Maximize {
		v = Range{-v.High, -v.Low}
	}
	return Value{Range: Range{max(0, v.Low), max(0, v.High)}}
}

// ErrMean is wrapped by the error of Mean.
var ErrMean = errors.New("the scenarios have no mean")

// Mean returns the model of the mean scenario. The error of a program in which a side or bound is finite in one
// scenario and infinite in another wraps ErrMean.
func Mean(p *stoch.Program) (*lp.Model, error) {
	type place struct {
		kind     stoch.Kind
		row, col int32
	}
	at := map[place]int{} // positions in mean
	var mean []stoch.Change
	core := coefficients(p.Core)
	p = p.Possible()
	for s := range p.Scenarios {
		w := p.Scenarios[s].Probability
		for _, c := range p.Scenarios[s].Changes {
			key := place{c.Kind, int32(c.Row), int32(c.Col)}
			base := skeleton(p.Core, core, c)
			if base == c.Value {
				continue
			}

			// The mean differs from the skeleton by the expected difference.
			if math.IsInf(base, 0) || math.IsInf(c.Value, 0) {
				return nil, fmt.Errorf("assess: %w: a %v is infinite in some of them", ErrMean, c.Kind)
			}
			k, known := at[key]
			if !known {
				k = len(mean)
				at[key] = k
				mean = append(mean, stoch.Change{Kind: c.Kind, Row: c.Row, Col: c.Col, Value: base})
			}
			mean[k].Value += w * (c.Value - base)
		}
	}

	one := stoch.Program{Name: p.Name, Core: p.Core, First: p.First}
	one.Add("mean", 1, mean...)
	return one.Model(0)
}

// coefficients returns the coefficients of the skeleton by row and column.
func coefficients(m *lp.Model) map[[2]int32]float64 {
	out := map[[2]int32]float64{}
	a, err := m.Matrix()
	if err != nil {
		return out
	}
	for j := range m.Cols {
		index, value := a.Vec(j)
		for k, i := range index {
			out[[2]int32{i, int32(j)}] += value[k]
		}
	}
	return out
}

// skeleton returns the number that a change replaces.
func skeleton(m *lp.Model, core map[[2]int32]float64, c stoch.Change) float64 {
	switch c.Kind {
	case stoch.Cost:
		return m.Cols[c.Col].Cost
	case stoch.Entry:
		return core[[2]int32{int32(c.Row), int32(c.Col)}]
	case stoch.RowLower:
		return m.Rows[c.Row].Lower
	case stoch.RowUpper:
		return m.Rows[c.Row].Upper
	case stoch.ColLower:
		return m.Cols[c.Col].Lower
	}
	return m.Cols[c.Col].Upper
}

// MeanSolution is the design of the mean scenario and its costs.
type MeanSolution struct {
	Design []float64 // nil where there is none
	Costs  *Costs    // nil where there is no design
	Cost   Value     // its expected cost, known exactly or not at all
}

// SolveMean solves the mean scenario by branch and cut and prices its design in all scenarios. Where the context ends
// the design is the best one found.
func SolveMean(ctx context.Context, p *stoch.Program, o bnb.Options) (*MeanSolution, error) {
	m, err := Mean(p)
	if errors.Is(err, ErrMean) {
		return &MeanSolution{Cost: unknown("%v", err)}, nil
	}
	if err != nil {
		return nil, err
	}

	r, err := bnb.Solve(ctx, m, o, bnb.Hooks{})
	if err != nil {
		return nil, fmt.Errorf("assess: the mean scenario: %w", inner(err))
	}
	if r.Status != lp.Optimal {
		return &MeanSolution{Cost: unknown("the mean scenario is not solved: %v", r.Status)}, nil
	}
	y, err := RoundDesign(p, r.X[:p.First])
	if err != nil {
		return nil, err
	}

	// The design is priced in all scenarios, at the time that is left.
	out := &MeanSolution{Design: y}
	if out.Costs, err = Evaluate(ctx, p, y); ctx.Err() != nil && err != nil {
		out.Cost = unknown("the time was over before the mean design was priced")
		return out, nil
	} else if err != nil {
		return nil, err
	}
	if n := out.Costs.Infeasible; n > 0 {
		out.Cost = unknown("the design of the mean scenario has no recourse in %d of %d scenarios", n, len(p.Scenarios))
		return out, nil
	}
	mean := out.Costs.Mean()
	out.Cost = Value{Range: Range{mean, mean}}
	return out, nil
}

// StochasticSolution returns the value of the stochastic solution: by how much the design of the mean scenario is worse
// than an optimum, known as a range. The mean scenario may have several optimal designs; the value is that of the one
// that was found.
func StochasticSolution(p *stoch.Program, optimum Range, mean *MeanSolution) Value {
	if mean.Cost.Reason != "" {
		return mean.Cost
	}
	return loss(p, mean.Cost.Range, optimum)
}
