package ufl

import (
	"context"
	"sort"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families/instance"
)

// drawStates draws designs of up to twice the size of the optimum: four of five facilities by
// the mass that the recorded points put on them, the others uniformly.
func (in *Instance) drawStates(_ context.Context, o proxy.StatesOptions, recorded []benders.State,
	solved *benders.Result) ([]benders.State, error) {
	if solved.Design == nil {
		return recorded, nil
	}

	// mass[j] is the mass of the facilities before j, over all recorded points.
	n := in.Facilities
	mass := make([]float64, n+1)
	for j := range n {
		mass[j+1] = mass[j]
		for _, s := range recorded {
			mass[j+1] += s.Y[j]
		}
	}

	// A design opens up to twice as many facilities as the optimum, the same one perhaps more than once.
	rng := o.Rand()
	size := len(instance.Open(solved.Design))
	return proxy.AddDesigns(recorded, o.Designs, func(int) []float64 {
		y := make([]float64, n)
		for range 1 + rng.IntN(2*size) {
			if rng.IntN(5) == 0 {
				y[rng.IntN(n)] = 1
			} else {
				at := rng.Float64() * mass[n]
				y[min(n-1, sort.Search(n, func(j int) bool { return mass[j+1] > at }))] = 1
			}
		}
		return y
	}), nil
}
