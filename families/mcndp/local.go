package mcndp

import (
	"context"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
)

// pricer prices designs by Recourse. It implements lagrange.Pricer.
type pricer struct {
	in        *Instance
	sets      *cutset.Separator // by which some designs are seen to have no recourse
	recourse  *recourseSolver
	certifier *certifier
	u         []float64 // the multipliers of the last design
	load      []float64 // the flow on each arc there
}

// newPricer returns the pricer of a valid instance.
func newPricer(in *Instance, sets *cutset.Separator) (*pricer, error) {
	// The recourse keeps its basis from one design to the next.
	r, err := newRecourse(in)
	return &pricer{
		in:        in,
		sets:      sets,
		recourse:  r,
		certifier: newCertifier(in),
		u:         make([]float64, in.size()),
		load:      make([]float64, in.arcs()),
	}, err
}

// Carries implements lagrange.Pricer.
func (p *pricer) Carries(y []float64) bool { return p.sets.MayBeFeasible(y) }

// Price implements lagrange.Pricer.
func (p *pricer) Price(ctx context.Context, y []float64) (float64, error) {
	q, feasible, err := p.recourse.Solve(ctx, y)

	// A design without a recourse costs infinitely much.
	if err != nil || !feasible {
		return math.Inf(1), err
	}
	return p.in.fixedCost(y) + q, nil
}

// Cut implements lagrange.Pricer: the cost of any design is at least the returned constant and its slopes, by the
// multipliers of the design that was priced last.
func (p *pricer) Cut(slope []float64) float64 {
	// The slope of an arc is its fixed cost less what opening it saves at most.
	p.recourse.Duals(p.u)
	p.certifier.straighten(p.u)
	for j, f := range p.in.Fixed {
		slope[j] = f - p.certifier.solve(benders.Optimality, p.u, j)
	}
	return p.certifier.Value(benders.Optimality, p.u, nil) // without arcs: the constant of the cut
}

// Trim implements lagrange.Pricer: it closes the arcs that carry nothing.
func (p *pricer) Trim(y []float64) (some bool) {
	p.recourse.merged.loads(p.load)
	for j, v := range y {
		// The tolerance is that of the linear program.
		if v == 1 && p.load[j] <= 1e-9 {
			y[j] = 0
			some = true
		}
	}
	return some
}
