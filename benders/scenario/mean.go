package scenario

import (
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// meanCore returns the skeleton with the mean of all that differs, minimised.
func (p *Problem) meanCore() *lp.Model {
	core := p.program.Core
	average := map[stoch.Change]float64{}
	var order []stoch.Change
	for s := range p.program.Scenarios {
		for _, c := range p.program.Scenarios[s].Changes {
			at := c
			at.Value = 0
			if _, ok := average[at]; !ok {
				order = append(order, at)
				average[at] = 0
			}
			if old := p.scenarios.Skeleton(at); c.Value != old {
				average[at] += p.weight[s] * (c.Value - old)
			}
		}
	}
	one := stoch.Program{Core: core, First: p.program.First, Scenarios: []stoch.Scenario{{Probability: 1}}}
	for _, at := range order {
		at.Value = p.scenarios.Skeleton(at) + average[stoch.Change{Kind: at.Kind, Row: at.Row, Col: at.Col}]
		one.Scenarios[0].Changes = append(one.Scenarios[0].Changes, at)
	}
	m, err := one.Model(0)
	if err != nil { // New has seen it
		panic(err)
	}
	if m.Maximize {
		for j := range m.Cols {
			m.Cols[j].Cost = -m.Cols[j].Cost
		}
	}
	return m
}
