// Package graph makes the tables and the picture of a design of a network with its flows.
//
// A family describes its design as a Network: the graph, which arcs are built, and for every scenario a Case with the
// data and the flows. A problem without scenarios has one case without a name, and its tables no column for scenarios.
// Flows are of one commodity, with a supply at every node, or of several, each with an origin and a destination.
//
//   - Tables lists the arcs with their loads, the loads by scenario, the commodities or the supplies, and the flows.
//   - Drawing shows nodes by what starts or ends there, and arcs by their loads.
//
// Numbers over scenarios are expectations, except the largest load and the least slack of an arc.
package graph

import (
	"fmt"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/internal/sketch"
)

// Network is a graph with a design and its flows, for tables and pictures. Names are those of the instance's file;
// where they are nil, nodes, arcs and commodities are numbered from 1.
type Network struct {
	NodeNames, ArcNames, CommodityNames []string
	// Nodes is the number of nodes.
	Nodes int
	// Tail and Head are the nodes of each arc, from 0.
	Tail, Head []int32
	// Open is, by arc, whether the design builds it, and Fixed what that costs.
	Open  []bool
	Fixed []float64
	// Places are the coordinates of the nodes; nil for a layout by the graph.
	Places [][2]float64

	// Cases are the scenarios; where there are none, one without a name.
	Cases []Case
}

// Case is the data of a scenario, and the flows of the design in it.
type Case struct {
	Name        string
	Probability float64
	// Capacity is that of each arc.
	Capacity []float64
	// Supply is what leaves each node less what enters it; nil where there are commodities.
	Supply []float64
	// Commodities are nil where there is one only.
	Commodities []Commodity
	// Flows are those that are not zero.
	Flows []Flow
}

// Commodity is what is sent from an origin to a destination.
type Commodity struct {
	Origin, Destination int
	// Demand is the amount that is sent.
	Demand float64
}

// Flow is what an arc carries of a commodity.
type Flow struct {
	// Commodity is its index, -1 where there is one only.
	Commodity, Arc int
	// Cost is that of the whole amount.
	Amount, Cost float64
}

// scenarios reports whether the network has scenarios.
func (n *Network) scenarios() bool { return n.Cases[0].Name != "" }

// node returns the name or number of a node.
func (n *Network) node(v int32) any { return tables.ID(n.NodeNames, int(v), 1) }

// arc returns the name or number of an arc.
func (n *Network) arc(j int) any { return tables.ID(n.ArcNames, j, 1) }

// commodity returns the name or number of a commodity.
func (n *Network) commodity(i int) any { return tables.ID(n.CommodityNames, i, 1) }

// named puts the name of a scenario before the columns or cells of a row, if there are scenarios.
func (n *Network) named(name any, cells ...any) []any {
	if n.scenarios() {
		return append([]any{name}, cells...)
	}
	return cells
}

// columns are the columns of a table, those of scenarios in front.
func (n *Network) columns(list ...string) []string {
	if n.scenarios() {
		return append([]string{"scenario"}, list...)
	}
	return list
}

// loads returns what each arc carries in a case, and at what cost.
func (n *Network) loads(c *Case) (load, cost []float64) {
	load = make([]float64, len(n.Tail))
	cost = make([]float64, len(n.Tail))

	// All commodities share the arc.
	for _, f := range c.Flows {
		load[f.Arc] += f.Amount
		cost[f.Arc] += f.Cost
	}
	return load, cost
}

// expected returns the expected load and cost of each arc, its largest load, and its slack where that is least.
func (n *Network) expected() (load, cost, peak, room []float64) {
	// All four are lists by arc.
	size := len(n.Tail)
	load = make([]float64, size)
	cost = make([]float64, size)
	peak = make([]float64, size)
	room = make([]float64, size)

	for k := range n.Cases {
		c := &n.Cases[k]
		l, q := n.loads(c)
		for j := range l {
			load[j] += c.Probability * l[j]
			cost[j] += c.Probability * q[j]
			peak[j] = max(peak[j], l[j])

			// A closed arc has no slack in any case.
			left := 0.0
			if n.Open[j] {
				left = tables.Room(c.Capacity[j], l[j])
			}
			if k == 0 || left < room[j] {
				room[j] = left
			}
		}
	}
	return load, cost, peak, room
}

// Tables returns those of the arcs, the commodities and the flows; with scenarios also of the loads in each.
func (n *Network) Tables() []families.Table {
	last := []string{"load", "flow_cost", "capacity", "slack"}
	if n.scenarios() {
		last = []string{"mean_load", "mean_flow_cost", "largest_load", "least_slack"}
	}
	list := []families.Table{{
		Name:    "arcs",
		Columns: append([]string{"arc", "from", "to", "open", "fixed_cost"}, last...),
		Rows: func(emit func(...any)) {
			load, cost, peak, room := n.expected()
			for j := range n.Tail {
				// Capacities may differ from scenario to scenario, the largest load does not.
				capacityOrPeak := n.Cases[0].Capacity[j]
				if n.scenarios() {
					capacityOrPeak = peak[j]
				}
				emit(n.arc(j), n.node(n.Tail[j]), n.node(n.Head[j]), n.Open[j], n.Fixed[j], load[j], cost[j], capacityOrPeak,
					room[j])
			}
		},
	}}

	// Arcs whose load differs between scenarios have a table of their own.
	if n.scenarios() {
		list = append(list, n.loadTable())
	}
	if n.Cases[0].Commodities != nil {
		list = append(list, n.commodityTable())
	} else {
		list = append(list, n.nodeTable())
	}
	return append(list, n.flowTable())
}

// loadTable lists what open arcs carry in each scenario.
func (n *Network) loadTable() families.Table {
	return families.Table{
		Name:    "loads",
		Columns: []string{"scenario", "arc", "from", "to", "load", "capacity", "slack", "cost"},
		Rows: func(emit func(...any)) {
			for k := range n.Cases {
				c := &n.Cases[k]
				load, cost := n.loads(c)
				for j, open := range n.Open {
					// Closed arcs carry nothing.
					if open {
						emit(c.Name, n.arc(j), n.node(n.Tail[j]), n.node(n.Head[j]), load[j], c.Capacity[j],
							tables.Room(c.Capacity[j], load[j]), cost[j])
					}
				}
			}
		},
	}
}

// commodityTable lists the commodities of each scenario, with the cost of their flows.
func (n *Network) commodityTable() families.Table {
	return families.Table{
		Name:    "commodities",
		Columns: n.columns("commodity", "origin", "destination", "demand", "cost"),
		Rows: func(emit func(...any)) {
			for k := range n.Cases {
				c := &n.Cases[k]

				// The cost of a commodity is that of its flows.
				cost := make([]float64, len(c.Commodities))
				for _, f := range c.Flows {
					cost[f.Commodity] += f.Cost
				}
				for i, q := range c.Commodities {
					emit(n.named(c.Name, n.commodity(i), n.node(int32(q.Origin)), n.node(int32(q.Destination)), q.Demand,
						cost[i])...)
				}
			}
		},
	}
}

// nodeTable lists the supplies of the nodes in each scenario.
func (n *Network) nodeTable() families.Table {
	return families.Table{
		Name:    "nodes",
		Columns: n.columns("node", "supply"),
		Rows: func(emit func(...any)) {
			for k := range n.Cases {
				for v, b := range n.Cases[k].Supply {
					emit(n.named(n.Cases[k].Name, n.node(int32(v)), b)...)
				}
			}
		},
	}
}

// flowTable lists the flows of each scenario, by commodity where there are several.
func (n *Network) flowTable() families.Table {
	t := families.Table{Name: "flows", Columns: n.columns("commodity", "arc", "from", "to", "flow", "cost")}
	one := n.Cases[0].Commodities == nil
	if one {
		t.Columns = n.columns("arc", "from", "to", "flow", "cost")
	}
	t.Rows = func(emit func(...any)) {
		for k := range n.Cases {
			for _, f := range n.Cases[k].Flows {
				// With several commodities their names come first.
				cells := []any{n.arc(f.Arc), n.node(n.Tail[f.Arc]), n.node(n.Head[f.Arc]), f.Amount, f.Cost}
				if !one {
					cells = append([]any{n.commodity(f.Commodity)}, cells...)
				}
				emit(n.named(n.Cases[k].Name, cells...)...)
			}
		}
	}
	return t
}

// Drawing returns the picture: an arc is as wide as its expected load.
func (n *Network) Drawing(title string) *sketch.Drawing {
	d := &sketch.Drawing{Title: title}
	if n.Places != nil {
		d.Places = func() [][2]float64 { return n.Places }
	} else {
		d.Places = func() [][2]float64 { return sketch.Graph(n.Nodes, n.Tail, n.Head) }
	}
	n.drawNodes(d)
	n.drawArcs(d)
	return d
}

// drawNodes adds the nodes: each is as large as what starts or ends there, in the mean over the scenarios.
func (n *Network) drawNodes(d *sketch.Drawing) {
	// out and in are the expected amounts that start and end at each node.
	out := make([]float64, n.Nodes)
	in := make([]float64, n.Nodes)
	for k := range n.Cases {
		c := &n.Cases[k]
		for _, q := range c.Commodities {
			out[q.Origin] += c.Probability * q.Demand
			in[q.Destination] += c.Probability * q.Demand
		}
		for v, b := range c.Supply {
			out[v] += c.Probability * max(b, 0)
			in[v] += c.Probability * max(-b, 0)
		}
	}

	// A node that is both an origin and a destination has a shape of its own.
	greatest := max(sketch.Largest(out), sketch.Largest(in))
	for v := range n.Nodes {
		name := n.node(int32(v))
		node := sketch.Node{
			Label: fmt.Sprint(name),
			Size:  sketch.Part(max(out[v], in[v]), greatest),
			Tip:   fmt.Sprintf("node %v: %.6g start here, %.6g end here", name, out[v], in[v]),
		}
		switch {
		case out[v] > 0 && in[v] > 0:
			node.Kind = sketch.Both
		case out[v] > 0:
			node.Kind = sketch.Origin
		case in[v] > 0:
			node.Kind = sketch.Destination
		default:
			node.Tip = fmt.Sprintf("node %v", name)
		}
		d.Nodes = append(d.Nodes, node)
	}
}

// drawArcs adds the arcs, the closed ones first: what is open lies above them.
func (n *Network) drawArcs(d *sketch.Drawing) {
	load, cost, peak, room := n.expected()
	widest := sketch.Largest(load)
	d.Widest = fmt.Sprintf("the widest carries %.6g", widest)
	if n.scenarios() {
		d.Widest += " in the mean"
	}

	// What is drawn later lies above.
	for _, open := range [2]bool{false, true} {
		for j := range n.Tail {
			if n.Open[j] != open {
				continue
			}
			l := sketch.Link{
				From:  int(n.Tail[j]),
				To:    int(n.Head[j]),
				Arrow: true,
				Faint: !open,
				Width: sketch.Part(load[j], widest),
				Tip:   fmt.Sprintf("arc %v, %v to %v: ", n.arc(j), n.node(n.Tail[j]), n.node(n.Head[j])),
			}
			switch {
			case !open:
				l.Tip += fmt.Sprintf("closed, fixed cost %.6g", n.Fixed[j])
			case n.scenarios():
				l.Tip += fmt.Sprintf("mean load %.6g, largest %.6g, least slack %.6g, fixed cost %.6g, mean flow cost %.6g",
					load[j], peak[j], room[j], n.Fixed[j], cost[j])
			default:
				l.Tip += fmt.Sprintf("load %.6g of %.6g, fixed cost %.6g, flow cost %.6g", load[j], n.Cases[0].Capacity[j],
					n.Fixed[j], cost[j])
			}
			d.Links = append(d.Links, l)
		}
	}
}
