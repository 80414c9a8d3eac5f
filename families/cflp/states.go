package cflp

import (
	"context"
	"math/rand/v2"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families"
)

// Sample is an instance with Benders states of it.
type Sample = families.Typed[*Instance]

// CollectStates makes the training data of one instance (paper, section 4.3.1): the points with a feasible recourse at
// which an exact run separated, and random feasible designs around them. The duals of the run are not used.
func CollectStates(ctx context.Context, in *Instance, o families.StatesOptions) (Sample, *benders.Result, error) {
	recorded, r, err := families.Record(o, func(b benders.Options) (*benders.Result, error) {
		so := DefaultSolveOptions()
		b.InOut = so.Benders.InOut
		so.Benders = b
		return Solve(ctx, in, ExactSeparation(), so)
	})
	if err != nil {
		return Sample{}, nil, err
	}
	var states []benders.State
	for _, s := range recorded {
		if in.Feasible(s.Y) {
			states = append(states, s)
		}
	}
	if len(states) > 0 {
		states = append(states, randomDesigns(in, states, o)...)
	}
	return Sample{In: in, States: states}, r, nil
}

// randomDesigns rounds recorded points at random and opens facilities until the capacity suffices.
func randomDesigns(in *Instance, recorded []benders.State, o families.StatesOptions) []benders.State {
	rng := rand.New(rand.NewPCG(o.Seed, 0x57a7e5))
	s := NewLocalSearch(in)
	out := make([]benders.State, 0, o.Designs)
	for range o.Designs {
		from := recorded[rng.IntN(len(recorded))].Y
		y := make([]float64, len(from))
		for j, v := range from {
			if y[j] = 0.5 * rng.Float64(); rng.Float64() < 0.8*v+0.05 {
				y[j] = 1
			}
		}
		if open := s.Round(y); open != nil {
			out = append(out, benders.State{Y: in.Design(open), Integer: true})
		}
	}
	return out
}
