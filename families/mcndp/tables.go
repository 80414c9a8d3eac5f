package mcndp

import (
	"cmp"
	"fmt"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/internal/sheet"
)

// schema is that of table files: arcs, commodities and, for a program with scenarios, their probabilities and demands.
// The nodes are those of the arcs, or of a table that says where they are.
var schema = &sheet.Schema{Problem: name, Tables: []sheet.Table{
	{
		Name:     "nodes",
		Optional: true,
		Columns:  append([]sheet.Column{{Name: "node"}}, tables.PlaceColumns...),
	},
	{
		Name: "arcs",
		Columns: []sheet.Column{{Name: "arc"}, {Name: "from"}, {Name: "to"}, {Name: "cost", Kind: sheet.Amount},
			{Name: "capacity", Kind: sheet.Amount}, {Name: "fixed_cost", Kind: sheet.Amount}},
	},
	{
		Name: "commodities",
		Columns: []sheet.Column{{Name: "commodity"}, {Name: "origin"}, {Name: "destination"},
			{Name: "demand", Kind: sheet.Amount}},
	},
	{
		Name:     "scenarios",
		Optional: true,
		Columns:  []sheet.Column{{Name: "scenario"}, {Name: "probability", Kind: sheet.Amount}},
	},
	{
		Name:     "demands",
		Matrix:   "demands",
		Optional: true,
		Columns:  []sheet.Column{{Name: "scenario"}, {Name: "commodity"}, {Name: "demand", Kind: sheet.Amount}},
	},
}}

// fromTables makes the instance of a table file.
func fromTables(s *sheet.Sheet, warn func(string)) (families.Instance, error) {
	in, commodity, err := networkOf(s)
	if err != nil {
		return nil, err
	}

	// The scenarios are those of their own table.
	scenario, err := tables.ReadAxis(s, "scenarios", "scenario")
	if err != nil {
		return nil, err
	}

	// Without scenarios the network is the instance.
	rows := s.Rows("demands")
	if len(scenario.Names) == 0 {
		if len(rows) > 0 {
			return nil, s.Fail(&rows[0], "scenario", "demands of scenarios, and no table of the scenarios "+
				"(scenario,probability)")
		}
		return in, nil
	}

	// Each pair of scenario and commodity has one demand.
	demand, err := tables.AllPairs(s, tables.Pairing{
		Table:   "demands",
		Value:   "demand",
		About:   "demand of commodity %[2]q in scenario %[1]q",
		Rows:    scenario,
		Columns: commodity,
	})
	if err != nil {
		return nil, err
	}
	m := in.commodities()
	draws := make([]draw, len(scenario.Names))
	for k := range draws {
		draws[k] = draw{
			Name:        scenario.Names[k],
			Probability: s.Rows("scenarios")[k].Number("probability"),
			Demand:      demand[k*m : (k+1)*m : (k+1)*m],
		}
	}

	// Probabilities that do not sum to one are weights.
	if draws, err = instance.WeighScenarios(draws, probability, s.File, warn); err != nil {
		return nil, err
	}
	out, err := newScenarios(in, draws)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	return out, nil
}

// networkOf makes the network, and the axis of its commodities.
func networkOf(s *sheet.Sheet) (in *Instance, commodity tables.Axis, err error) {
	nodes, errNodes := tables.ReadNodes(s)
	arcs, _, errArcs := s.Index("arcs", "arc")
	commodity, errCommodities := tables.ReadAxis(s, "commodities", "commodity")
	if err := cmp.Or(errNodes, errArcs, errCommodities); err != nil {
		return nil, commodity, err
	}

	in = &Instance{
		Name:   s.Name,
		Labels: &tables.Labels{Arcs: tables.Names(arcs), Commodities: tables.Names(commodity.Names)},
	}
	rows := s.Rows("arcs")
	for k := range rows {
		r := &rows[k]
		from, to, err := nodes.Ends(r, "from", "to")
		if err != nil {
			return nil, commodity, err
		}
		in.Tail = append(in.Tail, from)
		in.Head = append(in.Head, to)
		in.Cost = append(in.Cost, r.Number("cost"))
		in.Capacity = append(in.Capacity, r.Number("capacity"))
		in.Fixed = append(in.Fixed, r.Number("fixed_cost"))
	}

	// A commodity cannot add a node.
	nodes.Close()
	rows = s.Rows("commodities")
	for k := range rows {
		r := &rows[k]
		from, to, err := nodes.Ends(r, "origin", "destination")
		if err != nil {
			return nil, commodity, err
		}

		// A demand is a divisor, so that it must not be next to zero.
		if r.Number("demand") < tooSmall {
			return nil, commodity, s.Fail(r, "demand", "the demand is not positive: %g", r.Number("demand"))
		}
		in.Origin = append(in.Origin, from)
		in.Destination = append(in.Destination, to)
		in.Demand = append(in.Demand, r.Number("demand"))
	}

	// The labels are those of the file, and nil where they are the numbers from 1.
	in.Nodes = len(nodes.Names)
	in.Labels.Nodes = tables.Names(nodes.Names)
	if in.Labels.Places, err = tables.Places(s, "nodes"); err != nil {
		return nil, commodity, err
	}
	if err := in.Validate(); err != nil {
		return nil, commodity, fmt.Errorf("%s: %w", s.File, err)
	}
	return in, commodity, nil
}

// labels returns what things are called, empty lists where they are numbered.
func (in *Instance) labels() *tables.Labels {
	if in.Labels == nil {
		return &tables.Labels{}
	}
	return in.Labels
}

// Tables implements families.Tabled.
func (in *Instance) Tables() (*sheet.Document, error) {
	// What has no name is numbered from 1.
	l := in.labels()
	nodes := sheet.Part{Name: "nodes", Columns: []string{"node"}}

	// A table of nodes has their places if the file that was read had them.
	for v := range in.Nodes {
		row := []any{tables.ID(l.Nodes, v, 1)}
		if l.Places != nil {
			row = append(row, l.Places[v][0], l.Places[v][1])
		}
		nodes.Rows = append(nodes.Rows, row)
	}
	if l.Places != nil {
		nodes.Columns = append(nodes.Columns, "x", "y")
	}

	// The ends of arcs and commodities are named as in the table of the nodes.
	node := func(v int32) any { return tables.ID(l.Nodes, int(v), 1) }
	arcs := sheet.Part{Name: "arcs", Columns: []string{"arc", "from", "to", "cost", "capacity", "fixed_cost"}}
	for j := range in.Tail {
		arcs.Rows = append(arcs.Rows, []any{
			tables.ID(l.Arcs, j, 1),
			node(in.Tail[j]),
			node(in.Head[j]),
			in.Cost[j],
			in.Capacity[j],
			in.Fixed[j],
		})
	}
	commodities := sheet.Part{Name: "commodities", Columns: []string{"commodity", "origin", "destination", "demand"}}
	for i := range in.Origin {
		commodities.Rows = append(commodities.Rows, []any{
			tables.ID(l.Commodities, i, 1),
			node(in.Origin[i]),
			node(in.Destination[i]),
			in.Demand[i],
		})
	}
	return &sheet.Document{Problem: name, Name: in.Name, Tables: []sheet.Part{nodes, arcs, commodities}}, nil
}

// Tables implements families.Tabled.
func (n *Scenarios) Tables() (*sheet.Document, error) {
	if n.Whole {
		return nil, errNoWhole
	}
	d, err := n.Network.Tables()
	if err != nil {
		return nil, err
	}

	// The demands are a matrix, with a column for each scenario and a row for each commodity.
	scenarios := sheet.Part{Name: "scenarios", Columns: []string{"scenario", "probability"}}
	demands := sheet.Part{
		Name:   "demands",
		Matrix: "demands",
		Value:  func(k, i int) float64 { return n.Draws[k].Demand[i] },
	}
	for k := range n.Draws {
		name := n.ScenarioName(k)
		scenarios.Rows = append(scenarios.Rows, []any{name, n.Draws[k].Probability})
		demands.Across = append(demands.Across, name)
	}
	for i := range n.Network.Origin {
		demands.Along = append(demands.Along, tables.ID(n.Network.labels().Commodities, i, 1))
	}
	d.Tables = append(d.Tables, scenarios, demands)
	return d, nil
}
