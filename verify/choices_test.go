package verify

import (
	"math/rand/v2"
	"testing"
)

// TestChoicesAgreeWithAll draws carriers in several cases and holds what is proven of them against every choice: with
// the least cost of those that suffice as the side, a hair less is proven, a hair more is not.
func TestChoicesAgreeWithAll(t *testing.T) {
	proven := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n, cases := 1+rng.IntN(9), 1+rng.IntN(4)
		a := make([]float64, n)
		for j := range a {
			a[j] = max(0, rng.Float64()-0.1)
		}
		capacity, demand := make([][]float64, cases), make([]float64, cases)
		for k := range capacity {
			demand[k] = float64(rng.IntN(40)) - 3 + 0.1*float64(rng.IntN(3))
			for range n {
				capacity[k] = append(capacity[k], float64(rng.IntN(12))+0.1*float64(rng.IntN(3)))
			}
		}
		least, any := 0.0, false
		for mask := range 1 << n {
			suffices, cost := true, 0.0
			for k := range cases {
				room := 0.0
				for j := range n {
					room += float64(mask>>j&1) * capacity[k][j]
				}
				suffices = suffices && room > demand[k]-1e-9
			}
			for j := range n {
				cost += float64(mask>>j&1) * a[j]
			}
			if suffices && (!any || cost < least) {
				least, any = cost, true
			}
		}
		try := func(b float64) error {
			var c choices
			for k := range cases {
				c.require(capacity[k], of(demand[k]-1e-7))
			}
			return c.prove(a, b)
		}
		if !any {
			if err := try(1); err != nil {
				t.Errorf("seed %d: nothing suffices: %v", seed, err)
			}
			continue
		}
		if err := try(least * (1 - 1e-12)); err != nil {
			t.Errorf("seed %d: %g is not proven: %v", seed, least, err)
		}
		if err := try(least*(1+1e-12) + 1e-300); err == nil {
			t.Errorf("seed %d: more than %g is proven", seed, least)
		}
		if least > 0 {
			proven++
		}
	}
	if proven < 150 {
		t.Errorf("%d sides", proven)
	}
}

// TestHardChoicesAreGivenUp has more choices than are enumerated: equal carriers of which half suffice.
func TestHardChoicesAreGivenUp(t *testing.T) {
	a, capacity := make([]float64, 60), make([]float64, 60)
	for j := range a {
		a[j], capacity[j] = 1, 1
	}
	var c choices
	c.require(capacity, of(30.5)) // takes 31, the rate says 30.5
	if err := c.prove(a, 31*(1-1e-9)); err == nil || c.nodes <= maxChoices {
		t.Errorf("%v after %d nodes", err, c.nodes)
	}
	c = choices{}
	c.require(capacity, of(30.5))
	if err := c.prove(append(a, -1), 1); err == nil {
		t.Error("a negative coefficient")
	}
}
