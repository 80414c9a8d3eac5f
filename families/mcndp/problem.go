package mcndp

import (
	"context"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/lp"
)

// Master returns the first-stage model: y0, y1, ..., and the rows of the cut sets of one node or all but one: that the
// capacity carries the demand, and where it says more, that enough arcs are open.
func (in *Instance) Master() *lp.Model {
	model, _ := in.master()
	return model
}

// master also returns the sets, each of which has two rows.
func (in *Instance) master() (model *lp.Model, sets [][]bool) {
	model = in.designs()
	sets = in.addNodeSets(model, func(inside []bool) float64 { return in.leaving(inside, in.Demand) })
	return model, sets
}

// designs is the first-stage model without rows.
func (in *Instance) designs() *lp.Model { return instance.Designs(in.Name, in.Fixed) }

// cheapest returns a lower bound on Q of any design: every commodity by its cheapest path.
func (in *Instance) cheapest() float64 {
	low, err := in.lowest()
	if err != nil {
		return 0 // a valid bound all the same: no cost is negative
	}
	return max(0, low.Alpha)
}

// problem returns the Benders problem of a valid instance: the master above, one epigraph bounded below by the cheapest
// paths, and the exact recourse. Solve adds a start, fixed arcs, the cuts of a Lagrangian bound and local search. The
// functions of the problem share memory: they are for one goroutine.
func (in *Instance) problem() *benders.Problem {
	p := &benders.Problem{
		Name:       in.Name,
		Master:     in.Master(),
		Epigraphs:  1,
		ThetaLower: []float64{in.cheapest()},
	}

	// The solver is made when the first design is priced.
	var recourse *recourseSolver
	p.Recourse = func(ctx context.Context, y, q []float64) (feasible bool, err error) {
		if recourse == nil {
			if recourse, err = newRecourse(in); err != nil {
				return false, err
			}
		}

		// A cancelled price is no error: the caller asks the context.
		q[0], feasible, err = recourse.Solve(ctx, y)
		return feasible, benders.NotCancelled(ctx, err)
	}
	return p
}
