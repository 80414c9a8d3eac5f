package twostage

import (
	"context"
	"errors"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/record"
)

// solvers keeps the exact separators of a run, which price its designs too, so that all its linear programs start warm.
type solvers struct {
	p    *Problem
	made [2]*Exact // with the epigraphs of the problem, and with one for the whole recourse; nil until it is needed
}

// exact returns the separator with the epigraphs of the problem, or with one for the whole recourse.
func (s *solvers) exact(aggregated bool) (e *Exact, err error) {
	p, k := s.p, 0
	if aggregated {
		p, k = p.Aggregated(), 1
	}

	// Pareto cuts took 0.54 of the nodes and 0.68 of the time on network design and location as MPS files.
	if s.made[k] == nil {
		o := DefaultExactOptions()
		o.Pareto = true
		s.made[k], err = NewExact(p, o)
	}
	return s.made[k], err
}

// Program returns the problem for one run of the pipeline: exact separation, record and method full for any model. A
// family replaces the hooks for which it has a better method.
func (p *Problem) Program() *decompose.Program {
	// The separators are made at their first use, and the record and the prices of designs share them.
	s := &solvers{p: p}

	return &decompose.Program{
		Model: decompose.Model{
			Name:        p.Name,
			Maximize:    p.Maximize,
			Master:      p.firstStage,
			Compact:     p.Compact.Clone,
			Feasibility: p.feasibilityProgram,
		},
		Recourse: decompose.Recourse{
			Problem: s.problem,
			Exact:   s.separator,
			Cost:    s.cost,
		},
		Proxy: decompose.ProxyRun{
			Instance: p,
		},
		Record: decompose.Recording{
			Data:    p.data,
			Subject: s.subject,
		},
	}
}

// feasibilityProgram is the program without costs.
func (p *Problem) feasibilityProgram() *decompose.Program { return p.withoutCosts().Program() }

// data is the problem as a record holds it.
func (p *Problem) data() any { return p.Record() }

// separator is exact as a separator.
func (s *solvers) separator(aggregated bool) (benders.Separator, error) { return s.exact(aggregated) }

// problem is the Benders problem.
func (s *solvers) problem(ctx context.Context, aggregated bool) (*benders.Problem, error) {
	e, err := s.exact(aggregated)
	if err != nil {
		return nil, err
	}
	return e.problem(ctx)
}

// cost is the two-stage cost of a design, as a minimisation, and false where the design has no recourse.
func (s *solvers) cost(ctx context.Context, y []float64) (float64, bool, error) {
	e, err := s.exact(false)
	if err != nil {
		return 0, false, err
	}
	q := make([]float64, s.p.Epigraphs())
	feasible, err := e.Recourse(ctx, y, q)
	if err != nil || !feasible {
		return 0, false, err
	}

	// The cost of the first stage, offset included, and those of the epigraphs.
	cost := s.p.master.Evaluate(y)
	for _, v := range q {
		cost += v
	}
	return cost, true, nil
}

// subject returns what a recorded run needs, as a minimisation.
func (s *solvers) subject(ctx context.Context, aggregated bool) (*prove.Subject, error) {
	e, err := s.exact(aggregated)
	if err != nil {
		return nil, err
	}

	p := e.p
	out := &prove.Subject{
		Data:     p.Record(),
		Recourse: e.solution,
		Provable: p.provable,
		Certify: func(c *benders.Cut, to *record.Cut) {
			to.Certificate, to.Exact = p.Multipliers(c)
			to.Slopes = p.slopes(c)
		},
	}

	// Without a bound on the relaxation no optimality cut can be proven, but feasibility and its absence can.
	out.Problem, err = e.problem(ctx)
	if errors.Is(err, ErrUnbounded) {
		return out, p.proveFeasibility(ctx, out)
	}
	if err != nil {
		return nil, err
	}

	// The lower bounds of the epigraphs stand in the record too, where they can be proven.
	for g := range p.groups {
		low, err := e.lowest(ctx, g)
		if err != nil {
			return nil, err
		}
		if !p.provable(&low) {
			low = benders.Cut{Theta: g, Alpha: math.Inf(-1)}
		}
		out.Lower = append(out.Lower, low)
	}
	return out, nil
}

// proveFeasibility makes s the subject of a problem whose relaxation is unbounded: its designs are separated without
// costs, and only feasibility cuts may stand in its record.
func (p *Problem) proveFeasibility(ctx context.Context, s *prove.Subject) error {
	e, err := NewExact(p.withoutCosts(), DefaultExactOptions())
	if err != nil {
		return err
	}
	s.Unbounded, s.Separator, s.Recourse = true, e, e.solution
	s.Provable = func(c *benders.Cut) bool { return c.Kind == benders.Feasibility && p.provable(c) }

	// No epigraph has a lower bound.
	for g := range p.groups {
		s.Lower = append(s.Lower, benders.Cut{Theta: g, Alpha: math.Inf(-1)})
	}
	s.Problem, err = e.problem(ctx)
	return err
}
