package cflp

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families"
)

// Sample is an instance with Benders states of it.
type Sample struct {
	In     *Instance
	States []benders.State
}

// StatesOptions steer CollectStates. Start from DefaultStatesOptions.
type StatesOptions struct {
	Recorded int // most states to keep of the exact run
	Designs  int // random designs to add
	Seed     uint64
	Solve    SolveOptions // of the exact run
}

// DefaultStatesOptions returns the defaults: the exact run without a heuristic, so that it meets the poor points of a
// young master too.
func DefaultStatesOptions() StatesOptions {
	o := StatesOptions{Recorded: 300, Designs: 200, Seed: 1, Solve: DefaultSolveOptions()}
	o.Solve.Benders.Heuristic = false
	return o
}

// CollectStates makes the training data of one instance (paper, section 4.3.1): the points with a feasible recourse at
// which an exact run separated, and random feasible designs around them. The duals of the run are not used.
func CollectStates(ctx context.Context, in *Instance, o StatesOptions) (Sample, *benders.Result, error) {
	if o.Recorded < 1 || o.Designs < 0 {
		return Sample{}, nil, fmt.Errorf("cflp: %w: %d recorded states, %d designs", families.ErrOptions, o.Recorded, o.Designs)
	}
	log := &benders.StateLog{Max: o.Recorded}
	o.Solve.Benders.Recorder = log
	r, err := Solve(ctx, in, ExactSeparation(), o.Solve)
	if err != nil {
		return Sample{}, nil, err
	}
	var states []benders.State
	for _, s := range log.States {
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
func randomDesigns(in *Instance, recorded []benders.State, o StatesOptions) []benders.State {
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
