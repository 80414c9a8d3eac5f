package ufl

import (
	"context"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/record"
)

// Program returns the data of a record.
func (u instance) Program() any {
	in := u.Instance
	return record.Facilities{Facilities: in.Facilities, Clients: in.Clients, Fixed: in.Fixed, Cost: in.Cost}
}

// Subject returns the instance as a recorded run needs it: the master as it is, and the separator of the method.
func (u instance) Subject(_ context.Context, o families.SolveOptions) (*prove.Subject, error) {
	so := DefaultSolveOptions()
	sep, err := u.separation(o, &so)
	if err != nil {
		return nil, err
	}
	in := u.Instance
	p := in.Problem(sep.Aggregated)
	s := &prove.Subject{Family: u.Family(), Name: u.Name(), Hash: u.Hash(), Problem: p,
		Data:        u.Program(),
		Certificate: func(c *benders.Cut) []float64 { return c.Certificate.Vector() },
		Recourse:    func(context.Context, []float64, float64) ([]int32, []float64, error) { return nil, nil, nil }}
	if s.Separator, err = sep.New(in); err != nil {
		return nil, err
	}
	pi := make([]float64, in.Clients)
	rows := in.Sorted()
	for i := range pi {
		_, cost := rows.Row(i)
		pi[i] = cost[0]
	}
	for k, v := range p.ThetaLower {
		c := &Certificate{Client: k, pi: pi[k : k+1 : k+1]}
		if sep.Aggregated {
			c = &Certificate{Client: benders.AllEpigraphs, pi: pi}
		}
		s.Lower = append(s.Lower, benders.Cut{Theta: k, Alpha: v, Certificate: c})
	}
	return s, nil
}
