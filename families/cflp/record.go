package cflp

import (
	"context"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/record"
)

// Program returns the data of a record.
func (u instance) Program() any {
	in := u.Instance
	return record.Facilities{Facilities: in.Facilities, Clients: in.Clients, Fixed: in.Fixed, Cost: in.Cost, Capacity: in.Capacity, Demand: in.Demand}
}

// Subject returns the instance as a recorded run needs it: the master with its demand rounded down, so that its rows hold
// in exact arithmetic, and the separator of the method.
func (u instance) Subject(ctx context.Context, o families.SolveOptions) (*prove.Subject, error) {
	so := DefaultSolveOptions()
	sep, err := u.separation(o, &so)
	if err != nil {
		return nil, err
	}
	in := u.Instance
	s := &prove.Subject{Family: u.Family(), Name: u.Name(), Hash: u.Hash(), Problem: in.Problem(),
		Data:        u.Program(),
		Certificate: func(c *benders.Cut) []float64 { return c.Certificate.Vector() },
		Recourse: func(ctx context.Context, y []float64, _ float64) ([]int32, []float64, error) {
			return in.shares(ctx, y)
		}}
	var demand outward.Sum
	for _, d := range in.Demand {
		demand.Add(d)
	}
	row := &s.Problem.Master.Rows[0]
	row.Lower = min(row.Lower, demand.Down())
	if start := u.fullStart(ctx, o.Benders); start != nil {
		s.Problem.Starts = [][]float64{start}
	}
	cheapest := make([]float64, in.Clients)
	for i := range cheapest {
		cheapest[i] = slices.Min(in.Row(i))
	}
	s.Lower = []benders.Cut{{Alpha: s.Problem.ThetaLower[0], Certificate: &Certificate{kind: benders.Optimality, lambda: cheapest}}}
	s.Separator, err = sep.New(in, nil)
	return s, err
}

// shares returns the recourse solution of a design: what share of client i facility j serves, at i*n+j.
func (in *Instance) shares(ctx context.Context, y []float64) (index []int32, value []float64, err error) {
	t := NewTransport(in)
	if _, _, err := t.Solve(ctx, y); err != nil {
		return nil, nil, err
	}
	p := len(t.site)
	for i := range in.Clients {
		for k, j := range t.site {
			if x := t.x[i*p+k]; x > 0 {
				index, value = append(index, int32(i*in.Facilities)+j), append(value, x)
			}
		}
	}
	return index, value, nil
}
