package general

import (
	"context"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/families"
)

// Program returns the data of a record.
func (u instance) Program() any { return u.Problem.Record() }

// Subject returns the instance as a recorded run needs it, as a minimisation.
func (u instance) Subject(ctx context.Context, o families.SolveOptions) (*prove.Subject, error) {
	p := u.Problem
	if o.Method == families.Aggregated {
		p = p.Aggregated()
	}
	exact, err := twostage.NewExact(p, twostage.DefaultExactOptions())
	if err != nil {
		return nil, err
	}
	b, err := exact.Benders(ctx)
	if err != nil {
		return nil, err
	}
	data := p.Record()
	s := &prove.Subject{Family: u.Family(), Name: u.Name(), Hash: data.Hash(), Data: data, Problem: b, Negated: p.Maximize, Recourse: exact.Solution,
		Certificate: func(c *benders.Cut) []float64 { lambda, _ := p.Multipliers(c); return lambda },
		Fractions:   func(c *benders.Cut) []string { _, fractions := p.Multipliers(c); return fractions }}
	for g := range b.Epigraphs {
		low, err := exact.Lowest(ctx, g)
		if err != nil {
			return nil, err
		}
		s.Lower = append(s.Lower, low)
		b.ThetaLower[g] = low.Alpha
	}
	s.Separator, err = u.separator(o, exact)
	return s, err
}
