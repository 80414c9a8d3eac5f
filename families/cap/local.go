package cap

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/internal/outward"
)

// pricer prices designs by transportProblem. It implements lagrange.Pricer.
type pricer struct {
	in        *Instance
	transport *transportProblem
	certifier *certifier
	core      []float64 // multipliers near which cuts are made, nil for none
	lambda    []float64 // the multipliers of the last cut
}

// newSearch returns the local search of a valid instance, and its pricer.
func newSearch(in *Instance) (*lagrange.LocalSearch, *pricer) {
	p := &pricer{
		in:        in,
		transport: newTransport(in),
		certifier: newCertifier(in),
		lambda:    make([]float64, in.Clients),
	}

	// The rows of the master, as cuts: 0 >= need - weight'y.
	var rows []benders.Cut
	for _, r := range in.coverRows() {
		row := benders.Cut{Kind: benders.Feasibility, Alpha: r.need}
		for j, w := range r.weight {
			row.Index = append(row.Index, int32(j))
			row.Beta = append(row.Beta, -w)
		}
		rows = append(rows, row)
	}
	if in.Forbidden == nil {
		return lagrange.NewLocalSearch(in.Facilities, p, rows), p
	}

	// One of the facilities is open that may serve a client.
	for _, r := range in.Reaches() {
		rows = append(rows, benders.Cut{
			Kind:  benders.Feasibility,
			Alpha: 1,
			Index: r.Facilities,
			Beta:  slices.Repeat([]float64{-1}, len(r.Facilities)),
		})
	}
	return lagrange.NewLocalSearch(in.Facilities, &restrictedPricer{pricer: p}, rows), p
}

// Carries implements lagrange.Pricer.
func (p *pricer) Carries(y []float64) bool { return p.in.feasible(y) }

// Price implements lagrange.Pricer.
func (p *pricer) Price(ctx context.Context, y []float64) (float64, error) {
	q, feasible, err := p.transport.Solve(ctx, y)

	// A design without a recourse costs infinitely much.
	if err != nil || !feasible {
		return math.Inf(1), err
	}

	return p.total(y, q), nil
}

// total is what a design costs, with the cost of its recourse, in doubled precision: designs are compared whose costs
// differ by little.
func (p *pricer) total(y []float64, recourse float64) float64 {
	var total outward.Sum
	for _, j := range instance.Open(y) {
		total.Add(p.in.Fixed[j])
	}
	total.Add(recourse)
	return total.Value()
}

// Cut implements lagrange.Pricer.
func (p *pricer) Cut(slope []float64) float64 {
	// The slope of a facility is its fixed cost less what opening it saves at most.
	p.transport.Duals(p.lambda, p.core)
	for j, f := range p.in.Fixed {
		slope[j] = f - p.certifier.solve(benders.Optimality, p.lambda, j)
	}
	return outward.Total(p.lambda)
}

// Trim implements lagrange.Pricer. Facilities that serve no client are left to the closing moves of the search.
func (p *pricer) Trim([]float64) bool { return false }
