package general

import (
	"context"
	"errors"
	"math"

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
	data := p.Record()
	s := &prove.Subject{Family: u.Family(), Name: u.Name(), Hash: data.Hash(), Data: data, Negated: p.Maximize, Provable: p.Provable,
		Certificate: func(c *benders.Cut) []float64 { lambda, _ := p.Multipliers(c); return lambda },
		Fractions:   func(c *benders.Cut) []string { _, fractions := p.Multipliers(c); return fractions }}
	exact, err := twostage.NewExact(p, twostage.DefaultExactOptions())
	if err != nil {
		return nil, err
	}
	s.Problem, err = exact.Benders(ctx)
	if errors.Is(err, twostage.ErrUnbounded) {
		return s, u.withoutCosts(ctx, s, p)
	}
	if err != nil {
		return nil, err
	}
	s.Recourse = exact.Solution
	for g := range s.Problem.Epigraphs {
		low, err := exact.Lowest(ctx, g)
		if err != nil {
			return nil, err
		}
		s.Lower = append(s.Lower, low)
	}
	s.Separator, err = u.separator(o, exact)
	return s, err
}

// withoutCosts makes the subject of a problem whose relaxation is unbounded: only feasibility cuts may stand in its record.
func (u instance) withoutCosts(ctx context.Context, s *prove.Subject, p *twostage.Problem) error {
	exact, err := twostage.NewExact(p.Feasibility(), twostage.DefaultExactOptions())
	if err != nil {
		return err
	}
	s.Unbounded, s.Separator, s.Recourse = true, exact, exact.Solution
	s.Provable = func(c *benders.Cut) bool { return c.Kind == benders.Feasibility && p.Provable(c) }
	for g := range p.Epigraphs() {
		s.Lower = append(s.Lower, benders.Cut{Theta: g, Alpha: math.Inf(-1)})
	}
	s.Problem, err = exact.Benders(ctx)
	return err
}
