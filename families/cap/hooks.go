package cap

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/lp"
)

// program is an instance with what a run has computed of it.
type program struct {
	in     *Instance
	dual   lagrange.Options // of the preparation
	lambda []float64        // multipliers of the Lagrangian bound, nil without one
	cores  [][]float64      // on the way to them
}

// inOutWeight is the paper's weight of in-out separation.
const inOutWeight = 0.5

// Program implements families.Instance. A Lagrangian bound and a local search give a run its design, its fixing and the
// first cuts of its master; facilities that are fixed closed leave the instance. There is one epigraph.
func (in *Instance) Program() (*decompose.Program, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	return newProgram(in).hooks(), nil
}

// newProgram returns the program of a run that begins.
func newProgram(in *Instance) *program {
	return &program{in: in, dual: lagrange.Options{Steps: 600, Every: 40, Budget: 60, Kicks: 12, Probe: 50}}
}

// hooks declares what a run needs of the instance, in five parts.
func (p *program) hooks() *decompose.Program {
	in := p.in
	return &decompose.Program{
		Model: decompose.Model{
			Name:       in.Name,
			ColumnNoun: "facilities",
			Master:     in.Master,
			Compact:    in.compact,
			Paper:      p.paper,
		},
		Recourse: decompose.Recourse{Problem: p.problem, Exact: in.exact, SingleEpigraph: true},
		Preparation: decompose.Preparation{
			Start:    p.prepare,
			Reduce:   p.reduce,
			InOut:    inOutWeight,
			ForFull:  true,
			FirstCut: true,
		},
		Proxy:  decompose.ProxyRun{Instance: in, Draw: in.drawStates},
		Record: decompose.Recording{Data: in.data, Subject: in.subject},
	}
}

// paper is the paper's run: the classical loop with in-out separation over a master with the capacity row alone, which
// keeps all cuts. No design is priced in a proxy run.
func (p *program) paper(s decompose.Scheme) *decompose.Faithful {
	if s != decompose.Paper {
		return nil
	}
	own := (&program{in: p.in}).hooks()

	// Without demand the capacity row does not open anything, so that the other row is needed.
	rows := 1
	if p.in.TotalDemand() == 0 {
		rows = 2
	}
	master := func() *lp.Model { return p.in.master(rows) }
	own.Model.Master = master
	own.Recourse.Exact = func(bool) (benders.Separator, error) { return newPlainExact(p.in), nil }
	own.Recourse.Problem = func(context.Context, bool) (*benders.Problem, error) {
		b := p.in.problem()
		b.Master = master()
		b.Improve = nil
		return b, nil
	}
	return &decompose.Faithful{Program: own, Scheme: decompose.Outer, Set: func(m decompose.Method, o *benders.Options) {
		o.InOut.Weight = inOutWeight
		o.AgeLimit = 0
		o.TrueCost = m != decompose.Proxy
	}}
}

// exact is the exact separator.
func (in *Instance) exact(bool) (benders.Separator, error) { return newExact(in), nil }

// tightest is the gap to which the preparation tries to prove its design, whatever the run asks for.
const tightest = 1e-6

// prepare runs the Lagrangian bound with its local searches.
func (p *program) prepare(ctx context.Context, o decompose.StartOptions) (decompose.Start, error) {
	// An instance that no design serves is for the master to prove infeasible.
	s := decompose.NoStart()
	if ok, err := p.in.hasRecourse(ctx, slices.Repeat([]float64{1}, p.in.Facilities)); err != nil || !ok {
		return s, err
	}

	l := newLagrangian(p.in)
	search, pricer := newSearch(p.in)
	pre := lagrange.Preparation{
		Relaxation: l,
		Volume:     l.volume(),
		Search:     search,
		Accuracy:   costAccuracy,
		Gap:        min(tightest, o.Gap),
		Options:    p.dual,
		Report:     func(cost, bound float64) { o.Report(cost, bound, false) },
	}

	// The search makes its cuts near the multipliers, which change in place.
	pricer.core = pre.Volume.Multipliers
	if err := pre.Run(ctx); err != nil {
		return s, err
	}
	p.lambda = pre.Volume.Multipliers
	p.cores = pre.Cores
	if search.Best.Y == nil {
		if !math.IsInf(pre.Bound, 1) {
			s.Bound = pre.Bound
		}
		return s, nil
	}
	return decompose.Start{
		Design: p.in.Design(instance.Open(search.Best.Y)),
		Cost:   search.Best.Cost,
		Bound:  pre.Bound,
		Fixing: l.Fixing(),
	}, nil
}

// problem is the Benders problem with the cuts of the Lagrangian bound, if there is one.
func (p *program) problem(context.Context, bool) (*benders.Problem, error) {
	b := p.in.problem()
	if p.lambda != nil {
		b.Improve = p.in.improver(p.lambda)
	}

	// The first cuts of the master are those of the multipliers on the way to the bound.
	c := newCertifier(p.in)
	for _, lambda := range p.cores {
		cut, err := c.Cut(benders.Optimality, lambda)
		if err != nil {
			return nil, err
		}
		b.Initial = append(b.Initial, cut)
	}
	return b, nil
}

// reduce leaves out the facilities that a fixing closes.
func (p *program) reduce(f lagrange.Fixing) (*decompose.Program, *lagrange.Reduction, error) {
	small, r, err := p.in.Without(f)
	if err != nil {
		return nil, nil, err
	}

	// The multipliers are one a client, so that they fit the smaller instance as well.
	return (&program{in: &Instance{small}, lambda: p.lambda, cores: p.cores}).hooks(), r, nil
}
