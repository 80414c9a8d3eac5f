package presolve

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestDrivenColumns has a continuous column that one row ends in the direction that its cost may want, sometimes before
// its bound, and others in the other one: the optimum must not change where that row takes the column away.
func TestDrivenColumns(t *testing.T) {
	gone := map[Reductions]int{}
	for seed := range uint64(6000) {
		rng := rand.New(rand.NewPCG(seed, 29))
		m := &lp.Model{}
		sense, dir := 1.0, 1.0 // dir: the row ends the column below
		if m.Maximize = rng.IntN(2) == 0; m.Maximize {
			sense = -1
		}
		if rng.IntN(2) == 0 {
			dir = -1
		}
		n := 2 + rng.IntN(3)
		for range n {
			m.AddCol(lp.Col{Cost: float64(rng.IntN(7) - 3), Upper: float64(1 + rng.IntN(2)), Integer: true})
		}
		x := int32(m.AddCol(lp.Col{Cost: float64(rng.IntN(5) - 2), Upper: float64(1 + rng.IntN(5))}))
		cost := []float64{0, 0, 1, 2.5, -1}[rng.IntN(5)] * dir * sense
		y := int32(m.AddCol(lp.Col{Cost: cost, Lower: -20, Upper: 20}))
		bound := float64(rng.IntN(3)) - 1
		if dir > 0 {
			m.Cols[y].Lower = bound
		} else {
			m.Cols[y].Upper = bound
		}
		if rng.IntN(3) == 0 {
			if dir > 0 {
				m.Cols[y].Upper = bound + 1
			} else {
				m.Cols[y].Lower = bound - 1
			}
		}
		for k := range 1 + rng.IntN(3) {
			end := dir // of the column
			if k > 0 {
				end = -dir
			}
			v := []float64{1, -1, 2, -0.5, 5}[rng.IntN(5)]
			index, value := []int32{y}, []float64{v}
			if rng.IntN(2) == 0 {
				index, value = append(index, x), append(value, float64(rng.IntN(5)-2))
			}
			for j := range n {
				if c := rng.IntN(5) - 2; c != 0 && len(index) < 4 {
					index, value = append(index, int32(j)), append(value, float64(c))
				}
			}
			r := lp.Row{Lower: math.Inf(-1), Upper: math.Inf(1)}
			if side := float64(rng.IntN(7) - 3); end*v > 0 {
				r.Lower = side
			} else {
				r.Upper = side
			}
			m.AddRow(r, index, value)
		}
		for _, set := range []Reductions{Substitutions, FreeSingletons, Substitutions | FreeSingletons | Bounds, All} {
			opt := DefaultOptions()
			opt.Reductions = set
			if err := compare(m, opt); err != nil {
				t.Fatalf("seed %d, reductions %#x: %v\n%s", seed, set, err, dump(m))
			}
			r, err := Reduce(t.Context(), m, opt)
			if err != nil {
				t.Fatal(err)
			}
			gone[set] += r.Counts.Removed
		}
	}
	for set, n := range gone {
		if n < 300 {
			t.Errorf("reductions %#x took %d columns away", set, n)
		}
	}
}

// TestDrivenIntegers has an integer column that one row of two entries ends in the direction that its cost may want,
// sometimes after its bound or between two integers, and others in the other one: the optimum must not change where
// the column leaves with that row.
func TestDrivenIntegers(t *testing.T) {
	gone := 0
	for seed := range uint64(6000) {
		rng := rand.New(rand.NewPCG(seed, 31))
		m := &lp.Model{Maximize: rng.IntN(2) == 0}
		sense, dir := 1.0, 1.0 // dir: the row ends the column below
		if m.Maximize {
			sense = -1
		}
		if rng.IntN(2) == 0 {
			dir = -1
		}
		n := 2 + rng.IntN(3)
		for range n {
			m.AddCol(lp.Col{Cost: float64(rng.IntN(7) - 3), Upper: float64(1 + rng.IntN(2)), Integer: true})
		}
		y := int32(m.AddCol(lp.Col{Cost: []float64{0, 0, 1, 2.5, -1}[rng.IntN(5)] * dir * sense,
			Lower: -float64(rng.IntN(3)), Upper: float64(1 + rng.IntN(3)), Integer: true}))
		for k := range 2 + rng.IntN(2) {
			end, v := dir, []float64{1, -1, 2, -1, 1}[rng.IntN(5)]
			index, value := []int32{y}, []float64{v}
			add := func(j int) { index, value = append(index, int32(j)), append(value, float64(1+rng.IntN(3))*sign(rng)) }
			if k == 0 {
				add(rng.IntN(n))
			} else {
				end = -dir
				for j := range n {
					add(j)
				}
			}
			r := lp.Row{Lower: math.Inf(-1), Upper: math.Inf(1)}
			if side := float64(rng.IntN(7) - 3); end*v > 0 {
				r.Lower = side
			} else {
				r.Upper = side
			}
			m.AddRow(r, index, value)
		}
		for _, set := range []Reductions{Substitutions, Substitutions | Bounds, All} {
			opt := DefaultOptions()
			opt.Reductions = set
			if err := compare(m, opt); err != nil {
				t.Fatalf("seed %d, reductions %#x: %v\n%s", seed, set, err, dump(m))
			}
			r, err := Reduce(t.Context(), m, opt)
			if err != nil {
				t.Fatal(err)
			}
			if set == Substitutions {
				gone += r.Counts.Aggregated
			}
		}
	}
	if gone < 500 {
		t.Errorf("only %d columns left", gone)
	}
}

func sign(rng *rand.Rand) float64 { return float64(2*rng.IntN(2) - 1) }
