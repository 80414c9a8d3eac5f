package assess

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

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
	// The ends of the range are the expectations of those of the scenarios.
	var sum Range
	p = p.Possible()
	for s := range p.Scenarios {
		// The first stage and the recourse of the scenario in one model, which may have integer recourse columns.
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
	// The bound of a maximisation is its upper end.
	if m.Maximize {
		return Range{min(r.Objective, r.Bound), r.Bound}
	}
	return Range{min(r.Bound, r.Objective), r.Objective}
}

// PerfectInformation returns the expected value of perfect information: by how much an optimum, known as a range, is
// worse than deciding once the scenario is known.
func PerfectInformation(p *stoch.Program, optimum Range, waitAndSee Value) Value {
	// The optimum is worse than the mean of the optima of the scenarios.
	if waitAndSee.Reason != "" {
		return waitAndSee
	}
	return loss(p, optimum, waitAndSee.Range)
}

// loss returns by how much a cost, known as a range, is worse than a better one: it is never negative.
func loss(p *stoch.Program, cost, better Range) Value {
	// The difference is least where the worse cost is at its low end and the better one at its high end. For a
	// maximisation it has the other sign, and the ends change their places.
	v := Range{cost.Low - better.High, cost.High - better.Low}
	if p.Core.Maximize {
		v = Range{-v.High, -v.Low}
	}
	return Value{Range: Range{max(0, v.Low), max(0, v.High)}}
}

// errMean is wrapped by the error of meanModel.
var errMean = errors.New("the scenarios have no mean")

// meanModel returns the model of the mean scenario. The error of a program in which a side or bound is finite in one
// scenario and infinite in another wraps errMean.
func meanModel(p *stoch.Program) (*lp.Model, error) {
	a, err := p.Core.Matrix()
	if err != nil {
		return nil, err
	}

	// A number that differs in some scenario is a change of the mean scenario, in the order in which scenarios have them.
	at := map[stoch.Change]int{} // positions in mean, by the change without its value
	var mean []stoch.Change
	p = p.Possible()
	for s := range p.Scenarios {
		w := p.Scenarios[s].Probability
		for _, c := range p.Scenarios[s].Changes {
			base := skeleton(p.Core, a, c)
			if base == c.Value {
				continue
			}
			if math.IsInf(base, 0) || math.IsInf(c.Value, 0) {
				return nil, fmt.Errorf("assess: %w: a %v is infinite in some of them", errMean, c.Kind)
			}

			// The mean differs from the skeleton by the expected difference.
			key := stoch.Change{Kind: c.Kind, Row: c.Row, Col: c.Col}
			k, known := at[key]
			if !known {
				k = len(mean)
				at[key] = k
				mean = append(mean, key)
				mean[k].Value = base
			}
			mean[k].Value += w * (c.Value - base)
		}
	}

	// The model of the only scenario of a program is that of the mean. Sides and bounds that no scenario changes are those
	// of the skeleton.
	one := stoch.Program{Name: p.Name, Core: p.Core, First: p.First}
	one.Add("mean", 1, mean...)
	return one.Model(0)
}

// skeleton returns the number that a change replaces in a model with the matrix a, by columns.
func skeleton(m *lp.Model, a *lp.Matrix, c stoch.Change) float64 {
	switch c.Kind {
	case stoch.Cost:
		return m.Cols[c.Col].Cost
	case stoch.Entry:
		// A coefficient that the skeleton does not have is zero there.
		index, value := a.Vec(int(c.Col))
		if k := slices.Index(index, int32(c.Row)); k >= 0 {
			return value[k]
		}
		return 0
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
	m, err := meanModel(p)
	if errors.Is(err, errMean) {
		return &MeanSolution{Cost: unknown("%v", err)}, nil
	}
	if err != nil {
		return nil, err
	}

	// Its design has to be that of an optimum; a limit leaves the value unknown.
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

	// A priced design has an exact cost, a range of length zero.
	mean := out.Costs.Mean()
	out.Cost = Value{Range: Range{mean, mean}}
	return out, nil
}

// StochasticSolution returns the value of the stochastic solution: by how much the design of the mean scenario is worse
// than an optimum, known as a range. The mean scenario may have several optimal designs; the value is that of the one
// that was found.
func StochasticSolution(p *stoch.Program, optimum Range, mean *MeanSolution) Value {
	// Without a known cost of the mean design its reason is that of the value.
	if mean.Cost.Reason != "" {
		return mean.Cost
	}
	return loss(p, mean.Cost.Range, optimum)
}
