package integer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// pricedDesigns prices designs that a search comes to, and keeps the cheapest one.
type pricedDesigns struct {
	prices *pricer
	known  *float64  // cost of the cheapest design of the run, also of its other parts
	design []float64 // the cheapest one, nil for none
	cost   float64
	seen   map[string]bool
}

func newPricedDesigns(prices *pricer, known *float64) *pricedDesigns {
	return &pricedDesigns{prices: prices, known: known, cost: math.Inf(1), seen: make(map[string]bool)}
}

// outcome is the result of a search with the best design and a bound, which is not settled yet.
func (d *pricedDesigns) outcome(bound float64) *benders.Result {
	out := benders.Nothing(benders.Unfinished)
	out.Bound = min(d.cost, bound)
	if d.design != nil {
		out.Design = d.design
		out.Objective = d.cost
		out.Terminal = d.cost
	}
	out.Visited = len(d.seen)
	return out
}

// limitOf is why a search ended that had a part of the time of a context: its own reason, unless a limit came first.
func limitOf(ctx, limited context.Context, why benders.Reason) benders.Reason {
	switch {
	case ctx.Err() != nil:
		return benders.Cancelled
	case limited.Err() != nil:
		return benders.TimeOut
	}
	return why
}

// accept takes over a design that is better than the best one.
func (d *pricedDesigns) accept(y []float64, cost float64) {
	if cost < d.cost {
		d.design = slices.Clone(y)
		d.cost = cost
		*d.known = min(*d.known, cost)
	}
}

// try prices a design and keeps it if it is the best one. One that was priced before is not priced again.
func (d *pricedDesigns) try(ctx context.Context, y []float64) error {
	y = slices.Clone(y)
	for j, c := range d.prices.p.master.Cols {
		if c.Integer {
			y[j] = math.Round(y[j])
		}
	}
	err := d.prices.p.master.Check(y)
	if errors.Is(err, lp.ErrPoint) {
		return nil
	}
	if err != nil {
		return prefixed(err)
	}
	return d.tryDesign(ctx, y)
}

// What is done with designs. These were not tuned.
const (
	polishes    = 5    // how often a design is made cheaper with the recourse that was found for it
	polishShare = 0.02 // by how much, relative, a design may cost more than the best one to be polished
	copiesTried = 4    // copies of the first stage that are priced as designs at a time
)

// tryDesign prices a design that satisfies the first stage, and what polish makes of it.
func (d *pricedDesigns) tryDesign(ctx context.Context, y []float64) error {
	for range polishes {
		key := fmt.Sprint(y)
		if d.seen[key] {
			return nil
		}
		d.seen[key] = true

		// Where it can be polished, a design that is a little too expensive is worth its full price.
		cutoff := d.cost
		if d.prices.points != nil {
			cutoff += polishShare * math.Abs(d.cost)
		}
		complete, feasible, err := d.prices.price(ctx, y, cutoff)
		if err != nil || !feasible || !complete {
			return err
		}
		d.accept(y, d.prices.p.master.Evaluate(y)+d.prices.upper())
		if d.prices.points == nil {
			return nil
		}
		better := false
		if y, better, err = d.polish(ctx); err != nil || !better {
			return err
		}
		if err := d.prices.p.master.Check(y); err != nil {
			return nil // a point of the search that is a design to tolerances only
		}
	}
	return nil
}

// upper returns what the recourse costs at most at the design that was priced last, with the scenarios' best points.
func (r *pricer) upper() (total float64) {
	for s, p := range r.p.weight {
		total += p * r.values[s].high
	}
	return total
}

// copies prices copies of the first stage as designs: those that bear the planes of most weight, and the mean.
func (d *pricedDesigns) copies(ctx context.Context, planes []plane, y []float64) error {
	if len(planes) == 0 {
		return nil
	}

	// Scenarios vote for their copies, with their probabilities.
	type vote struct {
		z      []float64
		weight float64
	}
	var votes []vote
	mean := make([]float64, len(y))
	for s, pl := range planes {
		w := d.prices.p.weight[s]
		for j, v := range pl.z {
			mean[j] += w * v
		}
		k := slices.IndexFunc(votes, func(v vote) bool { return slices.Equal(v.z, pl.z) })
		if k < 0 {
			k = len(votes)
			votes = append(votes, vote{z: pl.z})
		}
		votes[k].weight += w
	}

	// The point itself, the mean and the copies with most weight are tried.
	slices.SortStableFunc(votes, func(a, b vote) int { return cmp.Compare(b.weight, a.weight) })
	list := [][]float64{y, mean}
	for _, v := range votes[:min(len(votes), copiesTried)] {
		list = append(list, v.z)
	}
	for _, z := range list {
		if err := d.try(ctx, z); err != nil {
			return err
		}
	}
	return nil
}
