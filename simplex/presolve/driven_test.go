package presolve_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex/presolve"
)

// TestDrivenColumns has columns that one inequality ends in the direction of their cost and others in the other one:
// where they leave with it, the point, the duals and the basis must still be optimal.
func TestDrivenColumns(t *testing.T) {
	removed := 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		m := &lp.Model{Maximize: rng.IntN(2) == 0}
		sense := 1.0
		if m.Maximize {
			sense = -1
		}
		n := 3 + rng.IntN(5)
		for range n {
			m.AddCol(lp.Col{Cost: float64(rng.IntN(9) - 4), Upper: float64(1 + rng.IntN(5))})
		}
		for range 1 + rng.IntN(4) {
			dir := []float64{1, -1}[rng.IntN(2)] // 1: the first row ends the column below
			c := lp.Col{Cost: []float64{0, 1, 2, 7}[rng.IntN(4)] * dir * sense, Lower: math.Inf(-1), Upper: math.Inf(1)}
			if rng.IntN(2) == 0 {
				c.Lower = float64(-rng.IntN(8))
			}
			if rng.IntN(2) == 0 {
				c.Upper = float64(rng.IntN(8))
			}
			y := int32(m.AddCol(c))
			for k := range 1 + rng.IntN(4) {
				end := dir
				if k > 0 {
					end = -dir
				}
				v := []float64{1, -1, 2, -3, 0.5}[rng.IntN(5)]
				index, value := []int32{y}, []float64{v}
				for range 1 + rng.IntN(2) {
					index, value = append(index, int32(rng.IntN(n))), append(value, float64(1+rng.IntN(3))-4*float64(rng.IntN(2)))
				}
				if len(index) == 3 && index[1] == index[2] {
					index, value = index[:2], value[:2]
				}
				r := lp.Row{Lower: math.Inf(-1), Upper: math.Inf(1)}
				if side := float64(rng.IntN(9) - 4); end*v > 0 {
					r.Lower = side
				} else {
					r.Upper = side
				}
				m.AddRow(r, index, value)
			}
		}
		for _, set := range []presolve.Reductions{presolve.Substitutions, presolve.Substitutions | presolve.CostlySlacks,
			presolve.All} {
			compare(t, m, presolve.Options{Reductions: set})
			if t.Failed() {
				t.Fatalf("seed %d, reductions %#x", seed, set)
			}
		}
		r, err := presolve.Run(m, presolve.Options{Reductions: presolve.Substitutions})
		if err != nil {
			t.Fatal(err)
		}
		if r.Model != nil {
			removed += len(m.Cols) - len(r.Model.Cols)
		}
	}
	if removed < 300 {
		t.Errorf("only %d columns left with an inequality", removed)
	}
}
