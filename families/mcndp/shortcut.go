package mcndp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/lp"
)

// shortcut prices scenarios at designs by the program with one flow an origin, in place of one with a flow a commodity
// and a row a flow. The multipliers of the whole recourse follow by shortest paths, and a knapsack an arc. It
// implements scenario.Shortcut.
type shortcut struct {
	n      *Scenarios
	merged *merged
	at     int       // the scenario of the demands, -1 for the network's own
	node   []float64 // of each commodity: what a unit is worth at each node, at i*nodes+v
	lambda []float64
	gains  []gain
}

// gain is what a unit of a commodity would save on an arc, and how much of it may be there.
type gain struct {
	commodity      int
	profit, amount float64
}

func (n *Scenarios) newShortcut() (scenario.Shortcut, error) {
	in := n.Network
	m, err := newMerged(in)
	if err != nil {
		return nil, err
	}
	return &shortcut{n: n, merged: m, at: -1, node: make([]float64, in.size()),
		lambda: make([]float64, in.size()+in.Commodities()*in.Arcs()+in.Arcs())}, nil
}

// Price implements scenario.Shortcut.
func (c *shortcut) Price(ctx context.Context, y []float64, s int) (cost float64, lambda []float64, ok bool, err error) {
	if !isDesign(y) {
		return 0, nil, false, nil
	}
	demand := c.n.Draws[s].Demand
	if s != c.at {
		c.merged.demand(demand)
		c.at = s
	}
	c.merged.move(y)
	r, err := c.merged.solve(ctx)
	if err != nil || r.Status != lp.Optimal || !c.multipliers(demand) {
		return 0, nil, false, err
	}
	return r.Objective, c.lambda, true, nil
}

// multipliers makes the multipliers of the skeleton's recourse rows, and reports whether they are finite.
func (c *shortcut) multipliers(demand []float64) bool {
	in := c.n.Network
	c.merged.lift()
	paths, nodes, arcs := c.merged.lifter.potentials.paths, in.Nodes, in.Arcs()
	for i, o := range in.Origin {
		t := in.Destination[i]
		whole := paths.between(o, t)
		for v := range nodes {
			w := min(paths.between(int32(v), t), whole)
			if c.node[i*nodes+v] = w; math.IsInf(w, 1) {
				return false
			}
		}
	}
	copy(c.lambda, c.node)
	links, supply := c.lambda[len(c.node):][:in.Commodities()*arcs], c.lambda[len(c.node)+in.Commodities()*arcs:]
	clear(links)
	for j := range in.Capacity {
		supply[j] = c.knapsack(j, demand)
		for _, g := range c.gains {
			links[g.commodity*arcs+j] = max(0, g.profit-supply[j])
		}
	}
	return true
}

// knapsack gathers the gains on an arc and returns the price of its capacity at which these cost least.
func (c *shortcut) knapsack(j int, demand []float64) float64 {
	in := c.n.Network
	tail, head, left := int(in.Tail[j]), int(in.Head[j]), in.Capacity[j]
	c.gains = c.gains[:0]
	total := 0.0
	for i, d := range demand {
		if p := c.node[i*in.Nodes+tail] - c.node[i*in.Nodes+head] - in.Cost[j]; p > 0 {
			c.gains = append(c.gains, gain{i, p, min(d, in.Capacity[j])})
			total += min(d, in.Capacity[j])
		}
	}
	if total <= left {
		return 0
	}
	slices.SortFunc(c.gains, func(a, b gain) int {
		return cmp.Or(cmp.Compare(b.profit, a.profit), cmp.Compare(a.commodity, b.commodity))
	})
	for _, g := range c.gains {
		if left -= g.amount; left <= 0 {
			return g.profit
		}
	}
	return 0
}
