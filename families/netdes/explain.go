package netdes

import (
	"context"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/graph"
	"github.com/proxybd/proxybd/families/tables"
)

// Explain implements families.Explainer: arcs with their loads over the scenarios, and the flows of each.
func (in *Instance) Explain(ctx context.Context, y []float64) (*families.Solution, error) {
	o, err := in.Outcomes(ctx, y)
	if err != nil {
		return nil, err
	}
	d, s := in.Data, o.Solution()
	net := &graph.Network{Nodes: d.Nodes, Tail: d.Tail, Head: d.Head, Open: make([]bool, d.Arcs()), Fixed: d.Fixed}
	for e, v := range y {
		net.Open[e] = v > 0.5
	}
	for k := range o.List {
		at := &d.Scenarios[k]
		total := at.Total()
		one := graph.Case{Name: o.List[k].Name, Probability: o.List[k].Probability, Capacity: at.Capacity,
			Supply: at.Demand}
		for c, v := range o.List[k].Each {
			if e := c - d.Arcs(); v > tables.Negligible*total {
				one.Flows = append(one.Flows, graph.Flow{Commodity: -1, Arc: e, Amount: v, Cost: at.Cost[e] * v})
			}
		}
		net.Cases = append(net.Cases, one)
	}
	s.Tables, s.Drawing = append(s.Tables, net.Tables()...), net.Drawing(in.Label().Title)
	return s, nil
}

// OpenID implements families.Numbered: arcs are numbered from 1, in the order of the matrix.
func (in *Instance) OpenID(j int) any { return j + 1 }
