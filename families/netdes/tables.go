package netdes

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/internal/sheet"
)

// schema is that of table files: arcs and scenarios, with what the arcs cost and can carry and what the nodes supply.
// Numbers that are the same in all scenarios stand with the arcs and nodes; those of a single scenario replace them.
// The nodes are those of the arcs, or of a table of their own.
var schema = &sheet.Schema{Problem: name, Tables: []sheet.Table{
	{
		Name:     "nodes",
		Optional: true,
		Columns: slices.Concat([]sheet.Column{{Name: "node"}}, tables.PlaceColumns,
			[]sheet.Column{{Name: "supply", Kind: sheet.Number, Optional: true}}),
	},
	{
		Name: "arcs",
		Columns: []sheet.Column{{Name: "arc"}, {Name: "from"}, {Name: "to"}, {Name: "fixed_cost", Kind: sheet.Amount},
			{Name: "cost", Kind: sheet.Amount, Optional: true}, {Name: "capacity", Kind: sheet.Amount, Optional: true}},
	},
	{
		Name:     "scenarios",
		Optional: true,
		Columns:  []sheet.Column{{Name: "scenario"}, {Name: "probability", Kind: sheet.Amount}},
	},
	ofScenarios("costs", "arc", "cost", sheet.Amount),
	ofScenarios("capacities", "arc", "capacity", sheet.Amount),
	ofScenarios("supplies", "node", "supply", sheet.Number),
}}

// ofScenarios is the table of a number for each scenario and arc or node.
func ofScenarios(table, column, value string, amount sheet.Kind) sheet.Table {
	return sheet.Table{
		Name:     table,
		Matrix:   table,
		Optional: true,
		Columns:  []sheet.Column{{Name: "scenario"}, {Name: column}, {Name: value, Kind: amount}},
	}
}

// maxNumbers bounds the numbers of arcs in all scenarios, and those of nodes: few lines of tables could ask for more
// memory than there is.
const maxNumbers = 1 << 26

// fromTables makes the instance of a table file.
func fromTables(s *sheet.Sheet, warn func(string)) (families.Instance, error) {
	r := tableReader{s: s, d: &Data{Name: s.Name, Labels: &tables.Labels{}}}
	for _, step := range []func() error{r.graph, r.scenarios, r.balanced} {
		if err := step(); err != nil {
			return nil, err
		}
	}

	// Probabilities that do not sum to one are weights.
	list, err := instance.WeighScenarios(r.d.Scenarios, probability, s.File, warn)
	if err != nil {
		return nil, err
	}
	r.d.Scenarios = list
	in, err := newInstance(r.d)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	return in, nil
}

// tableReader makes the data of a table file.
type tableReader struct {
	s *sheet.Sheet
	d *Data
	// node and arc are the names, with the arcs in the order of the data.
	node, arc tables.Axis
	// rows are the records of the arcs in the order of the data.
	rows []*sheet.Record
}

// graph reads the nodes and arcs. The arcs are put in the order of the adjacency matrix.
func (r *tableReader) graph() error {
	nodes, err := tables.ReadNodes(r.s)
	if err != nil {
		return err
	}

	// The ends of all arcs are read first, since they may be what names the nodes.
	type arc struct {
		record *sheet.Record
		ends   [2]int32
	}
	var list []arc
	rows := r.s.Rows("arcs")
	for k := range rows {
		from, to, err := nodes.Ends(&rows[k], "from", "to")
		if err != nil {
			return err
		}
		list = append(list, arc{&rows[k], [2]int32{from, to}})
	}
	nodes.Close()
	r.node = nodes.Axis
	if _, _, err := r.s.Index("arcs", "arc"); err != nil {
		return err
	}

	// Arcs with the same ends keep the order of the file, so that the error is at the second of them.
	slices.SortStableFunc(list, func(a, b arc) int { return slices.Compare(a.ends[:], b.ends[:]) })
	var names []string
	for e, a := range list {
		if e > 0 && a.ends == list[e-1].ends {
			return r.s.Fail(a.record, "to", "the second arc from node %q to node %q", a.record.Text("from"),
				a.record.Text("to"))
		}

		// Costs and capacities of the arc are read from its record when the scenarios are known.
		r.d.Tail = append(r.d.Tail, a.ends[0])
		r.d.Head = append(r.d.Head, a.ends[1])
		r.d.Fixed = append(r.d.Fixed, a.record.Number("fixed_cost"))
		r.rows = append(r.rows, a.record)
		names = append(names, a.record.Text("arc"))
	}
	r.arc = tables.AxisOf("arc", names)

	// Names that are the numbers of the data are none.
	r.d.Nodes = len(r.node.Names)
	r.d.Labels.Nodes = tables.Names(r.node.Names)
	r.d.Labels.Arcs = tables.Names(names)
	r.d.Labels.Places, err = tables.Places(r.s, "nodes")
	return err
}

// scenarios reads the scenarios and their numbers, after the graph. Without a table of scenarios there is one,
// without a name.
func (r *tableReader) scenarios() error {
	scenario, err := tables.ReadAxis(r.s, "scenarios", "scenario")
	if err != nil {
		return err
	}

	// Few lines could ask for very many numbers, so that the product is checked before lists are made.
	r.d.Scenarios = make([]Scenario, max(1, len(scenario.Names)))
	if count := len(r.d.Scenarios); max(len(r.node.Names), len(r.arc.Names)) > maxNumbers/count {
		return r.s.Missing("%d nodes and %d arcs in %d scenarios are too many", len(r.node.Names), len(r.arc.Names), count)
	}
	r.d.Scenarios[0].Probability = 1
	for k, name := range scenario.Names {
		r.d.Scenarios[k] = Scenario{Name: name, Probability: r.s.Rows("scenarios")[k].Number("probability")}
	}

	// What a node supplies is 0 where nothing is said of it. Without a table of nodes there are no records of them.
	supply := make([]float64, len(r.node.Names))
	rows := r.s.Rows("nodes")
	for v := range rows {
		supply[v] = rows[v].Number("supply")
	}
	return cmp.Or(
		r.numbers("costs", "cost", scenario, r.arc, r.ofArcs("cost"), func(s *Scenario) *[]float64 { return &s.Cost }),
		r.numbers("capacities", "capacity", scenario, r.arc, r.ofArcs("capacity"),
			func(s *Scenario) *[]float64 { return &s.Capacity }),
		r.numbers("supplies", "supply", scenario, r.node, supply, func(s *Scenario) *[]float64 { return &s.Demand }))
}

// ofArcs returns the numbers in a column of the arcs, NaN where it has none.
func (r *tableReader) ofArcs(column string) []float64 {
	list := make([]float64, len(r.rows))
	for e, row := range r.rows {
		list[e] = math.NaN()
		if row.Has(column) {
			list[e] = row.Number(column)
		}
	}
	return list
}

// numbers sets a list of every scenario: the numbers of a table, and where it has none those that all scenarios share.
// A number that is NaN there is missing.
func (r *tableReader) numbers(table, value string, scenario, of tables.Axis, shared []float64,
	list func(*Scenario) *[]float64) error {
	if rows := r.s.Rows(table); len(rows) > 0 && len(scenario.Names) == 0 {
		return r.s.Fail(&rows[0], "scenario", "%s of scenarios, and no table of the scenarios (scenario,probability)", table)
	}
	given, err := tables.Pairs(r.s, tables.Pairing{
		Table:   table,
		Value:   value,
		About:   value + " of " + of.Column + " %[2]q in scenario %[1]q",
		Rows:    scenario,
		Columns: of,
	})
	if err != nil {
		return err
	}

	// Scenarios without numbers of their own have one list together.
	own := make([]bool, len(r.d.Scenarios))
	for at := range given {
		own[at/len(shared)] = true
	}
	for k := range r.d.Scenarios {
		to := list(&r.d.Scenarios[k])
		*to = shared
		if own[k] {
			*to = slices.Clone(shared)
		}
		for j, v := range *to {
			if replaced, ok := given[k*len(shared)+j]; ok {
				(*to)[j] = replaced
			} else if math.IsNaN(v) {
				return r.missing(table, value, scenario, of, k, j)
			}
		}
	}
	return nil
}

// missing is the error of a number that neither the arcs nor the scenarios have.
func (r *tableReader) missing(table, value string, scenario, of tables.Axis, k, j int) error {
	if len(scenario.Names) == 0 {
		return r.s.Fail(r.rows[j], "arc", "no %s of %s %q", value, of.Column, of.Names[j])
	}
	return r.s.Fail(r.rows[j], "arc", "no %s of %s %q in scenario %q: neither here nor in the %s", value, of.Column,
		of.Names[j], scenario.Names[k], table)
}

// balanced returns an error if the supplies of a scenario do not sum to 0.
func (r *tableReader) balanced() error {
	for k := range r.d.Scenarios {
		s := &r.d.Scenarios[k]
		sum, ok := s.balanced()
		switch {
		case ok:
		case s.Name == "":
			return r.s.Missing("the supplies sum to %g, not to 0: what is demanded has a minus", sum)
		default:
			return r.s.Missing("the supplies of scenario %q sum to %g, not to 0: what is demanded has a minus", s.Name, sum)
		}
	}
	return nil
}

// Tables implements families.Tabled. Numbers that are the same in all scenarios stand with the arcs and nodes.
func (in *Instance) Tables() (*sheet.Document, error) {
	d := in.Data
	l := d.labels()
	nodes := sheet.Part{Name: "nodes", Columns: []string{"node"}}
	for v := range d.Nodes {
		nodes.Rows = append(nodes.Rows, []any{tables.ID(l.Nodes, v, 1)})
	}
	if l.Places != nil {
		addColumn(&nodes, "x", func(v int) float64 { return l.Places[v][0] })
		addColumn(&nodes, "y", func(v int) float64 { return l.Places[v][1] })
	}

	// The ends of arcs are named as in the table of the nodes.
	arcs := sheet.Part{Name: "arcs", Columns: []string{"arc", "from", "to", "fixed_cost"}}
	for e := range d.Tail {
		arcs.Rows = append(arcs.Rows, []any{
			tables.ID(l.Arcs, e, 1),
			tables.ID(l.Nodes, int(d.Tail[e]), 1),
			tables.ID(l.Nodes, int(d.Head[e]), 1),
			d.Fixed[e],
		})
	}
	scenarios := sheet.Part{Name: "scenarios", Columns: []string{"scenario", "probability"}}
	for k := range d.Scenarios {
		scenarios.Rows = append(scenarios.Rows, []any{in.ScenarioName(k), d.Scenarios[k].Probability})
	}

	// A matrix has a line for each scenario and a column for each arc or node.
	var matrices []sheet.Part
	add := func(to *sheet.Part, matrix, value string, list func(*Scenario) []float64) {
		first := list(&d.Scenarios[0])
		differs := func(s Scenario) bool { return !slices.Equal(list(&s), first) }
		if !slices.ContainsFunc(d.Scenarios, differs) {
			addColumn(to, value, func(k int) float64 { return first[k] })
			return
		}
		p := sheet.Part{
			Name:   matrix,
			Matrix: matrix,
			Value:  func(k, j int) float64 { return list(&d.Scenarios[k])[j] },
		}
		for _, row := range scenarios.Rows {
			p.Across = append(p.Across, row[0])
		}
		for _, row := range to.Rows {
			p.Along = append(p.Along, row[0])
		}
		matrices = append(matrices, p)
	}
	add(&arcs, "costs", "cost", func(s *Scenario) []float64 { return s.Cost })
	add(&arcs, "capacities", "capacity", func(s *Scenario) []float64 { return s.Capacity })
	add(&nodes, "supplies", "supply", func(s *Scenario) []float64 { return s.Demand })
	return &sheet.Document{
		Problem: name,
		Name:    d.Name,
		Tables:  append([]sheet.Part{nodes, arcs, scenarios}, matrices...),
	}, nil
}

// addColumn adds a column of numbers to a table.
func addColumn(part *sheet.Part, column string, value func(row int) float64) {
	part.Columns = append(part.Columns, column)
	for k := range part.Rows {
		part.Rows[k] = append(part.Rows[k], value(k))
	}
}
