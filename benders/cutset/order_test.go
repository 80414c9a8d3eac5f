package cutset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestOrder compares the order that is computed once with sorting anew, with arcs of equal capacity among them.
func TestOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		capacity := make([]float64, 1+rng.IntN(40))
		for j := range capacity {
			capacity[j] = float64(rng.IntN(5))
		}
		var arcs []int32
		for j := range capacity {
			if rng.IntN(3) > 0 {
				arcs = append(arcs, int32(j))
			}
		}
		want := slices.Clone(arcs)
		Sort(want, capacity)
		if newOrder(capacity).sort(arcs); !slices.Equal(arcs, want) {
			t.Fatalf("capacities %v: %v, want %v", capacity, arcs, want)
		}
	}
}
