package ufl

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// searchOptions steer search.
type searchOptions struct {
	Seed  uint64
	Kicks int // local searches from a disturbed design, in all
	Stall int // kicks without a better design, after which the search stops
}

// defaultSearch reaches the best known value on every M instance of UflLib; on its gap classes (GapA to GapC, CLSC),
// which are set-covering problems at heart, ten times as many kicks help.
var defaultSearch = searchOptions{Seed: 1, Kicks: 5000, Stall: 150}

// pricedDesign is a set of open facilities, ascending, and its total cost.
type pricedDesign struct {
	Open []int32
	Cost float64
}

// search looks for a good design: a local search from a greedy design, then an iterated one that disturbs the
// incumbent. It is deterministic for a seed. When the context is cancelled it returns the best design so far.
func search(ctx context.Context, in *Instance, o searchOptions) pricedDesign {
	s := newLocalSearch(in)
	best := pricedDesign{Open: s.Open(), Cost: in.TotalCost(s.open)}

	// A search begins with one facility; the greedy design and its descent come next.
	s.Set(greedy(in))
	if cost := s.Descend(ctx); cost < best.Cost {
		best = pricedDesign{s.Open(), cost}
	}
	iterate(ctx, s, o, &best)
	slices.Sort(best.Open)
	return best
}

// iterate is the iterated local search (Lourenco, Martin and Stuetzle 2003): close some open facilities and open some
// others, descend, and continue from the local optimum if it is no worse, and sometimes if it is worse; after a number
// of kicks without success, return to the best design.
func iterate(ctx context.Context, s *localSearch, o searchOptions, best *pricedDesign) {
	const (
		patience  = 20   // kicks without a better design, after which the search returns to the best
		strengths = 4    // number of strengths of a kick, which take turns
		uphill    = 0.05 // probability of continuing from a worse design: set-covering instances have many plateaus
	)
	rng := rand.New(rand.NewPCG(o.Seed, 0x696c73))
	current := pricedDesign{slices.Clone(best.Open), best.Cost}
	stall := 0  // kicks since the last better design
	failed := 0 // kicks since then, or since the last return to the best design
	for kick := 0; kick < o.Kicks && stall < o.Stall && ctx.Err() == nil; kick++ {
		s.Set(disturb(rng, s.in.Facilities, current.Open, 1+kick%strengths))
		cost := s.Descend(ctx)
		if cost <= current.Cost*(1+1e-9) || rng.Float64() < uphill {
			current = pricedDesign{s.Open(), cost}
		}

		stall++
		failed++
		if cost < best.Cost {
			*best = pricedDesign{s.Open(), cost}
			stall = 0
			failed = 0
		}
		if failed >= patience {
			current = pricedDesign{slices.Clone(best.Open), best.Cost}
			failed = 0
		}
	}
}

// disturb returns a design near another: up to 2 + strength/6 of the open facilities closed, and as many others
// opened.
func disturb(rng *rand.Rand, n int, open []int32, strength int) []int32 {
	limit := 2 + strength*len(open)/6
	out := 1 + rng.IntN(limit)
	in := 1 + rng.IntN(limit)
	next := slices.Clone(open)
	rng.Shuffle(len(next), func(a, b int) { next[a], next[b] = next[b], next[a] })
	next = next[min(out, len(next)):]

	// An index that is taken counts as drawn, so that fewer may open.
	for range in {
		if j := int32(rng.IntN(n)); !slices.Contains(next, j) && !slices.Contains(open, j) {
			next = append(next, j)
		}
	}

	// At least one facility has to be open.
	if len(next) == 0 {
		next = append(next, int32(rng.IntN(n)))
	}
	return next
}

// greedy opens the best single facility, and then in every step the facility that saves most, until none saves
// anything (the ADD heuristic of Kuehn and Hamburger 1963).
func greedy(in *Instance) []int32 {
	n := in.Facilities
	total := slices.Clone(in.Fixed)
	for i := range in.Clients {
		for j, c := range in.Row(i) {
			total[j] += c
		}
	}
	j := argmin(total)

	rows := in.Ranked()
	d := slices.Repeat([]float64{math.Inf(1)}, in.Clients) // cost of the nearest open facility
	change := make([]float64, n)                           // of the total cost if a facility is opened
	var open []int32
	for {
		open = append(open, j)
		for i := range d {
			d[i] = min(d[i], in.Cost[i*n+int(j)])
		}

		// Opening a facility costs its fixed cost and saves what it is nearer.
		copy(change, in.Fixed)
		for i, v := range d {
			order, cost := rows.Row(i)
			for t, c := range cost {
				if c >= v {
					break
				}
				change[order[t]] -= v - c
			}
		}
		j = argmin(change)
		if !(change[j] < 0) || slices.Contains(open, j) {
			return open
		}
	}
}

// argmin returns the first position of the least value.
func argmin(v []float64) int32 { return int32(slices.Index(v, slices.Min(v))) }
