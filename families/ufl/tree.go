package ufl

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/families/instance"
)

// branchAndBound proves a design optimal, or improves it, by lagrange.Tree as a run without a master. pi are the first
// duals.
func branchAndBound(ctx context.Context, in *Instance, start []int32, pi []float64,
	o benders.Options) (*benders.Result, error) {
	s := &incumbent{in: in, search: newLocalSearch(in), best: pricedDesign{Cost: math.Inf(1)}}
	s.offer(start)
	out, why, err := decompose.SearchTree(ctx, o, func(ctx context.Context, gap float64) (*lagrange.Tree, error) {
		// The relaxation is only after designs that are better by more than the gap.
		const steps = 600 // at the root
		l, v := relax(in, pi, s.best.Cost*(1-gap))
		v.Improve(ctx, l, steps)
		l.Compact(-1)
		return &lagrange.Tree{
			Relaxation: l,
			Search:     s,
			Rule:       lagrange.Largest{},
			Root:       v,
			Bound:      v.Bound,
			Accuracy:   costAccuracy,
		}, nil
	})
	if err != nil {
		return nil, err
	}

	out.Design = in.Design(s.best.Open)
	out.Settle(why, o.Gap)
	return out, nil
}

// incumbent is the best design found and the local search that improves it. It implements lagrange.Search.
type incumbent struct {
	in     *Instance
	search *localSearch
	best   pricedDesign
}

// Cost implements lagrange.Search.
func (s *incumbent) Cost() float64 { return s.best.Cost }

// Price implements lagrange.Search.
func (s *incumbent) Price(_ context.Context, design []float64) (float64, error) {
	return s.offer(instance.Open(design)), nil
}

// Round implements lagrange.Search: a descent from the facilities that are more than half open.
func (s *incumbent) Round(ctx context.Context, point []float64, _ int) error {
	if open := instance.Open(point); len(open) > 0 {
		s.search.Set(open)
		s.search.Descend(ctx)
		s.offer(s.search.open)
	}
	return nil
}

// offer takes a design, with facilities for all clients, as incumbent if it is the best, and returns its cost.
func (s *incumbent) offer(open []int32) float64 {
	open = s.in.repaired(open)
	cost := s.in.TotalCost(open)

	// The list is copied, since the search uses its memory again.
	if cost < s.best.Cost {
		s.best = pricedDesign{slices.Clone(open), cost}
	}
	return cost
}
