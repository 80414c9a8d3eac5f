package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/proxybd/proxybd/record"
)

// network is an instance of mcndp: commodity i sends its demand d_i from its origin to its target, the share x_ie of it
// over arc e at the cost d_i c_e x_ie, with sum_i d_i x_ie <= s_e y_e and 0 <= x_ie <= y_e.
type network struct{ record.Network }

// maxNodes is the largest number of nodes: they are numbered by int32. With commodities that a file can hold, the
// product stays within int.
const maxNodes = math.MaxInt32

// openNetwork reads an instance of mcndp.
func openNetwork(r *record.Record) (problem, error) {
	w := &network{}
	if err := r.Instance.Decode(&w.Network); err != nil {
		return nil, err
	}

	if w.Nodes > maxNodes {
		return nil, fmt.Errorf("%d nodes, more than %d", w.Nodes, maxNodes)
	}

	// Lists of arcs have one length, and so have lists of commodities.
	byArc := lengths(len(w.Tail), len(w.Head), len(w.Cost), len(w.Capacity), len(w.Fixed))
	byCommodity := lengths(len(w.Origin), len(w.Target), len(w.Demand))
	if !byArc || !byCommodity {
		return nil, errLengths
	}

	// Arcs and commodities lead from a node to another one; costs, capacities and demands are all amounts.
	if err := cmp.Or(ends(w.Nodes, w.Tail, w.Head), ends(w.Nodes, w.Origin, w.Target),
		nonnegative(w.Cost, w.Capacity, w.Fixed, w.Demand)); err != nil {
		return nil, err
	}
	for i, d := range w.Demand { // the share of nothing would still need a path
		if d == 0 {
			return nil, fmt.Errorf("commodity %d has no demand", i)
		}
	}
	return w, nil
}

// lengths reports whether lists have n entries, at least one.
func lengths(n int, of ...int) bool {
	// A list without entries would leave nothing to prove.
	return n > 0 && !slices.ContainsFunc(of, func(v int) bool { return v != n })
}

// ends checks both ends of arcs or commodities: nodes, and two different ones.
func ends(nodes int, from, to []int32) error {
	for k, v := range from {
		// The ends are compared with the number of nodes as an int, which may be larger than an int32.
		t := to[k]
		if v == t || min(v, t) < 0 || int(max(v, t)) >= nodes {
			return fmt.Errorf("an end at node %d, the other at %d, of %d nodes", v, t, nodes)
		}
	}
	return nil
}

// epigraphs is one: the commodities share the capacities.
func (w *network) epigraphs() int { return 1 }

// first has the arcs as columns.
func (w *network) first() *stage { return binary01(w.Fixed) }

// hash is that of the sizes, the ends and the numbers.
func (w *network) hash() string {
	// The ends are numbers of nodes, and are hashed after the sizes.
	sizes := []int{w.Nodes, len(w.Tail), len(w.Origin)}
	for _, part := range [][]int32{w.Tail, w.Head, w.Origin, w.Target} {
		for _, v := range part {
			sizes = append(sizes, int(v))
		}
	}
	return record.ContentHash("mcndp", sizes, w.Cost, w.Capacity, w.Fixed, w.Demand)
}

// checkRow proves a row of a cut set.
func (w *network) checkRow(r *record.Row) error { return w.cutSet(r.Nodes, r.Index, r.Value, r.Lower) }

// cutSet proves value'y >= lower from the demand that leaves a set of nodes and the arcs that do.
func (w *network) cutSet(nodes, index []int32, value []float64, lower float64) error {
	inside, arcs, a, err := leaving(nodes, w.Nodes, w.Tail, w.Head, dense(len(w.Tail), index, value))
	if err != nil {
		return err
	}

	// The demand of the commodities whose origin is inside and whose target is outside has to leave the set.
	demand := of(0)
	for i, d := range w.Demand {
		if inside[w.Origin[i]] && !inside[w.Target[i]] {
			demand.add(of(d))
		}
	}

	// Only arcs that leave the set carry that demand.
	s := make([]float64, len(arcs))
	for k, e := range arcs {
		s[k] = w.Capacity[e]
	}
	return carriers(a, s, demand, lower)
}

// leaving returns a set of nodes as a map, and the arcs that leave the set with their coefficients of a row. All other
// coefficients must not be negative, so that the row is implied by these arcs. The file may list any number of nodes.
func leaving(nodes []int32, count int, tail, head []int32, row []float64) (
	inside map[int32]bool, arcs []int, a []float64, err error) {
	inside = make(map[int32]bool, len(nodes))
	for _, v := range nodes {
		if v < 0 || int(v) >= count {
			return nil, nil, nil, fmt.Errorf("there is no node %d", v)
		}
		inside[v] = true
	}

	for e, v := range row {
		if inside[tail[e]] && !inside[head[e]] {
			arcs = append(arcs, e)
			a = append(a, v)
		} else if v < 0 {
			return nil, nil, nil, errors.New("a negative coefficient")
		}
	}
	return inside, arcs, a, nil
}

// negated returns the coefficients of the row -beta'y >= alpha, which a feasibility cut 0 >= alpha + beta'y is.
func negated(beta []float64) []float64 {
	out := make([]float64, len(beta))
	for k, b := range beta {
		out[k] = -b
	}
	return out
}

// checkCut proves alpha <= sum_i (u_i,origin - u_i,target) and beta_e <= -kappa_e(u). Slopes may be larger if alpha is
// smaller by as much; see families/mcndp. The potentials may have any sign: flow is conserved with equality.
func (w *network) checkCut(c *record.Cut) error {
	// A feasibility cut without potentials is the row of a cut set.
	if len(c.Certificate) == 0 && c.Feasibility {
		return w.cutSet(c.Nodes, c.Index, negated(c.Beta), c.Alpha)
	}

	// Each commodity has a potential at every node.
	if w.Nodes*len(w.Origin) != len(c.Certificate) {
		return fmt.Errorf("%d potentials for %d commodities and %d nodes", len(c.Certificate), len(w.Origin), w.Nodes)
	}

	// The constant is the value of the demands: the difference of potentials between origin and target.
	alpha := of(0)
	for i := range w.Origin {
		alpha.add(of(w.at(c, i, w.Origin[i]))).sub(of(w.at(c, i, w.Target[i])))
	}

	// The flows of all commodities share the capacity of an arc: a continuous knapsack.
	var over []*big.Rat
	for e, b := range dense(len(w.Tail), c.Index, c.Beta) {
		var items []item
		// The slope of the arc counts against the profit of its flows.
		worth := of(b)
		// The profit of a commodity is the difference of potentials along the arc less the cost of its demand there.
		for i, d := range w.Demand {
			profit := of(w.at(c, i, w.Tail[e])).sub(of(w.at(c, i, w.Head[e])))
			if !c.Feasibility {
				// A feasibility cut is about flows alone, without their costs.
				profit.sub(product(d, w.Cost[e]))
			}

			// Without a profit the commodity does not use the arc.
			switch {
			case profit.sign() <= 0:
			case d > 0:
				items = append(items, item{profit, d})
			default:
				worth.add(profit)
			}
		}
		over = append(over, excess(items, w.Capacity[e], worth))
	}
	return implied(c.Alpha, alpha, over)
}

// at is the potential of a commodity at a node.
func (w *network) at(c *record.Cut, i int, node int32) float64 {
	return c.Certificate[int(node)*len(w.Origin)+i]
}

// price makes the recorded flows exact. Arcs without a recorded flow carry none, so that only what has one enters.
func (w *network) price(ctx context.Context, d *record.Design) (*big.Rat, error) {
	arcs := len(w.Tail)
	if err := sparseVector(d.Index, d.Value, arcs*len(w.Origin)); err != nil {
		return nil, err
	}

	// A row for the capacity of every arc that is built.
	s := &system{}
	total := of(0)
	room := slices.Repeat([]int{-1}, arcs)
	// An arc that is not built has no row, and no flow.
	for e, y := range d.Y {
		if y == 1 {
			room[e] = s.addRow(negativeInfinity, w.Capacity[e])
			total.add(of(w.Fixed[e]))
		}
	}

	// A row of flow conservation for every commodity at every node that it meets.
	type place struct {
		commodity int
		node      int32
	}
	balance := make(map[place]int) // rows: what leaves a node less what enters it
	// A row is made when the first flow or demand needs it.
	at := func(i int, v int32) int {
		row, ok := balance[place{i, v}]
		if !ok {
			row = s.addRow(0, 0)
			balance[place{i, v}] = row
		}
		return row
	}

	// The origin sends the demand, and the target receives it.
	for i, demand := range w.Demand {
		from := at(i, w.Origin[i])
		s.rowLower[from] = demand
		s.rowUpper[from] = demand
		to := at(i, w.Target[i])
		s.rowLower[to] = -demand
		s.rowUpper[to] = -demand
	}

	// The position of a flow is commodity times arcs plus arc.
	for k, t := range d.Index {
		i := int(t) / arcs
		e := int(t) % arcs
		if room[e] < 0 {
			continue
		}

		// The flow is bounded by the demand of its commodity, and uses the capacity of the arc.
		col := s.addColumn(w.Cost[e], 0, w.Demand[i], d.Value[k])
		s.add(room[e], col, 1)
		s.add(at(i, w.Tail[e]), col, 1)
		s.add(at(i, w.Head[e]), col, -1)
	}
	s.fixed = total.rat()
	return s.solve(ctx)
}
