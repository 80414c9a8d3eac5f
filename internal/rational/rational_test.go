package rational

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestSolve draws systems that a point solves, and asks for a point that does from one near it; as many entries change
// as there are equations at most. A system with a contradiction has no solution and leaves the point as it was.
func TestSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0x7a7))
	for range 300 {
		n, m := 1+rng.IntN(6), 1+rng.IntN(5)
		solution, x := make([]*big.Rat, n), make([]*big.Rat, n)
		for i := range x {
			solution[i] = big.NewRat(int64(rng.IntN(19)-9), int64(1+rng.IntN(7)))
			f, _ := solution[i].Float64()
			x[i] = new(big.Rat).SetFloat64(f)
		}
		draw := func() (coef [][]*big.Rat) {
			for range m {
				row := make([]*big.Rat, n)
				for i := range row {
					row[i] = big.NewRat(int64(rng.IntN(7)-3), int64(1+rng.IntN(3)))
				}
				coef = append(coef, row)
			}
			return coef
		}
		value := func(row, at []*big.Rat) *big.Rat {
			v := new(big.Rat)
			for i := range row {
				v.Add(v, new(big.Rat).Mul(row[i], at[i]))
			}
			return v
		}
		coef := draw()
		list := func(extra int64) (list []Equation) {
			for _, row := range coef {
				e := Equation{Coef: map[int32]*big.Rat{}, Lack: new(big.Rat).Sub(value(row, solution), value(row, x))}
				for i, v := range row {
					e.Coef[int32(i)] = new(big.Rat).Set(v)
				}
				list = append(list, e)
			}
			if extra != 0 { // the sum of all, and one more
				e := Equation{Coef: map[int32]*big.Rat{}, Lack: big.NewRat(extra, 1)}
				for k := range list {
					e.subtract(&list[k], big.NewRat(-1, 1))
				}
				list = append(list, e)
			}
			return list
		}
		room := func(i int32) float64 { return float64(i % 3) }
		before := append([]*big.Rat(nil), x...)
		if Solve(list(1), x, room) {
			t.Fatal("a contradiction was solved")
		}
		for i := range x {
			if x[i].Cmp(before[i]) != 0 {
				t.Fatal("a contradiction changed the point")
			}
		}
		if !Solve(list(0), x, room) {
			t.Fatal("not solved")
		}
		changed := 0
		for i := range x {
			if x[i].Cmp(before[i]) != 0 {
				changed++
			}
		}
		for k, row := range coef {
			if value(row, x).Cmp(value(row, solution)) != 0 || changed > m {
				t.Fatalf("equation %d of %d does not hold, or %d entries changed", k, m, changed)
			}
		}
	}
}
