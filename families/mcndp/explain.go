package mcndp

import (
	"context"
	"fmt"
	"slices"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/graph"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/internal/outward"
)

// Explain implements families.Explainer: arcs with their loads, and the flows of the commodities.
func (in *Instance) Explain(ctx context.Context, y []float64) (*families.Solution, error) {
	r, err := newRecourse(in)
	if err != nil {
		return nil, err
	}
	x := make([]float64, in.arcs()*in.commodities())

	// The flows are those of the program with a flow for each commodity.
	feasible, err := r.Flows(ctx, y, x)
	if err != nil {
		return nil, err
	}

	// A design without flows has no solution to show.
	if !feasible {
		return nil, fmt.Errorf("%s: %w: the open arcs cannot carry all demand", in.Name, families.ErrDesign)
	}

	// The whole point is held against the rows of the compact model.
	_, worst, err := tables.Activities(in.compact(), slices.Concat(y, x))
	if err != nil {
		return nil, err
	}

	// The flows are those of compact, commodity by commodity.
	s := &families.Solution{
		First:     in.fixedCost(y),
		From:      1,
		Violation: worst,
		Values:    tables.AssignmentValues(y, x),
	}
	var recourse outward.Sum
	for k, v := range x {
		// Column k is that of arc k mod n.
		recourse.Add(in.Cost[k%in.arcs()] * v)
	}
	s.Recourse = recourse.Value()

	// One case: the demands are known.
	net := in.network(y)
	net.Cases = []graph.Case{in.carried(x, in.Demand)}
	s.Tables = net.Tables()
	s.Drawing = net.Drawing(in.Label().Title)
	return s, nil
}

// OpenID implements families.Numbered.
func (in *Instance) OpenID(j int) any { return tables.ID(in.labels().Arcs, j, 1) }

// network is the graph with a design, without flows.
func (in *Instance) network(y []float64) *graph.Network {
	l := in.labels()
	net := &graph.Network{
		NodeNames:      l.Nodes,
		ArcNames:       l.Arcs,
		CommodityNames: l.Commodities,
		Places:         l.Places,
		Nodes:          in.Nodes,
		Tail:           in.Tail,
		Head:           in.Head,
		Open:           make([]bool, in.arcs()),
		Fixed:          in.Fixed,
	}

	// A design of a solver has 0.9999 for 1.
	for j, v := range y {
		net.Open[j] = v > 0.5
	}
	return net
}

// carried is the case of the flows x, commodity by commodity, for demands.
func (in *Instance) carried(x, demand []float64) graph.Case {
	c := graph.Case{Probability: 1, Capacity: in.Capacity}

	// Only arcs with flow are listed.
	for i, d := range demand {
		c.Commodities = append(c.Commodities, graph.Commodity{
			Origin:      int(in.Origin[i]),
			Destination: int(in.Destination[i]),
			Demand:      d,
		})

		// What is next to nothing for the commodity is an error of rounding of the linear program.
		for j, v := range x[i*in.arcs() : (i+1)*in.arcs()] {
			if v > tables.Negligible*d {
				c.Flows = append(c.Flows, graph.Flow{
					Commodity: i,
					Arc:       j,
					Amount:    v,
					Cost:      in.Cost[j] * v,
				})
			}
		}
	}
	return c
}

// Explain implements families.Explainer: arcs with their loads over the scenarios, and the flows of each.
func (n *Scenarios) Explain(ctx context.Context, y []float64) (*families.Solution, error) {
	o, err := n.Outcomes(ctx, y)
	if err != nil {
		return nil, err
	}

	// The columns of a recourse follow those of the arcs, commodity by commodity as in compact.
	in := n.Network
	net := in.network(y)
	x := make([]float64, in.arcs()*in.commodities())
	for k := range o.List {
		// Of a scenario the columns that are not zero are listed.
		clear(x)
		for c, v := range o.List[k].Each {
			x[c-in.arcs()] = v
		}
		one := in.carried(x, n.Draws[k].Demand)
		one.Name = o.List[k].Name
		one.Probability = o.List[k].Probability
		net.Cases = append(net.Cases, one)
	}

	s := o.Solution()
	s.Tables = append(s.Tables, net.Tables()...)
	s.Drawing = net.Drawing(n.Label().Title)
	return s, nil
}
