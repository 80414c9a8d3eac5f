package mcndp

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/proxybd/proxybd/benders/cutset"
)

// togetherShort is what is said where flows of several commodities do not fit, although each cut set suffices.
const togetherShort = "all arcs together cannot carry the flows of all commodities at once%s, although every cut set " +
	"that was tried has enough capacity"

// Infeasibility implements families.Diagnosed: it names a set of nodes whose arcs carry too little.
func (in *Instance) Infeasibility(ctx context.Context) (string, error) {
	return in.why(ctx, in.Demand, "")
}

// Infeasibility implements families.Diagnosed: it names a scenario, and a set of nodes whose arcs carry too little in
// it.
func (n *Scenarios) Infeasibility(ctx context.Context) (string, error) {
	for _, d := range n.Draws {
		where := " in scenario " + d.Name
		if reason, err := n.Network.why(ctx, d.Demand, where); err != nil || reason != "" {
			return reason, err
		}
	}
	return "", nil
}

// why says in a sentence why all arcs together cannot carry some demands; it is empty where they can. where says of
// which scenario the demands are.
func (in *Instance) why(ctx context.Context, demand []float64, where string) (string, error) {
	// The multipliers of the feasibility cut with all arcs open are positive exactly if demands are not carried.
	at := *in
	at.Demand = demand
	r := &recourseSolver{in: &at}
	u := make([]float64, in.size())
	open := slices.Repeat([]float64{1}, in.arcs())
	short, err := r.Shortage(ctx, open, u)
	if err != nil || short <= infeasibleFrom {
		return "", err
	}

	// A cut set whose arcs are short is the reason that is understood best.
	network := cutset.Network{
		Nodes:    in.Nodes,
		Tail:     in.Tail,
		Head:     in.Head,
		Capacity: [][]float64{in.Capacity},
		Leaving:  func(inside []bool, _ int) float64 { return in.leaving(inside, demand) },
	}
	if s, ok := cutset.FindShortage(ctx, network, in.levels(u)); ok {
		return in.network(open).Infeasibility(s, where), nil
	}
	return fmt.Sprintf(togetherShort, where), nil
}

// levels are the sets of nodes whose multipliers for a commodity are up to one of their values, and the sets of the
// other nodes. Where one commodity alone does not fit, one of them is a minimum cut.
func (in *Instance) levels(u []float64) iter.Seq[[]bool] {
	return func(yield func([]bool) bool) {
		m := in.commodities()
		for at := range in.Nodes * m {
			inside := make([]bool, in.Nodes)
			outside := make([]bool, in.Nodes)
			members := 0
			for v := range inside {
				inside[v] = u[v*m+at%m] <= u[at]
				outside[v] = !inside[v]
				if inside[v] {
					members++
				}
			}

			// The set of all nodes has no arcs that leave it.
			if members < in.Nodes && !(yield(inside) && yield(outside)) {
				return
			}
		}
	}
}
