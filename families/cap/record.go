package cap

import (
	"context"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/record"
)

// data returns the instance in the form of a record.
func (in *Instance) data() any {
	return record.Facilities{
		Facilities: in.Facilities,
		Clients:    in.Clients,
		Fixed:      in.Fixed,
		Cost:       in.Cost,
		Capacity:   in.Capacity,
		Demand:     in.Demand,
		Forbidden:  in.ForbiddenPairs(),
	}
}

// subject returns what a recorded run needs: the master with its demand rounded down, so that its rows hold in exact
// arithmetic, and the cheapest costs as lower bound.
func (in *Instance) subject(context.Context, bool) (*prove.Subject, error) {
	s := &prove.Subject{
		Problem:  in.problem(),
		Recourse: in.shares,
		Certify:  func(c *benders.Cut, to *record.Cut) { to.Certificate = c.Certificate.Vector() },
	}

	// The capacity row asks for the exact sum of the demands at most.
	var demand outward.Sum
	for _, d := range in.Demand {
		demand.Add(d)
	}
	row := &s.Problem.Master.Rows[0]
	row.Lower = min(row.Lower, demand.Down())

	// With the cheapest costs as multipliers no facility gains anything: the sum is a bound for every design.
	cheapest := make([]float64, in.Clients)
	for i := range cheapest {
		cheapest[i] = slices.Min(in.Row(i))
	}
	s.Lower = []benders.Cut{{Alpha: s.Problem.ThetaLower[0], Certificate: &benders.Multipliers{Values: cheapest}}}
	return s, nil
}

// shares returns the recourse solution of a design: the share of client i that facility j serves, at i*n+j.
func (in *Instance) shares(ctx context.Context, y []float64, _ float64) (index []int32, value []float64, err error) {
	t := newTransport(in)
	if _, _, err := t.Solve(ctx, y); err != nil {
		return nil, nil, err
	}
	x := make([]float64, len(in.Cost))
	t.Assignment(x)
	index, value = instance.Positive(x)
	return index, value, nil
}
