package mcndp

import (
	"context"
	"math/rand/v2"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families"
)

// Sample is an instance with Benders states of it.
type Sample = families.Typed[*Instance]

// CollectStates makes the training data of one instance (paper, section 4.3.1): the points at which an exact run without
// heuristics separated, and random designs around them. Every state says whether there is a recourse at it. The duals of the
// run are not used.
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
	s := Sample{In: in, States: recorded}
	recourse, err := NewRecourse(in)
	if err != nil {
		return Sample{}, nil, err
	}
	rng := rand.New(rand.NewPCG(o.Seed, drawStream+2))
	for range o.Designs {
		y := randomDesign(rng, in, recorded)
		feasible := in.carries(y)
		if feasible {
			if _, feasible, err = recourse.Solve(ctx, y); err != nil {
				return Sample{}, nil, err
			}
		}
		s.States = append(s.States, benders.State{Y: y, Integer: true, Infeasible: !feasible})
	}
	return s, r, nil
}

// randomDesign rounds a recorded point at random, or a random one where there is none, and opens some arcs besides.
func randomDesign(rng *rand.Rand, in *Instance, recorded []benders.State) []float64 {
	y := make([]float64, in.Arcs())
	share := rng.Float64()
	extra := 0.3 * rng.Float64() * rng.Float64()
	for j := range y {
		v := share
		if len(recorded) > 0 {
			v = recorded[rng.IntN(len(recorded))].Y[j]
		}
		if rng.Float64() < v || rng.Float64() < extra {
			y[j] = 1
		}
	}
	return y
}
