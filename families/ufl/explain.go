package ufl

import (
	"context"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/outward"
)

// Explain implements families.Explainer: a client goes to the nearest open facility, of several the first.
func (in *Instance) Explain(_ context.Context, y []float64) (*families.Solution, error) {
	open := families.Open(y)
	if len(open) == 0 {
		return nil, fmt.Errorf("%s: %w: nothing is open", in.Name, families.ErrDesign)
	}
	n, m := in.Facilities, in.Clients
	sites := &families.Sites{From: 1, Client: "client", Open: make([]bool, n), Fixed: in.Fixed,
		Unit: func(i, j int) float64 { return in.Cost[i*n+j] }}
	sites.Name(in.Labels)
	var first, recourse outward.Sum
	for j, v := range y {
		sites.Open[j] = v > 0.5
		first.Add(in.Fixed[j] * v)
	}
	x, links := make([]float64, n*m), make([]families.Link, 0, m)
	for i := range m {
		best, at := math.Inf(1), 0
		for _, j := range open {
			if c := in.Row(i)[j]; c < best {
				best, at = c, int(j)
			}
		}
		recourse.Add(best)
		x[i*n+at] = 1
		links = append(links, families.Link{Client: i, Facility: at, Share: 1, Amount: 1, Cost: best})
	}
	return &families.Solution{First: first.Value(), Recourse: recourse.Value(), From: 1,
		Violation: families.AssignmentViolation(y, x), Tables: sites.Tables(links), Values: families.AssignmentValues(y, x),
		Drawing: sites.Drawing(in.Label().Title, m, links)}, nil
}

// OpenID implements families.Numbered.
func (in *Instance) OpenID(j int) any { return families.FacilityID(in.Labels, j) }
