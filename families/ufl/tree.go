package ufl

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/families"
)

// TreeOptions steer BranchAndBound. Start from DefaultTreeOptions.
type TreeOptions struct {
	Gap      float64 // relative gap at which a design counts as optimal
	MaxNodes int

	// Progress, if not nil, is told of the tree now and then.
	Progress func(TreeProgress)
}

// TreeProgress is what is known of a running tree. Bound is that of the root.
type TreeProgress struct {
	Nodes, Depth     int
	Incumbent, Bound float64
}

// DefaultTreeOptions returns the defaults.
func DefaultTreeOptions() TreeOptions { return TreeOptions{Gap: 1e-6, MaxNodes: math.MaxInt} }

// Validate reports options that cannot be used.
func (o TreeOptions) Validate() error {
	if !(o.Gap >= 0 && o.Gap < 1) || o.MaxNodes < 0 {
		return fmt.Errorf("ufl: %w: %+v", families.ErrOptions, o)
	}
	return nil
}

// TreeResult is what BranchAndBound found. Bound is a proven lower bound on the cost of every design; Complete says
// that the tree was searched to the end, so that Design is optimal within the gap.
type TreeResult struct {
	Design   Design
	Bound    float64
	Nodes    int
	Complete bool
}

// BranchAndBound proves a design optimal, or improves it, by lagrange.Tree. start must be a design of the instance, and
// pi duals to begin with, as Dual returns.
func BranchAndBound(ctx context.Context, in *Instance, start Design, pi []float64, o TreeOptions) (TreeResult, error) {
	if err := o.Validate(); err != nil {
		return TreeResult{}, err
	}
	if len(start.Open) == 0 {
		return TreeResult{}, fmt.Errorf("ufl: %w: a start without facilities", families.ErrOptions)
	}
	s := &incumbent{in: in, search: newLocalSearch(in), best: Design{Cost: math.Inf(1)}}
	s.offer(start.Open)
	l, v, err := relax(in, pi, s.best.Cost*(1-o.Gap))
	if err != nil {
		return TreeResult{}, err
	}
	const rootSteps, probeSteps = 600, 60
	v.Improve(ctx, l, rootSteps)
	lagrange.Probe(ctx, l, v, probeSteps)
	l.Compact(-1)
	t := lagrange.Tree{Relaxation: l, Search: s, Rule: lagrange.Largest{}, Root: v, Bound: v.Bound, Gap: o.Gap,
		Accuracy: costAccuracy, MaxNodes: o.MaxNodes}
	if o.Progress != nil {
		t.Report = func(nodes, depth int) {
			if nodes%16 == 0 {
				o.Progress(TreeProgress{Nodes: nodes, Depth: depth, Incumbent: s.best.Cost, Bound: v.Bound})
			}
		}
	}
	found, err := t.Solve(ctx)
	slices.Sort(s.best.Open)
	return TreeResult{Design: s.best, Bound: found.Bound, Nodes: found.Nodes, Complete: found.Complete}, err
}

// incumbent is the best design that a local search knows. It implements lagrange.Search.
type incumbent struct {
	in     *Instance
	search *localSearch
	best   Design
}

// Cost implements lagrange.Search.
func (s *incumbent) Cost() float64 { return s.best.Cost }

// Price implements lagrange.Search.
func (s *incumbent) Price(_ context.Context, design []float64) (float64, error) {
	return s.offer(families.Open(design)), nil
}

// Round implements lagrange.Search: a descent from the facilities that are more than half open.
func (s *incumbent) Round(ctx context.Context, point []float64, _ int) error {
	if open := families.Open(point); len(open) > 0 {
		s.search.Set(open)
		s.search.Descend(ctx)
		s.offer(s.search.open)
	}
	return nil
}

// offer takes a design as incumbent if it is the best, and returns its cost.
func (s *incumbent) offer(open []int32) float64 {
	cost := s.in.TotalCost(open)
	if cost < s.best.Cost {
		s.best = Design{slices.Clone(open), cost}
	}
	return cost
}
