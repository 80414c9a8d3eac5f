// Package netdes is stochastic network design with one commodity: a directed graph whose arcs e = (a, b) are built at a
// fixed cost before costs, capacities and demands are known,
//
//	min  sum_e f_e x_e + sum_s p_s Q_s(x),  x binary,
//	Q_s(x) = min { sum_e c_es y_e : sum_out y - sum_in y = b_vs at every node v, 0 <= y_e <= u_es x_e }.
//
// Costs are not negative, so that no arc carries more than the total demand D_s of a scenario, and min(u_es, D_s)
// stands for u_es. For any node potentials pi, one number a node, the inequality
//
//	theta_s >= sum_v b_vs pi_v - sum_e min(u_es, D_s) (pi_a - pi_b - c_es)+ x_e
//
// is a valid cut, with the costs dropped one for feasibility. The files are those of mpi-sppy's example netdes, or
// tables.
//
// The instance is a program with scenarios (generic.Scenarios), to which the family adds what a network offers:
//
//   - rows on the number of arcs at each node, and inequalities on cut sets (nodeCounts, hooks.go);
//   - flows of least cost by shortest paths, which price designs for a local search (flow.go, local.go);
//   - certificates of node potentials, which package verify proves without a linear program (potentials.go, record.go);
//   - tables and a picture (explain.go), the files (read.go, write.go, tables.go) and random instances (family.go).
package netdes

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Data is the content of a file. Nodes are counted from 0, arcs in the order of the adjacency matrix, row by row.
type Data struct {
	Name  string
	Nodes int
	// Density and Ratio are how the instance was made, by its file. They mean nothing here and are written back.
	Density, Ratio float64
	// Tail and Head are the nodes of each arc, and Fixed is the cost of building it.
	Tail, Head []int32
	Fixed      []float64
	Scenarios  []Scenario
	// Labels are what a table file calls nodes and arcs; nil where they are numbered from 1.
	Labels *tables.Labels
}

// Scenario is a realisation.
type Scenario struct {
	// Name is that of a table file, else empty.
	Name        string
	Probability float64
	// Cost is the cost of a unit on each arc, and Capacity what the arc can carry once it is built.
	Cost, Capacity []float64
	// Demand is what leaves each node less what enters it; the sum over the nodes is 0.
	Demand []float64
}

// Instance is a problem with its program. It is read-only.
type Instance struct {
	*generic.Scenarios
	// Data has no scenarios of probability 0.
	Data *Data
}

// probability returns the place of the probability of a scenario.
func probability(s *Scenario) *float64 { return &s.Probability }

// labels returns what nodes and arcs are called, empty lists where they are numbered.
func (d *Data) labels() *tables.Labels {
	if d.Labels == nil {
		return &tables.Labels{}
	}
	return d.Labels
}

// arcs returns the number of arcs.
func (d *Data) arcs() int { return len(d.Tail) }

const (
	// maxNodes bounds the nodes of a file: its matrices have the square of that many entries.
	maxNodes = 1 << 12
	// tooLarge bounds costs and demands, so that sums of their products are finite.
	tooLarge = 1e100
	// balance is how far from zero the demands of a scenario may sum, as a part of their absolute sum.
	balance = 1e-9
)

// total returns the sum of the positive demands of a scenario.
func (s *Scenario) total() float64 {
	total := 0.0

	// The negative ones sum to the same, but for rounding.
	for _, b := range s.Demand {
		total += max(0, b)
	}
	return total
}

// Limit returns what arc e can carry in a scenario of the given total demand.
func (s *Scenario) Limit(e int, total float64) float64 { return min(s.Capacity[e], total) }

// bad is the error of data that cannot be used.
func bad(format string, args ...any) error {
	return fmt.Errorf("netdes: %w: %s", instance.ErrInstance, fmt.Sprintf(format, args...))
}

// Validate reports the first thing that makes the data unusable.
func (d *Data) Validate() error {
	n := d.arcs()
	usableNodes := d.Nodes >= 2 && d.Nodes <= maxNodes
	usableArcs := n >= 1 && len(d.Head) == n && len(d.Fixed) == n
	if !usableNodes || !usableArcs || len(d.Scenarios) == 0 {
		return bad("%d nodes, %d arcs from and %d to nodes, %d fixed costs, %d scenarios", d.Nodes, n, len(d.Head),
			len(d.Fixed), len(d.Scenarios))
	}

	// Arcs are in the order of the adjacency matrix, which the file has instead of a list.
	for e, v := range d.Tail {
		w := d.Head[e]
		if v == w || min(v, w) < 0 || int(max(v, w)) >= d.Nodes {
			return bad("arc %d leads from node %d to node %d of %d", e+1, v+1, w+1, d.Nodes)
		}
		if e > 0 && cmp.Or(cmp.Compare(v, d.Tail[e-1]), cmp.Compare(w, d.Head[e-1])) <= 0 {
			return bad("arc %d is not after arc %d in the adjacency matrix", e+1, e)
		}
	}

	err := instance.CheckNumbers(name, tooLarge, instance.Numbers{Of: "fixed cost of arc", List: d.Fixed, Want: n})
	if err != nil {
		return err
	}
	for k := range d.Scenarios {
		if err := d.Scenarios[k].validate(d); err != nil {
			return fmt.Errorf("scenario %d: %w", k+1, err)
		}
	}
	return nil
}

// validate reports the first thing that makes a scenario unusable.
func (s *Scenario) validate(d *Data) error {
	n := d.arcs()
	err := instance.CheckNumbers(name, tooLarge,
		instance.Numbers{Of: "cost of arc", List: s.Cost, Want: n},
		instance.Numbers{Of: "capacity of arc", List: s.Capacity, Want: n})
	if err != nil {
		return err
	}
	if len(s.Demand) != d.Nodes {
		return bad("%d demands of %d nodes", len(s.Demand), d.Nodes)
	}

	for v, b := range s.Demand {
		if !(math.Abs(b) < tooLarge) {
			return bad("the demand of node %d is %g", v+1, b)
		}
	}
	if sum, ok := s.balanced(); !ok {
		return bad("the demands sum to %g, not to 0", sum)
	}
	return nil
}

// balanced returns the sum of the demands of a scenario, and whether it is 0 but for rounding: what enters the network
// leaves it.
func (s *Scenario) balanced() (sum float64, ok bool) {
	size := 0.0
	for _, b := range s.Demand {
		sum += b
		size += math.Abs(b)
	}
	return sum, math.Abs(sum) <= balance*size
}

// newInstance makes the instance of valid data. The probabilities must sum to one; scenarios of probability 0 are left
// out.
func newInstance(d *Data) (*Instance, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}

	// What cannot occur need not be feasible.
	possible := *d
	possible.Scenarios = instance.PossibleScenarios(d.Scenarios, probability)
	d = &possible
	shared, err := generic.NewScenarios(name, d.program())
	if err != nil {
		return nil, err
	}
	shape := families.FormatShape(d.Nodes, d.arcs(), len(d.Scenarios))
	title := fmt.Sprintf("%s: stochastic network design, %d nodes, %d arcs, %d scenarios", d.Name, d.Nodes, d.arcs(),
		len(d.Scenarios))
	return &Instance{Data: d, Scenarios: shared.WithLabel(shape, title, ".dat")}, nil
}

// program is the skeleton, which has the numbers of the first scenario, and the scenarios.
func (d *Data) program() *stoch.Program {
	n := d.arcs()
	m := &lp.Model{Name: d.Name, Objective: "cost"}
	for e, f := range d.Fixed {
		m.AddCol(lp.Col{Name: fmt.Sprintf("x_%d_%d", d.Tail[e]+1, d.Head[e]+1), Cost: f, Upper: 1, Integer: true})
	}

	// At every node as many arcs as the scenario needs that needs most of them.
	for _, c := range d.nodeCounts() {
		ones := slices.Repeat([]float64{1}, len(c.arcs))
		m.AddRow(lp.Row{Name: c.name, Lower: float64(c.least), Upper: lp.Inf}, c.arcs, ones)
	}

	// No flow is larger than what its arc can carry in some scenario.
	limit := make([]float64, n)
	for s := range d.Scenarios {
		total := d.Scenarios[s].total()
		for e := range limit {
			limit[e] = max(limit[e], d.Scenarios[s].Limit(e, total))
		}
	}
	first := &d.Scenarios[0]
	for e := range n {
		m.AddCol(lp.Col{Name: fmt.Sprintf("y_%d_%d", d.Tail[e]+1, d.Head[e]+1), Cost: first.Cost[e], Upper: limit[e]})
	}

	// The conservation of flow at every node, and the link of every flow to its arc.
	flow := len(m.Rows)
	for v, b := range first.Demand {
		m.AddRow(lp.Row{Name: fmt.Sprintf("flow_%d", v+1), Lower: b, Upper: b}, nil, nil)
	}
	link := len(m.Rows)
	total := first.total()
	for e := range n {
		m.AddEntry(lp.Con(flow+int(d.Tail[e])), lp.Var(n+e), 1)
		m.AddEntry(lp.Con(flow+int(d.Head[e])), lp.Var(n+e), -1)
		m.AddRow(lp.Row{Name: fmt.Sprintf("link_%d_%d", d.Tail[e]+1, d.Head[e]+1), Lower: 0, Upper: lp.Inf},
			[]int32{int32(e), int32(n + e)}, []float64{first.Limit(e, total), -1})
	}

	// Scenarios are differences from the first one.
	p := &stoch.Program{Name: d.Name, Core: m, First: n}
	for s := range d.Scenarios {
		p.Add(d.Scenarios[s].Name, d.Scenarios[s].Probability, d.changes(s, flow, link)...)
	}
	return p
}

// changes lists in what a scenario differs from the first one.
func (d *Data) changes(s, flow, link int) []stoch.Change {
	first := &d.Scenarios[0]
	at := &d.Scenarios[s]
	n := d.arcs()
	was := first.total()
	total := at.total()
	var list []stoch.Change
	for e := range n {
		// Only numbers that differ are changes: package stoch finds in them what all scenarios share.
		if at.Cost[e] != first.Cost[e] {
			list = append(list, stoch.SetCost(lp.Var(n+e), at.Cost[e]))
		}
		if v := at.Limit(e, total); v != first.Limit(e, was) {
			list = append(list, stoch.SetEntry(lp.Con(link+e), lp.Var(e), v))
		}
	}

	// A balance is both sides of its row.
	for v, b := range at.Demand {
		if b != first.Demand[v] {
			list = append(list, stoch.SetRowLower(lp.Con(flow+v), b), stoch.SetRowUpper(lp.Con(flow+v), b))
		}
	}
	return list
}

// nodeCount is how many of the arcs that leave or enter a node must be built: in every scenario they carry what the
// node demands. A node that sends 50 by arcs with capacities 30, 25 and 20 needs two of them.
type nodeCount struct {
	// name is that of the row.
	name string
	node int
	// enter says that the arcs enter the node, else they leave it.
	enter bool
	arcs  []int32
	// least is the number of arcs, at least 1, and at a scenario that needs it.
	least, at int
}

// nodeCounts lists the nodes that need an arc that leaves them, or one that enters them.
func (d *Data) nodeCounts() (list []nodeCount) {
	for v := range d.Nodes {
		for _, side := range [2]struct {
			name string
			ends []int32
			sign float64
		}{
			{"leave", d.Tail, 1},
			{"enter", d.Head, -1},
		} {
			c := nodeCount{name: fmt.Sprintf("%s_%d", side.name, v+1), node: v, enter: side.sign < 0}
			for e, w := range side.ends {
				if int(w) == v {
					c.arcs = append(c.arcs, int32(e))
				}
			}

			// In a scenario the arcs of the largest capacities are the fewest that suffice.
			for s := range d.Scenarios {
				at := &d.Scenarios[s]
				cutset.Sort(c.arcs, at.Capacity)
				if n := cutset.Least(c.arcs, at.Capacity, side.sign*at.Demand[v]); n > c.least {
					c.least = n
					c.at = s
				}
			}
			if c.least > 0 {
				slices.Sort(c.arcs)
				list = append(list, c)
			}
		}
	}
	return list
}
