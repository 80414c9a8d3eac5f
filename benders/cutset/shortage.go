package cutset

import (
	"context"
	"iter"
	"math"
	"slices"
)

// Shortage is a set of nodes that more has to leave than the arcs out of it carry if all of them are open: no design
// of the network is feasible.
type Shortage struct {
	Inside []bool // the nodes of the set
	Case   int    // of the demands and capacities
	// Demand is what has to leave the set, and Capacity what its arcs carry, in the units of the network.
	Demand, Capacity float64
	Arcs             int // that leave the set
}

// FindShortage looks for the set of nodes with the least capacity for its demand in a network with all arcs open,
// among the sets that the separator of cut sets tries and those of more. It returns false where none of them is short;
// with one commodity there is none then whose shortage is more than a ten-thousandth of all that is sent.
func FindShortage(ctx context.Context, n Network, more iter.Seq[[]bool]) (Shortage, bool) {
	s := New(n, Whole)
	y := slices.Repeat([]float64{1}, len(n.Tail))
	var worst Shortage

	// Two sets are compared by the part of the demand that cannot leave; rounding alone is no shortage.
	try := func(inside []bool, k int) {
		found := s.shortage(inside, k)
		part := (found.Demand - found.Capacity) / found.Demand
		isShort := found.Demand > 0 && part > Tolerance
		if isShort && (worst.Inside == nil || part > (worst.Demand-worst.Capacity)/worst.Demand) {
			worst = found
		}
	}
	for _, cut := range s.Cuts(ctx, y, 1) {
		if c, ok := cut.Certificate.(Nodes); ok {
			try(c.Inside, c.Case)
		}
	}
	for k := range n.Balance {
		if inside := minimumCut(n, k); inside != nil {
			try(inside, k)
		}
	}
	if more != nil {
		for inside := range more {
			for k := range n.Capacity {
				try(slices.Clone(inside), k)
			}
		}
	}
	return worst, worst.Inside != nil
}

// shortage returns what has to leave a set in a case, and what its arcs carry.
func (s *Separator) shortage(inside []bool, k int) Shortage {
	out := Shortage{Inside: inside, Case: k, Demand: s.n.Leaving(inside, k)}
	for _, j := range s.leaving(inside) {
		out.Capacity += s.n.Capacity[k][j]
		out.Arcs++
	}
	return out
}

// minimumCut returns the set of a minimum cut of a network with one commodity and all arcs open, nil where the demand
// is carried.
func minimumCut(n Network, k int) []bool {
	// One more node sends what each node supplies, and another one takes what each node demands.
	source := n.Nodes
	sink := n.Nodes + 1
	wide := Network{
		Nodes:    n.Nodes + 2,
		Tail:     slices.Clone(n.Tail),
		Head:     slices.Clone(n.Head),
		Capacity: [][]float64{slices.Clone(n.Capacity[k])},
	}
	total := 0.0
	for v, b := range n.Balance[k] {
		tail, head := int32(source), int32(v)
		if b < 0 {
			tail, head = int32(v), int32(sink)
		}
		wide.Tail = append(wide.Tail, tail)
		wide.Head = append(wide.Head, head)
		wide.Capacity[0] = append(wide.Capacity[0], math.Abs(b))
		total += max(b, 0)
	}

	f := newFlows(wide)
	y := slices.Repeat([]float64{1}, len(wide.Tail))
	f.at(y)
	isSource := func(v int) bool { return v == source }
	isSink := func(v int) bool { return v == sink }
	if total == 0 || !f.short(y, wide.Capacity[0], total, isSource, isSink) {
		return nil
	}
	return slices.Clone(f.reached[:n.Nodes])
}
