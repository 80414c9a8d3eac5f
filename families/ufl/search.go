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

// pricedDesign is a set of open facilities, ascending, and what it costs in all.
type pricedDesign struct {
	Open []int32
	Cost float64
}

// search looks for a good design: a local search from a greedy design, then an iterated one that disturbs the
// incumbent. It is deterministic for a seed. When the context is cancelled it returns the best design so far.
func search(ctx context.Context, in *Instance, o searchOptions) pricedDesign {
	s := newLocalSearch(in)
	best := pricedDesign{Open: s.Open(), Cost: in.TotalCost(s.open)}
	s.Set(greedy(in))
	if cost := s.Descend(ctx); cost < best.Cost {
		best = pricedDesign{s.Open(), cost}
	}
	iterate(ctx, s, o, &best)
	slices.Sort(best.Open)
	return best
}

// iterate is the iterated local search: close some open facilities and open some others, descend, and go on from
// there if it is no worse, and sometimes if it is; after a while without success, go back to the best.
func iterate(ctx context.Context, s *localSearch, o searchOptions, best *pricedDesign) {
	const (
		patience  = 20   // kicks without a better design, after which the search returns to the best
		strengths = 4    // kicks of increasing strength take turns
		uphill    = 0.05 // chance of going on from a worse design: set-covering instances are full of plateaus
	)
	rng := rand.New(rand.NewPCG(o.Seed, 0x696c73))
	current := pricedDesign{slices.Clone(best.Open), best.Cost}
	for kick, stall, failed := 0, 0, 0; kick < o.Kicks && stall < o.Stall && ctx.Err() == nil; kick++ {
		s.Set(disturb(rng, s.in.Facilities, current.Open, 1+kick%strengths))
		cost := s.Descend(ctx)
		if cost <= current.Cost*(1+1e-9) || rng.Float64() < uphill {
			current = pricedDesign{s.Open(), cost}
		}
		if failed++; cost < best.Cost {
			*best = pricedDesign{s.Open(), cost}
			stall, failed = -1, 0
		}
		if stall++; failed >= patience {
			current = pricedDesign{slices.Clone(best.Open), best.Cost}
			failed = 0
		}
	}
}

// disturb returns a design near another: up to 2 + strength/6 of the open facilities closed, and as many others
// opened.
func disturb(rng *rand.Rand, n int, open []int32, strength int) []int32 {
	limit := 2 + strength*len(open)/6
	out, in := 1+rng.IntN(limit), 1+rng.IntN(limit)
	next := slices.Clone(open)
	rng.Shuffle(len(next), func(a, b int) { next[a], next[b] = next[b], next[a] })
	next = next[min(out, len(next)):]
	for range in {
		if j := int32(rng.IntN(n)); !slices.Contains(next, j) && !slices.Contains(open, j) {
			next = append(next, j)
		}
	}
	if len(next) == 0 {
		next = append(next, int32(rng.IntN(n)))
	}
	return next
}

// greedy opens the best single facility, and then again and again the one that saves most, until none saves
// anything.
func greedy(in *Instance) []int32 {
	n := in.Facilities
	total := slices.Clone(in.Fixed)
	for i := range in.Clients {
		for j, c := range in.Row(i) {
			total[j] += c
		}
	}
	first := argmin(total)
	open := []int32{first}
	d := make([]float64, in.Clients)
	for i := range d {
		d[i] = in.Cost[i*n+int(first)]
	}
	rows := in.Ranked()
	gain := make([]float64, n)
	for {
		copy(gain, in.Fixed)
		for i, v := range d {
			order, cost := rows.Row(i)
			for t, c := range cost {
				if c >= v {
					break
				}
				gain[order[t]] -= v - c
			}
		}
		j := argmin(gain)
		if !(gain[j] < 0) || slices.Contains(open, j) {
			return open
		}
		open = append(open, j)
		for i := range d {
			d[i] = math.Min(d[i], in.Cost[i*n+int(j)])
		}
	}
}

func argmin(v []float64) int32 {
	best := 0
	for j := range v {
		if v[j] < v[best] {
			best = j
		}
	}
	return int32(best)
}
