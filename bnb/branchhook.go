package bnb

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/lp"
)

// ErrBranch is wrapped by the errors about branchings that a hook returned: a column that is not an integer
// column of the model, sides that are NaN, a child that tightens nothing at its node.
var ErrBranch = errors.New("invalid branching")

// Bound restricts an integer column to [Lower, Upper]; infinite sides restrict nothing.
type Bound struct {
	Column       lp.Var
	Lower, Upper float64
}

// Branching is a disjunction: every point of the node that is better than the incumbent satisfies all bounds of at
// least one child. With no children the solver branches by itself.
type Branching struct{ Children [][]Bound }

// BranchOn returns the branching on one column: x <= floor(value) or x >= floor(value)+1.
func BranchOn(column lp.Var, value float64) Branching {
	f := math.Floor(value)
	return Branching{Children: [][]Bound{{{column, math.Inf(-1), f}}, {{column, f + 1, inf}}}}
}

// askBranch calls the branch hook at the node's LP point. It returns false if the hook returns no children.
func (s *search) askBranch(ctx context.Context, nd *node) (bool, error) {
	if s.hooks.Branch == nil {
		return false, nil
	}

	// The time of the hook counts as its own.
	back := s.clock.enter(PartBranch)
	b, err := s.hooks.Branch(ctx, s.candidate(s.point.x, s.point.objective, FromRelaxation))
	s.clock.leave(back)
	if err != nil {
		return false, s.limits.hookError(ctx, err)
	}
	if len(b.Children) == 0 {
		return false, nil
	}

	// The hook names no gain for a child: all have the bound and the estimate of the node.
	estimate := math.Max(nd.bound, s.point.objective+s.costs.others(&s.point, -1))
	children := make([]*node, 0, len(b.Children))
	for _, bounds := range b.Children {
		changes, err := s.readChild(bounds)
		if err != nil {
			return false, err
		}
		children = append(children, &node{bound: nd.bound, estimate: estimate, changes: changes, branch: branching{col: -1}})
	}
	s.adopt(nd, children, changed(children))

	s.plunge.prefer(firstQueued(children...))
	return true, nil
}

// readChild turns the bounds of a child into changes of the node's domain.
func (s *search) readChild(bounds []Bound) ([]change, error) {
	var out []change
	for _, b := range bounds {
		if b.Column < 0 || int(b.Column) >= s.p.n || !s.p.integer[b.Column] {
			return nil, fmt.Errorf("bnb: %w: column %d is no integer column", ErrBranch, b.Column)
		}
		if math.IsNaN(b.Lower) || math.IsNaN(b.Upper) {
			return nil, fmt.Errorf("bnb: %w: bounds [%g, %g] of column %s", ErrBranch, b.Lower, b.Upper, s.p.m.ColName(b.Column))
		}

		// Bounds of integer columns are rounded inward. Those that the node has already are no changes.
		j := int32(b.Column)
		lower, upper := math.Ceil(b.Lower-integralBoundTo), math.Floor(b.Upper+integralBoundTo)
		if lower > s.dom.lower[j] {
			out = append(out, change{j, false, lower})
		}
		if upper < s.dom.upper[j] {
			out = append(out, change{j, true, upper})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("bnb: %w: a child with the bounds of its node", ErrBranch)
	}
	return out, nil
}
