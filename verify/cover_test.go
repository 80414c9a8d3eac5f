package verify

import (
	"math/rand/v2"
	"testing"
)

// TestCarriers compares what is proven with all choices of few carriers. Shares of what is left with some carriers set
// aside are proven, and what some choice violates is not.
func TestCarriers(t *testing.T) {
	proven, refused, aside := 0, 0, 0
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 41))
		n := 2 + rng.IntN(5)
		a, s, demand, left := make([]float64, n), make([]float64, n), 1+float64(rng.IntN(30)), 0.0
		free := make([]bool, n)
		left = demand
		for j := range s {
			if s[j] = float64(rng.IntN(16)); rng.IntN(4) == 0 {
				free[j] = true
				left -= s[j]
			}
		}
		for j := range a {
			switch {
			case free[j]:
			case left > 0 && seed%2 == 0:
				a[j] = min(1, s[j]/left*(1+1e-9))
			default:
				a[j] = float64(rng.IntN(3))
			}
		}
		b := 1 + float64(rng.IntN(2)*rng.IntN(3))
		holds := true
		for mask := range 1 << n {
			room, value := 0.0, 0.0
			for j := range s {
				if mask>>j&1 == 1 {
					room += s[j]
					value += a[j]
				}
			}
			holds = holds && (room < demand || value >= b)
		}
		if err := carriers(a, s, of(demand), b); err == nil {
			if proven++; !holds {
				t.Fatalf("seed %d: %v >= %g is proven of %v for %g", seed, a, b, s, demand)
			}
		} else if refused++; left > 0 && seed%2 == 0 && b == 1 {
			t.Fatalf("seed %d: %v >= 1 of %v for %g: %v", seed, a, s, demand, err)
		}
		if left > 0 && left < demand && seed%2 == 0 && b == 1 {
			aside++
		}
	}
	if proven < 500 || refused < 300 || aside < 300 {
		t.Errorf("%d proven, %d refused, %d with carriers set aside", proven, refused, aside)
	}
}
