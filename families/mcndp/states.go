package mcndp

import (
	"context"
	"math/rand/v2"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
)

// drawStates adds random designs to the recorded states. Every state says whether there is a recourse at it.
func (in *Instance) drawStates(ctx context.Context, o proxy.StatesOptions, recorded []benders.State,
	_ *benders.Result) ([]benders.State, error) {
	recourse, err := newRecourse(in)
	if err != nil {
		return nil, err
	}

	rng := rand.New(rand.NewPCG(o.Seed, drawStream+2))
	states := proxy.AddDesigns(recorded, o.Designs, func(int) []float64 { return randomDesign(rng, in, recorded) })

	// The linear program says whether a random design has a recourse.
	for k := len(recorded); k < len(states); k++ {
		s := &states[k]
		_, feasible, err := recourse.Solve(ctx, s.Y)
		if err != nil {
			return nil, err
		}
		s.Infeasible = !feasible
	}
	return states, nil
}

// randomDesign rounds a recorded point at random, or a random one where there is none, and opens some arcs besides.
func randomDesign(rng *rand.Rand, in *Instance, recorded []benders.State) []float64 {
	y := make([]float64, in.arcs())
	share := rng.Float64()
	extra := 0.3 * rng.Float64() * rng.Float64() // mostly small: few arcs more
	for j := range y {
		// Without recorded points all arcs have the same share.
		v := share
		if len(recorded) > 0 {
			v = recorded[rng.IntN(len(recorded))].Y[j]
		}

		// Each entry is of a recorded point of its own, so that designs between the recorded ones come up.
		if rng.Float64() < v || rng.Float64() < extra {
			y[j] = 1
		}
	}
	return y
}
