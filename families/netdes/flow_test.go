package netdes

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRoutesEnd routes with prices that a search may set: of very different sizes, many of them equal, some a little
// below zero. A flow that is found is one, and no label goes in a circle for ever.
func TestRoutesEnd(t *testing.T) {
	t.Parallel()
	found := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 6))
		const nodes = 12
		d := &Data{Nodes: nodes, Scenarios: []Scenario{{Probability: 1, Demand: make([]float64, nodes)}}}
		s := &d.Scenarios[0]
		for v := range nodes {
			for w := range nodes {
				if v == w || rng.IntN(3) > 0 {
					continue
				}
				d.Tail, d.Head = append(d.Tail, int32(v)), append(d.Head, int32(w))
				s.Cost, s.Capacity = append(s.Cost, 0), append(s.Capacity, float64(rng.IntN(6)))
			}
		}
		for range 4 {
			v, w, b := rng.IntN(nodes), rng.IntN(nodes), float64(1+rng.IntN(3))
			s.Demand[v] += b
			s.Demand[w] -= b
		}
		r := newRouter(d)
		r.use(func(int) bool { return true })
		r.begin(0)
		size := math.Pow(10, float64(rng.IntN(9)))
		for k := range r.price {
			switch rng.IntN(4) {
			case 0:
				r.price[k] = rng.Float64()
			case 1:
				r.price[k] = -1e-12 * size
			case 2:
				r.price[k] = size * (0.1 + 0.3*rng.Float64())
			default:
				r.price[k] = size / 3
			}
		}
		if seed%8 == 0 { // circles whose length is clearly negative
			for k := range r.price {
				r.price[k] -= size / 2
			}
		}
		if !r.route(0, false) {
			continue
		}
		found++
		balance := append([]float64(nil), s.Demand...)
		for k, e := range r.arcs {
			f := r.flow(k)
			if f < -1e-9 || f > s.Capacity[e]+1e-9 {
				t.Errorf("seed %d: %g on an arc of capacity %g", seed, f, s.Capacity[e])
			}
			balance[d.Tail[e]] -= f
			balance[d.Head[e]] += f
		}
		for v, b := range balance {
			if math.Abs(b) > 1e-6 {
				t.Errorf("seed %d: the balance of node %d is %g", seed, v, b)
			}
		}
	}
	if found < 100 {
		t.Errorf("%d flows found", found)
	}
}
