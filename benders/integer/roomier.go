package integer

import (
	"context"
	"math"
	"slices"
)

// The point of the linear relaxation has just the capacity that the fractions of the recourse need. Whole units do not
// fit into it, so that the designs near to it cost many times as much, or have no recourse. On sslpv-40-50-200 the only
// design that the relaxation priced has all servers open and costs 731.7, where the relaxation is -557.4.

// What is tried at a point of the relaxation, in this order. These were not tuned.
var (
	// roundings are the fractions up to which an integer column is rounded down.
	roundings = []float64{0, 0.25, 0.5}
	// roomierShares are the shares of the way from the point to the upper bounds of its continuous columns.
	roomierShares = []float64{0, 1. / 64, 1. / 32, 1. / 16, 1. / 8}
)

// roomier prices designs near to a point of the relaxation that have some more room, where the best design leaves more
// than relaxedGap of its cost open. Each one is polished: the first stage gives back what no scenario uses.
func (t *tree) roomier(ctx context.Context, y []float64) error {
	if t.design != nil && t.cost-t.bound() <= relaxedGap*math.Abs(t.cost) {
		return nil
	}

	// Fewer units are opened from one rounding to the next, with more and more room in each of them.
	for _, down := range roundings {
		improved := false
		for _, share := range roomierShares {
			before := t.cost
			if err := t.try(ctx, t.withRoom(y, down, share)); err != nil {
				return err
			}

			// Once there is enough room, more of it only costs more.
			better := t.cost < before
			if improved && !better {
				break
			}
			improved = improved || better
		}
	}
	return nil
}

// withRoom returns the point with continuous columns a share of the way to their upper bounds, where they have any, and
// integer columns rounded up, or down if their fraction is at most down.
func (t *tree) withRoom(y []float64, down, share float64) []float64 {
	out := slices.Clone(y)
	for j, c := range t.p.master.Cols {
		if c.Integer {
			out[j] = math.Ceil(out[j] - down - 1e-9)
		} else if !math.IsInf(c.Upper, 0) {
			out[j] += share * (c.Upper - out[j])
		}
	}
	return out
}
