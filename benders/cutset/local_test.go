package cutset

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// TestLocalsAgreeWithAllChoices draws cut sets in several cases and holds what is found against every choice of arcs:
// all that suffice satisfy it, and at a point that is a mean of sufficient choices nothing is violated.
func TestLocalsAgreeWithAllChoices(t *testing.T) {
	found := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n, cases := 3+rng.IntN(6), 1+rng.IntN(4)
		arcs, demand, all := make([]int32, n), make([]float64, cases), make([]int, cases)
		for j := range arcs {
			arcs[j] = int32(j)
		}
		capacity := make([][]float64, cases)
		for k := range cases {
			all[k], demand[k] = k, float64(4+rng.IntN(12))
			for range n {
				capacity[k] = append(capacity[k], float64(2+rng.IntN(8)))
			}
		}
		var enough []int
		for mask := range 1 << n {
			suffices := true
			for k := range cases {
				room := 0.0
				for j := range n {
					room += float64(mask>>j&1) * capacity[k][j]
				}
				suffices = suffices && room >= demand[k]
			}
			if suffices {
				enough = append(enough, mask)
			}
		}
		if len(enough) == 0 {
			continue
		}
		y, mean := make([]float64, n), make([]float64, n)
		for j := range y {
			if rng.IntN(4) > 0 {
				y[j] = 0.8 * rng.Float64()
			}
		}
		for range 3 {
			mask := enough[rng.IntN(len(enough))]
			for j := range mean {
				mean[j] += float64(mask>>j&1) / 3
			}
		}
		var w locals
		w.set(arcs, capacity, all, demand)
		violation, side := w.find(context.Background(), y)
		if violation > 0 {
			found++
			for _, mask := range enough {
				sum := 0.0
				for j := range n {
					sum += float64(mask>>j&1) * w.pi[j]
				}
				if sum < side {
					t.Fatalf("seed %d: the choice %b has %g of %g", seed, mask, sum, side)
				}
			}
		}
		w.set(arcs, capacity, all, demand)
		if v, _ := w.find(context.Background(), mean); v > 1e-6 {
			t.Errorf("seed %d: a mean of sufficient choices is cut off by %g", seed, v)
		}
	}
	if found < 100 {
		t.Errorf("%d inequalities", found)
	}
}

// TestTwoCasesSayMoreThanEach is by hand: of three arcs any two suffice in both cases, where each case alone is content
// with one arc, or with two of them.
func TestTwoCasesSayMoreThanEach(t *testing.T) {
	var w locals
	w.set([]int32{0, 1, 2}, [][]float64{{9, 5, 5}, {5, 9, 5}}, []int{0, 1}, []float64{9, 9})
	v, side := w.find(context.Background(), []float64{0.5, 0.5, 0.5})
	for _, p := range w.pi {
		if math.Abs(p-0.5) > 1e-6 {
			t.Errorf("coefficients %v", w.pi)
		}
	}
	if math.Abs(v-0.25) > 1e-6 || math.Abs(side-1) > 1e-6 {
		t.Errorf("violation %g of %g", v, side)
	}
}

// TestFind has values by hand: with arc 0 set aside the others have to carry 9 - 5 = 4, so min(9, 4) y1 + 2 y2 >= 4.
func TestFind(t *testing.T) {
	capacity := []float64{5, 9, 2}
	arcs := []int32{0, 1, 2}
	Sort(arcs, capacity)
	var f finder
	best := f.Find(arcs, capacity, []float64{1, 0.5, 0.5}, 9)
	if best[0].Violation != 0 || best[1].Violation != 1-(0.5*4+0.5*2)/4 {
		t.Errorf("%+v", best)
	}
}
