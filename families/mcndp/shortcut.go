package mcndp

import (
	"context"
	"math"

	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/lp"
)

// shortcut prices scenarios at designs by the program with one flow an origin, in place of one with a flow a commodity
// and a row a flow. The multipliers of the whole recourse follow by shortest paths, and a knapsack an arc. It
// implements scenario.Shortcut.
type shortcut struct {
	in     *Instance
	demand func(s int) []float64 // of a scenario
	merged *merged
	at     int       // the scenario of the demands, -1 for the network's own
	node   []float64 // of each commodity: what a unit is worth at each node, at i*nodes+v
	lambda []float64 // the multipliers of the recourse rows of the skeleton, in their order

	// The knapsack of an arc: what each commodity saves there with a unit, with all that may be there, and how much that
	// is.
	knapsack               lagrange.Knapsack
	saving, profit, amount []float64
}

// newShortcut returns a shortcut for the scenarios, with all arcs closed.
func (n *Scenarios) newShortcut() (scenario.Shortcut, error) {
	return newShortcut(n.Network, func(s int) []float64 { return n.Draws[s].Demand })
}

// newShortcut returns a shortcut for scenarios with these demands, with all arcs closed.
func newShortcut(in *Instance, demand func(s int) []float64) (scenario.Shortcut, error) {
	m, err := newMerged(in)
	if err != nil {
		return nil, err
	}
	vector := func() []float64 { return make([]float64, in.commodities()) }
	return &shortcut{
		in:     in,
		demand: demand,
		merged: m,
		at:     -1,
		node:   make([]float64, in.size()),
		lambda: make([]float64, in.size()+in.commodities()*in.arcs()+in.arcs()),
		saving: vector(),
		profit: vector(),
		amount: vector(),
	}, nil
}

// Price implements scenario.Shortcut.
func (c *shortcut) Price(ctx context.Context, y []float64, s int) (cost float64, lambda []float64, ok bool, err error) {
	if !isDesign(y) {
		return 0, nil, false, nil
	}

	// Demands move only where the scenario is another one than at the last call.
	demand := c.demand(s)
	if s != c.at {
		c.merged.demand(demand)
		c.at = s
	}
	c.merged.move(y)

	// Without multipliers the caller solves the scenario itself.
	r, err := c.merged.solve(ctx)
	if err != nil || r.Status != lp.Optimal || !c.multipliers(demand) {
		return 0, nil, false, err
	}
	return r.Objective, c.lambda, true, nil
}

// multipliers makes the multipliers of the skeleton's recourse rows, and reports whether they are finite.
func (c *shortcut) multipliers(demand []float64) bool {
	in := c.in
	c.merged.lift()
	paths := c.merged.lifter.potentials.paths
	nodes := in.Nodes

	// A node is worth its distance to the destination, at most that of the origin, and must have one.
	for i, o := range in.Origin {
		t := in.Destination[i]
		whole := paths.between(o, t)
		for v := range nodes {
			// As in potentials.fill, but for a unit of flow.
			w := min(paths.between(int32(v), t), whole)
			if c.node[i*nodes+v] = w; math.IsInf(w, 1) {
				return false
			}
		}
	}

	// The rows of the nodes, of the links and of the capacities: the price of a capacity is that of its knapsack, and a
	// link pays what a unit saves beyond it.
	copy(c.lambda, c.node)
	arcs := in.arcs()
	links := c.lambda[len(c.node):][:in.commodities()*arcs]
	supply := c.lambda[len(c.node)+len(links):]
	for j := range in.Capacity {
		c.save(j, demand)
		supply[j], _ = c.knapsack.Solve(c.profit, c.amount, in.Capacity[j])
		for i, v := range c.saving {
			links[i*arcs+j] = max(0, v-supply[j])
		}
	}
	return true
}

// save fills in what the commodities would save on an arc.
func (c *shortcut) save(j int, demand []float64) {
	in := c.in
	tail := int(in.Tail[j])
	head := int(in.Head[j])
	for i, d := range demand {
		// A unit that crosses the arc saves the difference of the two nodes, less the cost of the arc.
		c.saving[i] = max(0, c.node[i*in.Nodes+tail]-c.node[i*in.Nodes+head]-in.Cost[j])
		c.amount[i] = min(d, in.Capacity[j])
		c.profit[i] = c.saving[i] * c.amount[i]
	}
}
