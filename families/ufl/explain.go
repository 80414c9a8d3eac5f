package ufl

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
)

// Explain implements families.Explainer: a client goes to the nearest open facility, of several the first.
func (in *Instance) Explain(_ context.Context, y []float64) (*families.Solution, error) {
	open := instance.Open(y)
	if len(open) == 0 {
		return nil, fmt.Errorf("%s: %w: nothing is open", in.Name, families.ErrDesign)
	}

	// MinFunc returns the first of equal facilities.
	n := in.Facilities
	x := make([]float64, len(in.Cost))
	for i := range in.Clients {
		at := in.nearestOpen(i, open)
		if at < 0 {
			return nil, fmt.Errorf("%s: %w: nothing is open that may serve client %s", in.Name, families.ErrDesign,
				in.ClientName(i))
		}
		x[i*n+at] = 1
	}

	// The cost of a client is that of its whole demand.
	whole := func(i, j int) float64 { return in.Cost[i*n+j] }
	return in.Sites(whole).Solution(in.Label().Title, y, x, in.Cost), nil
}
