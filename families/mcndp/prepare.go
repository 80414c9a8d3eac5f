package mcndp

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/lagrange"
)

// prepared is what is known of an instance before the master or the tree starts.
type prepared struct {
	Bound  float64         // proven lower bound on every design that costs at most the limit
	Fixing lagrange.Fixing // the arcs that are open or closed in every such design

	l      *lagrangian
	volume *lagrange.Volume      // of l, which the tree goes on from
	search *lagrange.LocalSearch // has the best design
	pricer *pricer
	cores  [][]float64 // multipliers, each of a first cut of the master
}

// prepare descends from the design that opens all arcs, and then is lagrange.Preparation with cut-set rows on the way.
// Where it is cancelled it returns what it has.
func prepare(ctx context.Context, in *Instance, sets *cutset.Separator, start decompose.StartOptions,
	o lagrange.Options) (*prepared, error) {
	pricer, err := newPricer(in, sets)
	if err != nil {
		return nil, err
	}
	l := newLagrangian(in, sets)
	p := &prepared{
		l:      l,
		volume: l.volume(),
		search: lagrange.NewLocalSearch(in.arcs(), pricer, nil),
		pricer: pricer,
	}

	// No bound is known yet.
	p.search.Report = func() { start.Report(p.search.Cost(), math.Inf(-1), false) }

	// The descent closes arcs as long as that is cheaper; where the time is over it leaves what it has.
	all := slices.Repeat([]float64{1}, in.arcs())
	if _, err := p.search.Descend(ctx, all, o.Budget); err != nil && ctx.Err() == nil {
		return nil, err
	}

	run := lagrange.Preparation{
		Relaxation: l,
		Volume:     p.volume,
		Search:     p.search,
		Accuracy:   costAccuracy,
		Gap:        start.Gap,
		Options:    o,
		Refine: func() error {
			l.separate(ctx, p.volume)
			return nil
		},
		Report: func(cost, bound float64) { start.Report(cost, bound, false) },
	}
	err = run.Run(ctx)
	p.Bound = run.Bound
	p.Fixing = l.Fixing()
	p.cores = run.Cores
	return p, err
}
