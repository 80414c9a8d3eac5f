package stoch

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// Multistage is a program of periods 0, 1, 2, ..., in each of which something more is known before its columns are
// chosen. Nodes with the same future are one: the scenario tree becomes a graph, and the scenarios are its paths from
// node 0. With V(n, x) the least expected cost from node n on, where x is what was chosen before,
//
//	V(n, x) = min { c_n'x_t + sum over arcs (n, m) of p_nm V(m, (x, x_t)) : rows of period t, bounds of its columns },
//
// where t is the period of n, and the value of the program is V(0).
type Multistage struct {
	Name string
	// Core is the model of one scenario, with the rows and columns of all periods.
	Core *lp.Model
	// Periods is the number of periods, at least 1.
	Periods int
	// ColPeriod is the period of each column of Core, from 0.
	ColPeriod []int32
	// RowPeriod is the period of each row, not before that of a column in it.
	RowPeriod []int32
	// Nodes are in any order, but node 0 is the only one of period 0.
	Nodes []Node
}

// Node is what may be known in a period and matters from that period on.
type Node struct {
	Period int32
	// Changes are those of the period's rows, and of the costs and bounds of its columns; at most one of each place.
	Changes []Change
	// Arcs lead to nodes of the next period; a node of the last one has none.
	Arcs []Arc
}

// Arc leads to a node of the next period.
type Arc struct {
	// To is the index of the node.
	To int32
	// Probability is that of the arc given the node it leaves. It is positive: what does not occur has no arc.
	Probability float64
}

// Scenarios returns how many paths lead from node 0 to the last period, and how many nodes their tree has.
func (p *Multistage) Scenarios() (paths, nodes float64) {
	count := make([]float64, len(p.Nodes)) // paths to a node
	count[0] = 1

	// The paths to a node are counted before those that go on from it. Counts are floats, since there may be very
	// many.
	for _, n := range p.byPeriod() {
		nodes += count[n]
		if len(p.Nodes[n].Arcs) == 0 {
			paths += count[n]
		}
		for _, a := range p.Nodes[n].Arcs {
			count[a.To] += count[n]
		}
	}
	return paths, nodes
}

// byPeriod lists the nodes by their periods.
func (p *Multistage) byPeriod() []int32 {
	order := make([]int32, len(p.Nodes))
	for n := range order {
		order[n] = int32(n)
	}

	// Nodes of a period stay in the order of their numbers.
	slices.SortStableFunc(order, func(a, b int32) int { return int(p.Nodes[a].Period - p.Nodes[b].Period) })
	return order
}

// Validate reports the first thing that makes the program unusable: a bad core, a row with a column of a later period,
// a node that skips a period, probabilities that do not sum to one, a change out of place or with no meaning.
func (p *Multistage) Validate() error {
	if err := cmp.Or(p.Core.Validate(), p.Core.RowsOnly()); err != nil {
		return prefixed(err)
	}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("stoch: %w: %w", ErrProgram, fmt.Errorf(format, args...))
	}

	// Every row and column has a period.
	switch {
	case p.Periods < 1 || len(p.ColPeriod) != len(p.Core.Cols) || len(p.RowPeriod) != len(p.Core.Rows):
		return bad("%d periods, %d columns and %d rows that have one", p.Periods, len(p.ColPeriod), len(p.RowPeriod))
	case len(p.Nodes) == 0 || p.Nodes[0].Period != 0:
		return bad("no node of the first period in front")
	}
	for _, of := range [][]int32{p.ColPeriod, p.RowPeriod} {
		for k, t := range of {
			if t < 0 || int(t) >= p.Periods {
				return bad("row or column %d of period %d, there are %d", k, t, p.Periods)
			}
		}
	}

	// Rows have no columns of later periods. A core that is valid has a matrix.
	a, _ := p.Core.Matrix()
	for j, t := range p.ColPeriod {
		index, _ := a.Vec(j)
		for _, i := range index {
			if p.RowPeriod[i] < t {
				return bad("row %s has the column %s of a later period", p.Core.RowName(lp.Con(i)), p.Core.ColName(lp.Var(j)))
			}
		}
	}

	// Every node by itself.
	for n := range p.Nodes {
		if err := p.checkNode(n); err != nil {
			return bad("node %d: %w", n, err)
		}
	}
	return nil
}

// checkNode reports what is wrong with a node: its period, its arcs or its changes.
func (p *Multistage) checkNode(n int) error {
	node := &p.Nodes[n]

	// Node 0 is the only one of the first period, and only the last period has no arcs.
	if n > 0 && node.Period < 1 || int(node.Period) >= p.Periods {
		return fmt.Errorf("its period is %d", node.Period)
	}
	if (len(node.Arcs) == 0) != (int(node.Period) == p.Periods-1) {
		return fmt.Errorf("%d arcs, in period %d of %d", len(node.Arcs), node.Period, p.Periods)
	}

	// The arcs lead to the next period, with probabilities that sum to one.
	total := 0.0
	for _, a := range node.Arcs {
		if a.To < 0 || int(a.To) >= len(p.Nodes) || p.Nodes[a.To].Period != node.Period+1 {
			return fmt.Errorf("an arc to %d, which is no node of the next period", a.To)
		}
		if !(a.Probability > 0 && a.Probability <= 1+probabilityTolerance) {
			return fmt.Errorf("an arc of probability %g", a.Probability)
		}
		total += a.Probability
	}
	if len(node.Arcs) > 0 && math.Abs(total-1) > probabilityTolerance {
		return fmt.Errorf("the probabilities of its arcs sum to %.9g", total)
	}
	return p.checkChanges(node)
}

// checkChanges reports a change that is not one of the period of the node.
func (p *Multistage) checkChanges(node *Node) error {
	skeleton := Program{Core: p.Core}
	for _, c := range node.Changes {
		if err := skeleton.check(c); err != nil {
			return err
		}

		// A coefficient may be of a column of an earlier period.
		switch {
		case c.Kind.byRow() && p.RowPeriod[c.Row] != node.Period,
			!c.Kind.byRow() && p.ColPeriod[c.Col] != node.Period,
			c.Kind == Entry && p.ColPeriod[c.Col] > node.Period:
			return fmt.Errorf("a %v of another period", c.Kind)
		}
	}
	return nil
}
