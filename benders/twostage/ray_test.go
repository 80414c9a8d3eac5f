package twostage

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestSliceOnExtremeRay holds certificates of the slice against the paper's lemma 1: an optimum of the slice lies on an
// extreme ray of {lambda >= 0 : B'lambda <= 0}, which is so where the inequalities that are tight there, those of
// lambda's zeros among them, have rank m - 1. The data are small integers: the rank is found in rationals, the zeros
// and the tight columns by the certificate's own size. A mixture of two rays, which box certificates may be, fails the
// same test.
func TestSliceOnExtremeRay(t *testing.T) {
	infeasible, supports := 0, map[int]int{}
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 101))
		rows, cols := 2+rng.IntN(4), 1+rng.IntN(5)
		b := make([][]int64, rows)
		m := &lp.Model{Name: "slice"}
		y := m.AddCol(lp.Col{Name: "y", Upper: 1, Integer: true})
		for range cols {
			m.AddCol(lp.Col{Cost: float64(1 + rng.IntN(5)), Upper: lp.Inf})
		}
		for i := range rows {
			b[i] = make([]int64, cols)
			r := m.AddRow(lp.Row{Lower: float64(rng.IntN(7) - 1), Upper: lp.Inf}, []int32{int32(y)}, []float64{float64(rng.IntN(3))})
			for j := range cols {
				if b[i][j] = int64(rng.IntN(5) - 3); b[i][j] != 0 {
					m.AddEntry(r, lp.Var(1+j), float64(b[i][j]))
				}
			}
		}
		p, err := New(m, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := NewExact(p, DefaultExactOptions())
		if err != nil {
			t.Fatal(err)
		}
		for k := range p.parts {
			lambda, value, err := e.Infeasibility(t.Context(), k, []float64{0})
			if err != nil || !(value > 1e-9) {
				continue
			}
			infeasible++
			sum := 0.0 // of the rows with y; the others are the paper's G x >= g
			for _, i := range p.parts[k].link {
				sum += lambda[i]
			}
			if math.Abs(sum-1) > 1e-9 && !math.IsInf(value, 1) {
				t.Errorf("seed %d: the multipliers sum to %v, theorem 3 says 1", seed, sum)
			}
			of := make([]int, len(p.parts[k].rows)) // rows of the component in b
			var own [][]int64
			for i, r := range p.parts[k].rows {
				of[i] = int(r)
				own = append(own, b[r])
			}
			support, rank := tight(own, lambda)
			supports[support]++
			if rank != len(own)-1 {
				t.Errorf("seed %d: %v over the columns of %v: the tight inequalities have rank %d of %d", seed, lambda, own, rank, len(own)-1)
			}
		}
	}
	if _, rank := tight([][]int64{{-1, 0}, {0, -1}}, []float64{1, 1}); rank != 0 {
		t.Errorf("the box certificate of example 2 has rank %d: it is on no extreme ray", rank)
	}
	if _, rank := tight([][]int64{{-1, 0}, {0, -1}}, []float64{1, 0}); rank != 1 {
		t.Errorf("the slice certificate of example 2 has rank %d", rank)
	}
	if infeasible < 50 || len(supports) < 3 {
		t.Errorf("%d certificates with supports %v: the test proves too little", infeasible, supports)
	}
}

// tight returns the number of entries of lambda that are not 0, and the rank of the inequalities lambda_i >= 0 and
// (B'lambda)_j <= 0 that are equations at it.
func tight(b [][]int64, lambda []float64) (support, rank int) {
	size := 0.0
	for _, v := range lambda {
		size = max(size, math.Abs(v))
	}
	var list [][]*big.Rat
	for i, v := range lambda {
		if math.Abs(v) > 1e-7*size {
			support++
			continue
		}
		unit := make([]*big.Rat, len(lambda))
		for k := range unit {
			unit[k] = new(big.Rat)
		}
		unit[i].SetInt64(1)
		list = append(list, unit)
	}
	for j := range b[0] {
		sum, column := 0.0, make([]*big.Rat, len(b))
		for i := range b {
			sum += float64(b[i][j]) * lambda[i]
			column[i] = new(big.Rat).SetInt64(b[i][j])
		}
		if math.Abs(sum) <= 1e-7*size {
			list = append(list, column)
		}
	}
	return support, rankOf(list)
}

// rankOf is Gauss's elimination.
func rankOf(rows [][]*big.Rat) (rank int) {
	if len(rows) == 0 {
		return 0
	}
	for j := range rows[0] {
		pivot := -1
		for i := rank; i < len(rows); i++ {
			if rows[i][j].Sign() != 0 {
				pivot = i
				break
			}
		}
		if pivot < 0 {
			continue
		}
		rows[rank], rows[pivot] = rows[pivot], rows[rank]
		for i := rank + 1; i < len(rows); i++ {
			f := new(big.Rat).Quo(rows[i][j], rows[rank][j])
			for k := range rows[i] {
				rows[i][k].Sub(rows[i][k], new(big.Rat).Mul(f, rows[rank][k]))
			}
		}
		rank++
	}
	return rank
}
