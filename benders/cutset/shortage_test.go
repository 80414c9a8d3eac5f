package cutset

import (
	"context"
	"math/rand/v2"
	"testing"
)

// TestShortageAgainstEnumeration compares FindShortage with all sets of nodes of small networks with one commodity: it
// finds a set exactly where there is one, and states its demand and capacity.
func TestShortageAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 11))
	short := 0
	for trial := range 200 {
		nodes := 3 + rng.IntN(10) // with more than maxListed nodes sets are searched
		n := Network{Nodes: nodes, Capacity: [][]float64{nil}, Balance: [][]float64{make([]float64, nodes)}}
		for range 3 * nodes {
			a := rng.IntN(nodes)
			b := (a + 1 + rng.IntN(nodes-1)) % nodes
			n.Tail = append(n.Tail, int32(a))
			n.Head = append(n.Head, int32(b))
			n.Capacity[0] = append(n.Capacity[0], float64(1+rng.IntN(9)))
		}
		for range nodes {
			a := rng.IntN(nodes)
			b := (a + 1 + rng.IntN(nodes-1)) % nodes
			d := float64(rng.IntN(4))
			n.Balance[0][a] += d
			n.Balance[0][b] -= d
		}
		n.Leaving = func(inside []bool, k int) float64 {
			total := 0.0
			for v, in := range inside {
				if in {
					total += n.Balance[k][v]
				}
			}
			return max(total, 0)
		}

		// The greatest shortage of all sets.
		exists := false
		all := New(n, Whole)
		for mask := 1; mask < 1<<nodes-1; mask++ {
			inside := make([]bool, nodes)
			for v := range inside {
				inside[v] = mask>>v&1 == 1
			}
			s := all.shortage(inside, 0)
			exists = exists || s.Demand > s.Capacity
		}
		got, found := FindShortage(context.Background(), n, nil)
		if found != exists {
			t.Fatalf("network %d: found a shortage: %v, there is one: %v", trial, found, exists)
		}
		if !found {
			continue
		}
		short++
		capacity := 0.0
		for j := range n.Tail {
			if got.Inside[n.Tail[j]] && !got.Inside[n.Head[j]] {
				capacity += n.Capacity[0][j]
			}
		}
		if got.Capacity != capacity || got.Demand != n.Leaving(got.Inside, 0) || got.Demand <= capacity {
			t.Fatalf("network %d: demand %g, capacity %g of %+v", trial, n.Leaving(got.Inside, 0), capacity, got)
		}
	}
	if short < 40 || short > 160 {
		t.Errorf("%d of 200 networks have a shortage: the test compares too few of a kind", short)
	}
}
