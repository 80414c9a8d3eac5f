package cap

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// TestPricesBoundTheRecourse compares W with the recourse cost: it is no more at any prices, all of it at the optimal
// ones, and below its tangents.
func TestPricesBoundTheRecourse(t *testing.T) {
	tried := 0
	for seed := range uint64(900) {
		rng := rand.New(rand.NewPCG(seed, 66))
		in := randomInstance(rng, 1+rng.IntN(6), 1+rng.IntN(9))
		tr, p, lambda := newTransport(in), newPrices(in), make([]float64, in.Clients)
		y := randomPoint(rng, in.Facilities)
		cost, ok, err := tr.Solve(context.Background(), y)
		if err != nil {
			t.Fatal(err)
		}
		if !ok || len(tr.site) != len(p.sitesOf(y)) {
			continue
		}
		tried++
		copy(p.mu, tr.price)
		slack := 1e-6 * (1 + cost)
		if w := p.serve(lambda); !(math.Abs(w-cost) <= slack) {
			t.Errorf("seed %d: optimal prices say %v, the recourse costs %v", seed, w, cost)
		}
		for k := range p.mu {
			p.mu[k] = 10 * rng.Float64()
		}
		at, w := append([]float64(nil), p.mu...), p.serve(lambda)
		tangent := w
		for k := range p.mu {
			p.mu[k] = 10 * rng.Float64()
			tangent += (p.load[k] - p.room[k]) * (p.mu[k] - at[k])
		}
		if w > cost+slack {
			t.Errorf("seed %d: prices say %v, the recourse costs %v", seed, w, cost)
		}
		if v := p.serve(lambda); v > tangent+slack {
			t.Errorf("seed %d: %v is above the tangent %v", seed, v, tangent)
		}
	}
	if tried < 100 {
		t.Errorf("only %d points were tried", tried)
	}
}

// sitesOf takes a point and returns its sites.
func (p *prices) sitesOf(y []float64) []int32 {
	p.at(y)
	return p.site
}

// TestClearingPrices sets each site's price to its clearing one, in designs: just above it the load fits, just below
// it does not.
func TestClearingPrices(t *testing.T) {
	priced := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 67))
		in := randomInstance(rng, 2+rng.IntN(5), 1+rng.IntN(12))
		y := make([]float64, in.Facilities)
		for j := range y {
			y[j] = float64(rng.IntN(2))
		}
		p, lambda := newPrices(in), make([]float64, in.Clients)
		if len(p.sitesOf(y)) < 2 {
			continue
		}
		for k := range p.mu {
			p.mu[k] = 5 * rng.Float64()
		}
		p.serve(lambda)
		p.clear()
		was, clearing := append([]float64(nil), p.mu...), append([]float64(nil), p.clearing...)
		for k, price := range clearing {
			const little = 1e-7
			for _, by := range []float64{-little, little} {
				if price+by < 0 {
					continue
				}
				copy(p.mu, was)
				p.mu[k] = price + by
				p.serve(lambda)
				if fits := p.load[k] <= p.room[k]*(1+2*massTolerance); fits != (by > 0) {
					t.Errorf("seed %d site %d: load %v of %v at the price %v, %v from the clearing one", seed, k, p.load[k],
						p.room[k], price, by)
				}
			}
			if price > 0 {
				priced++
			}
		}
	}
	if priced < 100 {
		t.Errorf("only %d prices above zero", priced)
	}
}

// TestClearingPriceOfLimits tries lists of limits with ties and demand that has no alternative against all
// candidates.
func TestClearingPriceOfLimits(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 68))
		var limits []limit
		finite, total := 0.0, 0.0
		for range rng.IntN(9) {
			l := limit{float64(1 + rng.IntN(5)), float64(rng.IntN(4))}
			if rng.IntN(6) == 0 {
				l.price = math.Inf(1)
			} else {
				finite = max(finite, l.price)
			}
			limits, total = append(limits, l), total+l.demand
		}
		room := float64(rng.IntN(12))
		want := finite
		for _, price := range []float64{5, 4, 3, 2, 1, 0} {
			load := 0.0
			for _, l := range limits {
				if l.price > price {
					load += l.demand
				}
			}
			if load <= room {
				want = min(want, price)
			}
		}
		if got := clearingPrice(append([]limit(nil), limits...), room); got != want {
			t.Fatalf("seed %d: %v, not %v, for %v in %v (%v)", seed, got, want, limits, room, total)
		}
	}
}
