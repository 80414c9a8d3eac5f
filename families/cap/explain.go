package cap

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/outward"
)

// Explain implements families.Explainer: facilities with their loads, and which shares of a client's demand they serve.
func (in *Instance) Explain(ctx context.Context, y []float64) (*families.Solution, error) {
	t := newTransport(in)
	_, feasible, err := t.Solve(ctx, y)
	if err != nil {
		return nil, err
	}
	if !feasible {
		return nil, fmt.Errorf("%s: %w: what is open cannot serve all demand", in.Name, families.ErrDesign)
	}
	n, m := in.Facilities, in.Clients
	x := make([]float64, n*m)
	t.Assignment(x)
	sites := &families.Sites{From: 1, Client: "client", Open: make([]bool, n), Fixed: in.Fixed, Capacity: in.Capacity,
		Demand: in.Demand, Unit: func(i, j int) float64 { return in.Cost[i*n+j] / max(in.Demand[i], tooSmall) }}
	sites.Name(in.Labels)
	var first, recourse outward.Sum
	for j, v := range y {
		sites.Open[j] = v > 0.5
		first.Add(in.Fixed[j] * v)
	}
	var links []families.Link
	for i, d := range in.Demand {
		for j, c := range in.Row(i) {
			v := x[i*n+j]
			recourse.Add(c * v)
			if v > families.Negligible {
				links = append(links, families.Link{Client: i, Facility: j, Share: v, Amount: d * v, Cost: c * v})
			}
		}
	}
	s := &families.Solution{First: first.Value(), Recourse: recourse.Value(), From: 1, Violation: in.violation(y, x)}
	s.Tables = sites.Tables(links)
	s.Values = families.AssignmentValues(y, x)
	s.Drawing = sites.Drawing(in.Label().Title, m, links)
	return s, nil
}

// OpenID implements families.Numbered.
func (in *Instance) OpenID(j int) any { return families.FacilityID(in.Labels, j) }

// violation returns the largest by which a point leaves a bound or a row of the strong formulation.
func (in *Instance) violation(y, x []float64) float64 {
	n, worst := in.Facilities, families.AssignmentViolation(y, x)
	for j, s := range in.Capacity {
		load, term := 0.0, s*y[j]
		for i, d := range in.Demand {
			load += d * x[i*n+j]
			term = max(term, d*x[i*n+j])
		}
		worst = max(worst, families.Excess(load, 0, s*y[j], term))
	}
	return worst
}
