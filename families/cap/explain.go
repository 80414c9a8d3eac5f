package cap

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/tables"
)

// Explain implements families.Explainer: facilities with their loads, and the shares of each client's demand that they
// serve.
func (in *Instance) Explain(ctx context.Context, y []float64) (*families.Solution, error) {
	t := newTransport(in)
	_, feasible, err := t.Solve(ctx, y)
	if err != nil {
		return nil, err
	}
	if !feasible {
		return nil, fmt.Errorf("%s: %w: what is open cannot serve all demand", in.Name, families.ErrDesign)
	}

	// The shares of all clients, also of those without demand.
	n := in.Facilities
	x := make([]float64, len(in.Cost))
	t.Assignment(x)

	// Tables have the cost of a unit of demand; a client without demand costs nothing.
	sites := in.Sites(func(i, j int) float64 { return in.Cost[i*n+j] / max(in.Demand[i], tooSmall) })
	s := sites.Solution(in.Label().Title, y, x, in.Cost)
	s.Violation = in.violation(s.Violation, y, x)
	return s, nil
}

// violation returns the largest violation of a capacity row at a point, at least worst.
func (in *Instance) violation(worst float64, y, x []float64) float64 {
	n := in.Facilities
	for j, s := range in.Capacity {
		// The tolerance of a row is relative to its largest term.
		load := 0.0
		term := s * y[j]
		for i, d := range in.Demand {
			load += d * x[i*n+j]
			term = max(term, d*x[i*n+j])
		}
		worst = max(worst, tables.Excess(load, 0, s*y[j], term))
	}
	return worst
}
