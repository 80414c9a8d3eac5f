package assess

import (
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// CVaR returns the program that minimises (1 - weight) E[cost] + weight CVaR_alpha[cost], with 0 <= alpha < 1 and
// 0 < weight <= 1: the mean of the worst 1 - alpha of the costs is
//
//	min over t of  t + E[(cost - t)+] / (1 - alpha).
//
// The first stage gets the column t, the value at risk, as its last one, the recourse a column for the excess and a row
// that defines it. The costs of the first stage are the same in both terms, so they keep their coefficients. A
// maximisation is one of profits, with the low ones as the worst. Bounds of t follow from those of the recourse.
func CVaR(p *stoch.Program, alpha, weight float64) (*stoch.Program, error) {
	isLevel := alpha >= 0 && alpha < 1
	isWeight := weight > 0 && weight <= 1
	if !isLevel || !isWeight {
		return nil, fmt.Errorf("assess: %w: CVaR at level %g with weight %g", stoch.ErrProgram, alpha, weight)
	}
	core := p.Core
	a, err := core.Matrix()
	if err != nil {
		return nil, err
	}
	n := p.First
	sign := sense(core.Maximize) // of t in its row; the cost has the other one

	// t is the column n, so that the columns of the recourse move up by one; they keep 1 - weight of their costs.
	moved := func(j lp.Var) lp.Var { // from the numbering of the core
		if int(j) >= n {
			return j + 1
		}
		return j
	}
	cols := slices.Clone(core.Cols)
	for j := range cols {
		cols[j].Name = core.ColName(lp.Var(j))
		if j >= n {
			cols[j].Cost *= 1 - weight
		}
	}

	// The value at risk is one of the costs of the recourse, so that their range bounds t. The excess is the last column.
	low, high := recourseRange(p)
	cols = slices.Insert(cols, n, lp.Col{Name: unused(core, "value_at_risk"), Cost: weight, Lower: low, Upper: high})
	m := &lp.Model{
		Name:      core.Name,
		Objective: core.Objective,
		Maximize:  core.Maximize,
		Offset:    core.Offset,
		Rows:      slices.Clone(core.Rows),
		Cols:      cols,
	}
	excess := m.AddCol(lp.Col{Name: unused(core, "excess"), Cost: sign * weight / (1 - alpha), Upper: lp.Inf})

	// The rows of the program, and behind them the one that defines the excess: e >= cost - t, e >= t - profit. Room is
	// made for its coefficients, one for each recourse column and two for t and e.
	m.Grow(core.NumEntries() + len(core.Cols) - n + 2)
	for j := range core.Cols {
		index, value := a.Vec(j)
		for k, i := range index {
			m.AddEntry(lp.Con(i), moved(lp.Var(j)), value[k])
		}
	}
	row := m.AddRow(lp.Row{Name: "excess", Lower: 0, Upper: lp.Inf}, []int32{int32(n), int32(excess)}, []float64{sign, 1})
	for j := n; j < len(core.Cols); j++ {
		if c := core.Cols[j].Cost; c != 0 {
			m.AddEntry(row, moved(lp.Var(j)), -sign*c)
		}
	}

	// A cost that a scenario changes is a coefficient of that row, too. Rows keep their numbers.
	out := &stoch.Program{Name: p.Name, Core: m, First: n + 1}
	for _, s := range p.Scenarios {
		list := make([]stoch.Change, 0, len(s.Changes))
		for _, c := range s.Changes {
			if c.Kind != stoch.RowLower && c.Kind != stoch.RowUpper {
				c.Col = moved(c.Col)
			}

			// The cost itself keeps the weight of the expectation.
			if c.Kind == stoch.Cost {
				list = append(list, stoch.SetEntry(row, c.Col, -sign*c.Value))
				c.Value *= 1 - weight
			}
			list = append(list, c)
		}
		out.Add(s.Name, s.Probability, list...)
	}
	return out, nil
}

// unused returns a name that no column has: the given one, with underscores behind it where that is taken.
func unused(m *lp.Model, name string) string {
	for j := range m.Cols {
		if m.ColName(lp.Var(j)) == name {
			return unused(m, name+"_")
		}
	}
	return name
}

// recourseRange bounds the cost of the recourse in any scenario, by the bounds of its columns.
func recourseRange(p *stoch.Program) (low, high float64) {
	// The costs and bounds of each column in any scenario.
	n := p.First
	var costs, values []Range
	for _, c := range p.Core.Cols[n:] {
		costs = append(costs, Range{c.Cost, c.Cost})
		values = append(values, Range{c.Lower, c.Upper})
	}

	// A scenario can only widen them. Sides and coefficients of rows do not count.
	for s := range p.Scenarios {
		for _, c := range p.Scenarios[s].Changes {
			k := int(c.Col) - n
			switch c.Kind {
			case stoch.Cost:
				costs[k] = Range{min(costs[k].Low, c.Value), max(costs[k].High, c.Value)}
			case stoch.ColLower:
				values[k].Low = min(values[k].Low, c.Value)
			case stoch.ColUpper:
				values[k].High = max(values[k].High, c.Value)
			}
		}
	}

	// The extremes of a product are at the ends of its factors; zero times an infinite bound is zero.
	for k, c := range costs {
		v := values[k]
		products := []float64{times(c.Low, v.Low), times(c.Low, v.High), times(c.High, v.Low), times(c.High, v.High)}
		low += slices.Min(products)
		high += slices.Max(products)
	}

	// The sums are rounded, so the range is widened; one of infinite length stays as it is.
	slack := 1e-9 * max(math.Abs(low), math.Abs(high))
	if math.IsInf(slack, 0) {
		return low, high
	}

	// Costs that are never negative keep their bound of zero, which is exact.
	if low != 0 {
		low -= slack
	}
	return low, high + slack
}

// times is the product of a cost and a bound, zero where the cost is zero and the bound infinite.
func times(cost, bound float64) float64 {
	if cost == 0 || bound == 0 {
		return 0
	}
	return cost * bound
}
