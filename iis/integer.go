package iis

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// answer says whether a mixed-integer program has a point.
type answer uint8

const (
	unknown answer = iota
	feasible
	infeasible
)

// integer finds a subsystem of a mixed-integer program whose relaxation is feasible.
func (f *filter) integer(ctx context.Context) (*Set, error) {
	m := f.given.Clone()
	switch ask, err := f.ask(ctx, m); {
	case err != nil:
		return nil, err
	case ask == feasible:
		return nil, fmt.Errorf("iis: %w", ErrFeasible)
	case ask == unknown:
		return nil, fmt.Errorf("iis: %w: the model was not shown to be infeasible", ErrUnknown)
	}

	// Groups of sides are left out together. A group whose rest is feasible is tried again in halves; a side alone is
	// needed then, and stays so, since the sides around it only become fewer.
	left := f.sides()
	needed := make(map[Side]bool)
	for size := (len(left) + 1) / 2; ; size = (size + 1) / 2 {
		for k := 0; k < len(left); {
			group := left[k:min(k+size, len(left))]
			if size == 1 && needed[group[0]] {
				k++
				continue
			}
			dropped, err := f.without(ctx, m, group)
			switch {
			case ctx.Err() != nil:
				return &Set{Sides: left, Solves: f.solves}, nil
			case err != nil:
				return nil, err
			case dropped:
				left = append(left[:k:k], left[k+len(group):]...)
			default:
				if size == 1 {
					needed[group[0]] = true
				}
				k += len(group)
			}
			f.progress(len(left), len(needed))
		}
		if size <= 1 {
			return &Set{Sides: left, Irreducible: !f.unsure, Solves: f.solves}, nil
		}
	}
}

// without leaves a group of sides out where the others are infeasible without it.
func (f *filter) without(ctx context.Context, m *lp.Model, group []Side) (dropped bool, err error) {
	for _, s := range group {
		*s.end(m) = s.none()
	}
	ask, err := f.ask(ctx, m)
	if err == nil && ask == infeasible {
		return true, nil
	}

	// A side alone that a limit leaves open is kept, and the set may not be irreducible.
	f.unsure = f.unsure || ask == unknown && len(group) == 1
	for _, s := range group {
		*s.end(m) = *s.end(f.given)
	}
	return false, err
}

// ask searches for a point.
func (f *filter) ask(ctx context.Context, m *lp.Model) (answer, error) {
	f.solves++
	o := bnb.DefaultOptions()
	o.MaxNodes = f.o.Nodes
	out, err := bnb.Solve(ctx, m, o, bnb.Hooks{})
	switch {
	case ctx.Err() != nil:
		return unknown, nil
	case err != nil:
		return unknown, nil // a numerical failure leaves it open
	case out.Status == lp.Infeasible:
		return infeasible, nil
	case out.X != nil || out.Status == lp.Unbounded:
		return feasible, nil
	}
	return unknown, nil
}
