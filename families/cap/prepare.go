package cap

import (
	"context"

	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/families"
)

// prepared is what is known of an instance before the master starts.
type prepared struct {
	Design pricedDesign // the best design found
	Bound  float64      // proven lower bound on every design that costs at most Fixing.UB
	Lambda []float64    // the multipliers of the bound
	Fixing lagrange.Fixing

	cores  [][]float64
	primal []float64
}

// pricedDesign is a set of open facilities, ascending, and what it costs in all.
type pricedDesign struct {
	Open []int32
	Cost float64
}

// prepare is lagrange.Preparation. The instance must have a feasible design.
func prepare(ctx context.Context, in *Instance, gap float64, o lagrange.Options) (prepared, error) {
	l := newLagrangian(in)
	s, pricer := newSearch(in)
	p := lagrange.Preparation{Relaxation: l, Volume: l.volume(), Search: s, Accuracy: costAccuracy,
		Gap: gap, Options: o}
	pricer.core = p.Volume.Multipliers
	if err := p.Run(ctx); err != nil {
		return prepared{}, err
	}
	pre := prepared{Design: pricedDesign{families.Open(s.Best.Y), s.Best.Cost}, Bound: p.Bound,
		Lambda: p.Volume.Multipliers,
		Fixing: l.Fixing(), cores: p.Cores, primal: p.Volume.Average}
	return pre, nil
}
