package smps

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// chain has a column and a row in each period, and a part of two outcomes for each period after the first.
func chain(periods int) *Program {
	m := &lp.Model{Name: "chain"}
	p := &Program{Name: m.Name, Core: m}
	for t := range periods {
		j := m.AddCol(lp.Col{Cost: 1, Upper: lp.Inf})
		i := m.AddRow(lp.Row{Lower: 1, Upper: lp.Inf}, []int32{int32(j)}, []float64{1})
		p.Periods = append(p.Periods, m.ColName(j))
		p.ColPeriod, p.RowPeriod = append(p.ColPeriod, int32(t)), append(p.RowPeriod, int32(t))
		if t > 0 {
			p.Parts = append(p.Parts, Part{Period: int32(t), Outcomes: []Outcome{
				{0.25, []stoch.Change{stoch.SetRowLower(i, 2)}}, {0.75, []stoch.Change{stoch.SetRowLower(i, 3)}}}})
		}
	}
	return p
}

// TestMultistageShares counts the nodes of graphs.
func TestMultistageShares(t *testing.T) {
	cases := []struct {
		name   string
		change func(p *Program)
		nodes  int
		paths  float64
	}{
		{"independent periods", func(*Program) {}, 1 + 4*2, 16},
		{"known two periods before", func(p *Program) { p.Parts[2].Period = 1 }, 1 + 2*2 + 2*2 + 2 + 2, 16},
		{"one outcome", func(p *Program) { p.Parts[1].Outcomes[1] = p.Parts[1].Outcomes[0] }, 1 + 2 + 1 + 2 + 2, 8},
		{"of two periods", func(p *Program) {
			p.Parts[0].Outcomes[0].Changes = append(p.Parts[0].Outcomes[0].Changes, stoch.SetCost(4, 7))
		}, 1 + 2 + 4 + 4 + 4, 16},
	}
	for _, c := range cases {
		p := chain(5)
		c.change(p)
		for k := range p.Parts {
			for o := range p.Parts[k].Outcomes {
				p.Parts[k].Outcomes[o].Probability = []float64{0.25, 0.75}[o]
			}
		}
		m, err := p.Multistage(DefaultOptions())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if err := m.Validate(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if paths, _ := m.Scenarios(); len(m.Nodes) != c.nodes || paths != c.paths {
			t.Errorf("%s: %d nodes and %g paths, not %d and %g", c.name, len(m.Nodes), paths, c.nodes, c.paths)
		}
		var follow func(n int32) float64
		follow = func(n int32) (sum float64) {
			if len(m.Nodes[n].Arcs) == 0 {
				return 1
			}
			for _, a := range m.Nodes[n].Arcs {
				sum += a.Probability * follow(a.To)
			}
			return sum
		}
		if sum := follow(0); math.Abs(sum-1) > 1e-12 {
			t.Errorf("%s: paths of probability %g", c.name, sum)
		}
	}
}

// TestMultistageMergesListed lists the scenarios of independent periods.
func TestMultistageMergesListed(t *testing.T) {
	p := chain(4)
	parts := p.Parts
	p.Parts = nil
	branch := []int32{0, 3, 2, 3, 1, 3, 2, 3}
	for s := range 8 {
		one := Scenario{Parent: int32(s - s&-s), Branch: branch[s], Probability: 1}
		if s == 0 {
			one.Parent = -1
		}
		for k := range parts {
			o := s >> (2 - k) & 1
			one.Probability *= parts[k].Outcomes[o].Probability
			if int32(k+1) >= one.Branch {
				one.Changes = append(one.Changes, parts[k].Outcomes[o].Changes...)
			}
		}
		p.Scenarios = append(p.Scenarios, one)
	}
	m, err := p.Multistage(DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if paths, nodes := m.Scenarios(); len(m.Nodes) != 7 || paths != 8 || nodes != 15 {
		t.Errorf("%d nodes, %g paths, a tree of %g, not 7, 8 and 15", len(m.Nodes), paths, nodes)
	}
}
