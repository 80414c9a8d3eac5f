package cap

import (
	"context"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/benders/proxy"
)

// drawStates keeps the points with a feasible recourse; a random design is one of them,
// rounded at random, with facilities opened until the capacity suffices.
func (in *Instance) drawStates(ctx context.Context, o proxy.StatesOptions, recorded []benders.State,
	_ *benders.Result) ([]benders.State, error) {
	// A transportation problem that is interrupted counts as infeasible; the caller looks at the context.
	feasible := func(y []float64) bool {
		ok, err := in.hasRecourse(ctx, y)
		return ok && err == nil
	}
	from := slices.DeleteFunc(slices.Clone(recorded), func(s benders.State) bool { return !feasible(s.Y) })
	if len(from) == 0 {
		return nil, nil
	}

	// A facility opens with a probability that grows with its mass. The random values of the others are the order in which
	// rounding opens them until the capacity suffices.
	rng := o.Rand()
	return proxy.AddDesigns(from, o.Designs, func(int) []float64 {
		around := from[rng.IntN(len(from))].Y
		y := make([]float64, len(around))
		for j, v := range around {
			if y[j] = 0.5 * rng.Float64(); rng.Float64() < 0.8*v+0.05 {
				y[j] = 1
			}
		}
		return lagrange.Rounded(y, feasible)
	}), nil
}
