package assess

import (
	"fmt"
	"math"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// CVaR returns the program that minimises (1 - weight) E[cost] + weight CVaR_alpha[cost], with 0 <= alpha < 1 and
// 0 < weight <= 1: the mean of the worst 1 - alpha of the costs is
//
//	min over t of  t + E[(cost - t)+] / (1 - alpha).
//
// The first stage gets the column t as its last one, the recourse a column for the excess and a row that defines it.
// Costs of the first stage are in both parts whole. A maximisation is one of profits, of which the low ones are the
// worst. Bounds of t follow from those of the recourse.
func CVaR(p *stoch.Program, alpha, weight float64) (*stoch.Program, error) {
	if !(alpha >= 0 && alpha < 1) || !(weight > 0 && weight <= 1) {
		return nil, fmt.Errorf("assess: %w: CVaR at level %g with weight %g", stoch.ErrProgram, alpha, weight)
	}
	core := p.Core
	a, err := core.Matrix()
	if err != nil {
		return nil, err
	}
	n := p.First
	sign := 1.0 // of t in its row; the cost has the other one
	if core.Maximize {
		sign = -1
	}
	m := &lp.Model{Name: core.Name, Objective: core.Objective, Maximize: core.Maximize, Offset: core.Offset,
		Rows: append([]lp.Row(nil), core.Rows...), Cols: make([]lp.Col, 0, len(core.Cols)+2)}
	low, high := recourseRange(p)
	for j := range core.Cols {
		if j == n {
			m.AddCol(lp.Col{Name: unused(core, "value_at_risk"), Cost: weight, Lower: low, Upper: high})
		}
		c := core.Cols[j]
		c.Name = core.ColName(lp.Var(j))
		if j >= n {
			c.Cost *= 1 - weight
		}
		m.AddCol(c)
	}
	if len(core.Cols) == n {
		m.AddCol(lp.Col{Name: unused(core, "value_at_risk"), Cost: weight, Lower: low, Upper: high})
	}
	excess := m.AddCol(lp.Col{Name: unused(core, "excess"), Cost: sign * weight / (1 - alpha), Upper: lp.Inf})
	moved := func(j int) int {
		if j >= n {
			return j + 1
		}
		return j
	}
	m.Grow(core.NumEntries() + len(core.Cols) - n + 2)
	for j := range core.Cols {
		index, value := a.Vec(j)
		for k, i := range index {
			m.AddEntry(lp.Con(i), lp.Var(moved(j)), value[k])
		}
	}
	row := m.AddRow(lp.Row{Name: "excess", Lower: 0, Upper: lp.Inf}, []int32{int32(n), int32(excess)}, []float64{sign, 1})
	for j := n; j < len(core.Cols); j++ {
		if c := core.Cols[j].Cost; c != 0 {
			m.AddEntry(row, lp.Var(moved(j)), -sign*c)
		}
	}
	out := &stoch.Program{Name: p.Name, Core: m, First: n + 1}
	for _, s := range p.Scenarios {
		list := make([]stoch.Change, 0, len(s.Changes))
		for _, c := range s.Changes {
			if c.Kind == stoch.Cost || c.Kind == stoch.Entry || c.Kind >= stoch.ColLower {
				c.Col = lp.Var(moved(int(c.Col)))
			}
			if c.Kind == stoch.Cost {
				list = append(list, stoch.SetEntry(lp.Con(row), c.Col, -sign*c.Value))
				c.Value *= 1 - weight
			}
			list = append(list, c)
		}
		out.Add(s.Name, s.Probability, list...)
	}
	return out, nil
}

// unused returns a name that no column has.
func unused(m *lp.Model, name string) string {
	for j := range m.Cols {
		if m.ColName(lp.Var(j)) == name {
			return unused(m, name+"_")
		}
	}
	return name
}

// recourseRange bounds what the recourse costs in any scenario, by the bounds of its columns.
func recourseRange(p *stoch.Program) (low, high float64) {
	n := p.First
	cols := p.Core.Cols[n:]
	costs, values := make([]Range, len(cols)), make([]Range, len(cols))
	for j, c := range cols {
		costs[j], values[j] = Range{c.Cost, c.Cost}, Range{c.Lower, c.Upper}
	}
	for s := range p.Scenarios {
		for _, c := range p.Scenarios[s].Changes {
			k := int(c.Col) - n
			switch c.Kind {
			case stoch.Cost:
				costs[k] = Range{math.Min(costs[k].Low, c.Value), math.Max(costs[k].High, c.Value)}
			case stoch.ColLower:
				values[k].Low = math.Min(values[k].Low, c.Value)
			case stoch.ColUpper:
				values[k].High = math.Max(values[k].High, c.Value)
			}
		}
	}
	for k := range cols {
		smallest, largest := math.Inf(1), math.Inf(-1)
		for _, c := range [2]float64{costs[k].Low, costs[k].High} {
			for _, v := range [2]float64{values[k].Low, values[k].High} {
				product := 0.0
				if c != 0 && v != 0 {
					product = c * v
				}
				smallest, largest = math.Min(smallest, product), math.Max(largest, product)
			}
		}
		low, high = low+smallest, high+largest
	}
	slack := 1e-9 * math.Max(math.Abs(low), math.Abs(high)) // sums are rounded
	if !math.IsInf(low, 0) && low != 0 && !math.IsInf(slack, 0) {
		low -= slack
	}
	if !math.IsInf(high, 0) && !math.IsInf(slack, 0) {
		high += slack
	}
	return low, high
}
