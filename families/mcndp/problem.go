package mcndp

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/lp"
)

// Master returns the first-stage model: y0, y1, ..., and the rows of the cut sets of one node or all but one: that the
// capacity carries the demand, and where it says more, that enough arcs are open.
func (in *Instance) Master() *lp.Model {
	model := in.designs()
	addNodeSets(in, model, in.nodeSets(in.cutSetOf))
	return model
}

// addNodeSets adds the two rows of every set.
func addNodeSets(in *Instance, model *lp.Model, sets []namedSet) {
	for _, s := range sets {
		capacity, count := make([]float64, len(s.arcs)), make([]float64, len(s.arcs))
		for k, j := range s.arcs {
			capacity[k], count[k] = min(1, in.Capacity[j]/s.demand), 1
		}
		model.AddRow(lp.Row{Name: "capacity_" + s.name, Lower: 1 - cutset.Tolerance, Upper: lp.Inf}, s.arcs, capacity)
		model.AddRow(lp.Row{Name: "count_" + s.name, Lower: float64(s.least), Upper: lp.Inf}, s.arcs, count)
	}
}

// designs is the first-stage model without rows.
func (in *Instance) designs() *lp.Model {
	model := &lp.Model{Name: in.Name, Objective: "cost"}
	for j, f := range in.Fixed {
		model.AddCol(lp.Col{Name: fmt.Sprintf("y%d", j), Cost: f, Upper: 1, Integer: true})
	}
	return model
}

// namedSet is a cut set with a name for the rows of the master.
type namedSet struct {
	cutSet
	name string
}

// nodeSets returns the cut sets of one node (leave_v) or all but one (enter_v) that demand leaves. Each has two rows in
// the master, in this order.
func (in *Instance) nodeSets(of func(inside []bool) cutSet) []namedSet {
	var list []namedSet
	for v := range in.Nodes {
		for _, side := range []string{"leave", "enter"} {
			inside := make([]bool, in.Nodes)
			for w := range inside {
				inside[w] = (w == v) == (side == "leave")
			}
			if s := of(inside); s.demand != 0 {
				list = append(list, namedSet{s, fmt.Sprintf("%s_%d", side, v)})
			}
		}
	}
	return list
}

// cheapest returns a lower bound on Q of any design: every commodity by its cheapest path. It is 0 where one has none.
func (in *Instance) cheapest() float64 {
	d := newDistances(in)
	d.compute(in.Cost)
	var low outward.Sum
	for i, demand := range in.Demand {
		low.Add(demand * d.between(in.Origin[i], in.Destination[i]))
	}
	if v := low.Down() * (1 - float64(8*in.Nodes)*outward.UnitRoundoff); v < tooLarge {
		return v
	}
	return 0 // a commodity without a path, which the rows tell
}

// Problem returns the Benders problem of a valid instance: the master above, one epigraph bounded below by the cheapest
// paths, and the exact recourse. Solve adds a start, fixed arcs, the cuts of a Lagrangian bound and local search. The
// functions of the problem share memory: they are for one goroutine.
func (in *Instance) Problem() *benders.Problem {
	p := &benders.Problem{Name: in.Name, Master: in.Master(), Epigraphs: 1, ThetaLower: []float64{in.cheapest()}}
	var recourse *recourseSolver
	p.Recourse = func(ctx context.Context, y, q []float64) (feasible bool, err error) {
		if !in.carries(y) {
			return false, nil
		}
		if recourse == nil {
			if recourse, err = newRecourse(in); err != nil {
				return false, err
			}
		}
		q[0], feasible, err = recourse.Solve(ctx, y)
		return feasible, benders.NotCancelled(ctx, err)
	}
	return p
}
