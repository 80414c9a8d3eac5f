package interior

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// divided makes the loops of a method those of several threads, however small its model is.
func divided(w *method, threads int) {
	k := w.kkt
	k.split = workers{threads, parts(k.rows.Start, threads), parts(k.cols.Start, threads)}
	k.divide(k.m + len(k.kept))
}

// TestWorkersBits compares what several threads compute with what one does: the matrix, its products and a solution have
// to have the same bits.
func TestWorkersBits(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 11))
		m := twoStage(rng)
		o := DefaultOptions()
		o.Limits.Iterations = 6
		o.Crossover = false
		w := methodFor(t, m, o)
		w.run()
		for _, v := range [][]float64{w.r, w.s} {
			for i := range v {
				v[i] = rng.NormFloat64()
			}
		}
		w.r[rng.IntN(len(w.r))] = 0

		compute := func() [][]float64 {
			k := w.kkt
			if err := k.factorize(w.d); err != nil {
				t.Fatal(err)
			}
			byColumns, byRows := slices.Clone(w.s), slices.Clone(w.r)
			k.timesColumns(-0.3, w.r, byColumns)
			k.timesRows(0.7, w.s, byRows)
			dx, dy := make([]float64, k.n), make([]float64, k.m)
			k.solve(w.d, w.r, w.s, dx, dy)
			return [][]float64{slices.Clone(k.values), byColumns, byRows, dx, dy}
		}
		want := compute()
		for _, threads := range []int{2, 3, 8} {
			divided(w, threads)
			for at, v := range compute() {
				if !slices.Equal(v, want[at]) {
					t.Errorf("seed %d: %d threads change vector %d", seed, threads, at)
				}
			}
		}
	}
}

// TestParts divides vectors among threads: the parts follow each other, and no part has far more than its share.
func TestParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 12))
	for range 200 {
		start := []int{0}
		longest := 0
		for range rng.IntN(20) {
			length := rng.IntN(9)
			longest = max(longest, length)
			start = append(start, start[len(start)-1]+length)
		}
		count := 1 + rng.IntN(5)
		bounds := parts(start, count)
		if len(bounds) != count+1 || bounds[0] != 0 || bounds[count] != len(start)-1 || !slices.IsSorted(bounds) {
			t.Fatalf("%d parts of %v: %v", count, start, bounds)
		}
		for k := range count {
			if got := start[bounds[k+1]] - start[bounds[k]]; got > start[len(start)-1]/count+longest+1 {
				t.Errorf("%d parts of %v: part %d has %d entries", count, start, k, got)
			}
		}
	}
}
