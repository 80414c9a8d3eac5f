package ufl

import (
	"context"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/record"
)

// data returns the instance in the form of a record.
func (in *Instance) data() any {
	return record.Facilities{
		Facilities: in.Facilities,
		Clients:    in.Clients,
		Fixed:      in.Fixed,
		Cost:       in.Cost,
		Forbidden:  in.ForbiddenPairs(),
	}
}

// subject returns what a recorded run needs: the master as it is, and the cheapest costs as lower bounds.
func (in *Instance) subject(_ context.Context, aggregated bool) (*prove.Subject, error) {
	p := in.problem(aggregated)
	s := &prove.Subject{
		Problem: p,
		Certify: func(c *benders.Cut, to *record.Cut) { to.Certificate = c.Certificate.Vector() },
		// The recourse of a design is in the instance: every client at the nearest open facility.
		Recourse: func(context.Context, []float64, float64) ([]int32, []float64, error) { return nil, nil, nil },
	}

	// The dual min_j c_ij of client i proves the lower bound of its epigraph.
	pi := make([]float64, in.Clients)
	for i := range pi {
		pi[i] = slices.Min(in.Row(i))
	}
	for k, v := range p.ThetaLower {
		proof := pi[k : k+1 : k+1]
		if aggregated {
			proof = pi
		}
		s.Lower = append(s.Lower, benders.Cut{Theta: k, Alpha: v, Certificate: &benders.Multipliers{Values: proof}})
	}
	return s, nil
}
