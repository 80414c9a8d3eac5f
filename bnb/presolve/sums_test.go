package presolve

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestAttainableSides compares the sides of a row with all sums that its columns can make, and a row between two of
// them with infeasibility.
func TestAttainableSides(t *testing.T) {
	moved, infeasible := 0, 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 21))
		m := &lp.Model{}
		sums := map[float64]bool{0: true}
		unit := []float64{1, 0.25, 3}[rng.IntN(3)]
		var index []int32
		var value []float64
		for j := range 2 + rng.IntN(5) {
			lo, width := rng.IntN(5)-2, 1+rng.IntN(4)
			c := float64((5+rng.IntN(30))*(1-2*rng.IntN(2))) * unit
			m.AddCol(lp.Col{Cost: 1 + rng.Float64(), Lower: float64(lo), Upper: float64(lo + width), Integer: true})
			index, value = append(index, int32(j)), append(value, c)
			next := map[float64]bool{}
			for s := range sums {
				for x := lo; x <= lo+width; x++ {
					next[s+c*float64(x)] = true
				}
			}
			sums = next
		}
		lo := math.Floor((rng.Float64()-0.5)*200) * unit
		up := lo + float64(rng.IntN(8))*unit
		switch rng.IntN(3) {
		case 0:
			lo = math.Inf(-1)
		case 1:
			up = math.Inf(1)
		}
		m.AddRow(lp.Row{Lower: lo, Upper: up}, index, value)
		first, last := math.Inf(1), math.Inf(-1)
		for s := range sums {
			if s >= lo && s <= up {
				first, last = math.Min(first, s), math.Max(last, s)
			}
		}
		opt := DefaultOptions()
		opt.Reductions = Divisors
		r, err := Reduce(context.Background(), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		if first > last {
			infeasible++
			if r.Status != lp.Infeasible {
				t.Fatalf("seed %d: no sum in [%g, %g], but %v", seed, lo, up, r.Status)
			}
			continue
		}
		if r.Status == lp.Infeasible {
			t.Fatalf("seed %d: infeasible, but %g is in [%g, %g]", seed, first, lo, up)
		}
		if r.Model == nil || len(r.Model.Rows) == 0 {
			continue // every point satisfies the row
		}
		got := r.Model.Rows[0]
		low, high := slices.Min(slices.Collect(maps.Keys(sums))), slices.Max(slices.Collect(maps.Keys(sums)))
		if lo > low && got.Lower != first || up < high && got.Upper != last {
			t.Fatalf("seed %d: sides [%g, %g] became [%g, %g], sums within are [%g, %g]", seed, lo, up, got.Lower, got.Upper, first, last)
		}
		if got.Lower > lo || got.Upper < up {
			moved++
		}
	}
	if moved < 100 || infeasible < 100 {
		t.Errorf("%d rows moved, %d infeasible: too few", moved, infeasible)
	}
}
