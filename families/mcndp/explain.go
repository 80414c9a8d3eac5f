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
	x := make([]float64, in.Arcs()*in.Commodities())
	feasible, err := r.Flows(ctx, y, x)
	if err != nil {
		return nil, err
	}
	if !feasible {
		return nil, fmt.Errorf("%s: %w: the open arcs cannot carry all demand", in.Name, families.ErrDesign)
	}
	one := in.carried(x, in.Demand)
	_, worst, err := tables.Activities(in.compact(), slices.Concat(y, x))
	if err != nil {
		return nil, err
	}
	s := &families.Solution{First: in.fixedCost(y), From: 1, Violation: worst}
	var recourse outward.Sum
	for k, v := range x {
		recourse.Add(in.Cost[k%in.Arcs()] * v)
	}
	s.Recourse = recourse.Value()
	net := in.network(y)
	net.Cases = []graph.Case{one}
	s.Tables, s.Drawing = net.Tables(), net.Drawing(in.Label().Title)
	s.Values = tables.AssignmentValues(y, x)
	return s, nil
}

// OpenID implements families.Numbered.
func (in *Instance) OpenID(j int) any { return tables.ID(in.labels().Arcs, j, 1) }

// network is the graph with a design, without flows.
func (in *Instance) network(y []float64) *graph.Network {
	l := in.labels()
	net := &graph.Network{NodeNames: l.Nodes, ArcNames: l.Arcs, CommodityNames: l.Commodities, Places: l.Places,
		Nodes: in.Nodes, Tail: in.Tail, Head: in.Head, Open: make([]bool, in.Arcs()), Fixed: in.Fixed}
	for j, v := range y {
		net.Open[j] = v > 0.5
	}
	return net
}

// carried is the case of the flows x, commodity by commodity, for demands.
func (in *Instance) carried(x, demand []float64) graph.Case {
	c := graph.Case{Probability: 1, Capacity: in.Capacity}
	for i, d := range demand {
		c.Commodities = append(c.Commodities, graph.Commodity{Origin: int(in.Origin[i]),
			Destination: int(in.Destination[i]),
			Demand:      d})
		for j, v := range x[i*in.Arcs() : (i+1)*in.Arcs()] {
			if v > tables.Negligible*d {
				c.Flows = append(c.Flows, graph.Flow{Commodity: i, Arc: j, Amount: v, Cost: in.Cost[j] * v})
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
	in, s := n.Network, o.Solution()
	net := in.network(y)
	x := make([]float64, in.Arcs()*in.Commodities())
	for k := range o.List {
		clear(x)
		for c, v := range o.List[k].Each {
			x[c-in.Arcs()] = v
		}
		one := in.carried(x, n.Draws[k].Demand)
		one.Name, one.Probability = o.List[k].Name, o.List[k].Probability
		net.Cases = append(net.Cases, one)
	}
	s.Tables, s.Drawing = append(s.Tables, net.Tables()...), net.Drawing(n.Label().Title)
	return s, nil
}
