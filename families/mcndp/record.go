package mcndp

import (
	"context"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/record"
)

// data returns the instance as a record holds it.
func (in *Instance) data() any {
	// The names are not recorded: a proof needs only the numbers.
	return record.Network{
		Nodes:    in.Nodes,
		Tail:     in.Tail,
		Head:     in.Head,
		Cost:     in.Cost,
		Capacity: in.Capacity,
		Fixed:    in.Fixed,
		Origin:   in.Origin,
		Target:   in.Destination,
		Demand:   in.Demand,
	}
}

// subject returns what a recorded run needs: the master as it is, whose rows are those of cut sets, and the cheapest
// paths as lower bound.
func (in *Instance) subject(context.Context, bool) (*prove.Subject, error) {
	// Each set has two rows, so that row r of the master is of set r/2.
	_, sets := in.master()
	s := &prove.Subject{
		Problem:  in.problem(),
		Recourse: in.flows,
		Justify:  func(row int, to *record.Row) { to.Nodes = cutset.Nodes{Inside: sets[row/2]}.List() },
		Certify: func(c *benders.Cut, to *record.Cut) {
			// A counting cut is proven from its nodes, every other one from its multipliers.
			if set, ok := c.Certificate.(cutset.Nodes); ok {
				to.Nodes = set.List()
			} else {
				to.Certificate = c.Certificate.Vector()
			}
		},
	}
	low, err := in.lowest()
	s.Lower = []benders.Cut{low}
	s.Problem.ThetaLower = []float64{low.Alpha}
	return s, err
}

// lowest returns a cut without slopes, from the cheapest paths: no arc gains anything by their potentials but by
// rounding.
func (in *Instance) lowest() (benders.Cut, error) {
	// The potentials of the costs without prices: no arc saves more than it costs.
	u := make([]float64, in.size())
	newPotentials(in).set(u, in.Cost)
	c, err := newCertifier(in).Cut(benders.Optimality, u)

	// The right-hand side is least where the arcs of negative slopes are open.
	var low outward.Sum
	low.Add(c.Alpha)
	for _, b := range c.Beta {
		low.Add(min(0, b))
	}
	c.Alpha = low.Down()
	c.Index = nil
	c.Beta = nil
	return c, err
}

// flows returns the recourse solution of a design: the flow of commodity i on arc j, at i*n+j.
func (in *Instance) flows(ctx context.Context, y []float64, _ float64) (index []int32, value []float64, err error) {
	r, err := newRecourse(in)
	if err != nil {
		return nil, nil, err
	}

	// A flow for each commodity, as the proof needs them.
	x := make([]float64, in.commodities()*in.arcs())
	if _, err := r.Flows(ctx, y, x); err != nil {
		return nil, nil, err
	}
	index, value = instance.Positive(x)
	return index, value, nil
}
