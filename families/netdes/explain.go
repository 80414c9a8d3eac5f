package netdes

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders/cutset"
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

	// The network has a case for every scenario, with the flows of least cost at the design.
	d := in.Data
	net := d.graph()
	for e, v := range y {
		net.Open[e] = v > 0.5
	}
	for k, one := range o.List {
		at := &d.Scenarios[k]
		c := graph.Case{Name: one.Name, Probability: one.Probability, Capacity: at.Capacity, Supply: at.Demand}

		// The columns of the skeleton are the arcs and then their flows.
		least := tables.Negligible * at.total()
		for j, v := range one.Each {
			if e := j - d.arcs(); v > least {
				c.Flows = append(c.Flows, graph.Flow{Commodity: -1, Arc: e, Amount: v, Cost: at.Cost[e] * v})
			}
		}
		net.Cases = append(net.Cases, c)
	}

	s := o.Solution()
	s.Tables = append(s.Tables, net.Tables()...)
	s.Drawing = net.Drawing(in.Label().Title)
	return s, nil
}

// OpenID implements families.Numbered: arcs without names are numbered from 1, in the order of the matrix.
func (in *Instance) OpenID(j int) any { return tables.ID(in.Data.labels().Arcs, j, 1) }

// graph is the graph without an arc that is built, and without scenarios.
func (d *Data) graph() *graph.Network {
	l := d.labels()
	return &graph.Network{
		NodeNames: l.Nodes,
		ArcNames:  l.Arcs,
		Places:    l.Places,
		Nodes:     d.Nodes,
		Tail:      d.Tail,
		Head:      d.Head,
		Open:      make([]bool, d.arcs()),
		Fixed:     d.Fixed,
	}
}

// Infeasibility implements families.Diagnosed: with one commodity there is a set of nodes whose arcs carry too little.
func (in *Instance) Infeasibility(ctx context.Context) (string, error) {
	s, ok := cutset.FindShortage(ctx, in.Data.network(), nil)
	if !ok {
		return in.Scenarios.Infeasibility(ctx)
	}
	var scenario any = in.Data.Scenarios[s.Case].Name
	if scenario == "" {
		scenario = s.Case + 1
	}
	return in.Data.graph().Infeasibility(s, fmt.Sprintf(" in scenario %v", scenario)), nil
}
