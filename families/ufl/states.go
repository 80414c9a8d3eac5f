package ufl

import (
	"context"
	"math/rand/v2"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families"
)

// Sample is an instance with Benders states of it.
type Sample = families.Typed[*Instance]

// CollectStates makes the training data of one instance (paper, section 4.3.1): the points at which an
// exact run separated, and random designs around them. A proxy that is asked at designs only meets many more of
// those than an exact run, which ends after a few. The duals of the run are not used.
func CollectStates(ctx context.Context, in *Instance, o families.StatesOptions) (Sample, *benders.Result, error) {
	states, r, err := families.Record(o, func(b benders.Options) (*benders.Result, error) {
		so := DefaultSolveOptions()
		so.Benders = b
		return Solve(ctx, in, ExactSeparation(), so)
	})
	if err != nil {
		return Sample{}, nil, err
	}
	if r.Design != nil {
		states = append(states, randomDesigns(in, states, len(families.Open(r.Design)), o)...)
	}
	return Sample{In: in, States: states}, r, nil
}

// randomDesigns draws designs of up to twice the size of the optimum: four of five facilities by the mass
// that the recorded points put on them, the others uniformly.
func randomDesigns(in *Instance, recorded []benders.State, size int, o families.StatesOptions) []benders.State {
	n := in.Facilities
	rng := rand.New(rand.NewPCG(o.Seed, 0x57a7e5))
	mass := make([]float64, n+1) // cumulated
	for j := range n {
		mass[j+1] = mass[j]
		for _, s := range recorded {
			mass[j+1] += s.Y[j]
		}
	}
	out := make([]benders.State, o.Designs)
	for k := range out {
		y := make([]float64, n)
		for range 1 + rng.IntN(2*size) {
			if rng.IntN(5) == 0 {
				y[rng.IntN(n)] = 1
			} else {
				y[min(n-1, above(mass[1:], rng.Float64()*mass[n]))] = 1
			}
		}
		out[k] = benders.State{Y: y, Integer: true}
	}
	return out
}
