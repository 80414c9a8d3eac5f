package lattice

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

func integers(v ...int64) []*big.Int {
	var out []*big.Int
	for _, x := range v {
		out = append(out, big.NewInt(x))
	}
	return out
}

// brute counts the points of a box that solve a system.
func brute(rows [][]*big.Int, sides []*big.Int, limit int64) (count int) {
	x := make([]int64, len(rows[0]))
	for k := range x {
		x[k] = -limit
	}
	for {
		solves := true
		for i, row := range rows {
			sum := int64(0)
			for k, v := range row {
				sum += v.Int64() * x[k]
			}
			solves = solves && sum == sides[i].Int64()
		}
		if solves {
			count++
		}
		k := 0
		for ; k < len(x) && x[k] == limit; k++ {
			x[k] = -limit
		}
		if k == len(x) {
			return count
		}
		x[k]++
	}
}

// TestSolve compares the points of a box that solve random systems with those that the basis spans, before and after it
// is reduced; every point of the description solves the system.
func TestSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0x1a77))
	none, some := 0, 0
	for range 250 {
		n, m := 2+rng.IntN(3), 1+rng.IntN(2)
		var rows [][]*big.Int
		var sides []*big.Int
		for range m {
			var row []*big.Int
			for range n {
				row = append(row, big.NewInt(int64(rng.IntN(25)-12)))
			}
			rows, sides = append(rows, row), append(sides, big.NewInt(int64(rng.IntN(31)-15)))
		}
		const limit = 4
		want := brute(rows, sides, limit)
		s := Solve(rows, sides)
		if s == nil {
			none++
			if want > 0 {
				t.Fatalf("%v = %v: no solution, but %d in the box", rows, sides, want)
			}
			continue
		}
		some++
		for _, reduced := range []bool{false, true} {
			if reduced {
				before := determinant(s.Kernel)
				s.Reduce(integers(make([]int64, n)...))
				if after := determinant(s.Kernel); after.Cmp(before) != 0 {
					t.Fatalf("the reduced basis spans another lattice: %v, %v", before, after)
				}
			}
			for i, row := range rows {
				if product(row, s.Point).Cmp(sides[i]) != 0 {
					t.Fatalf("%v is no solution of %v = %v", s.Point, rows, sides)
				}
				for _, k := range s.Kernel {
					if product(row, k).Sign() != 0 {
						t.Fatalf("%v is not in the kernel of %v", k, rows)
					}
				}
			}
		}
		if got := span(s, limit); got != want {
			t.Fatalf("%v = %v: %d points in the box, the basis gives %d", rows, sides, want, got)
		}
	}
	if none == 0 || some == 0 {
		t.Errorf("%d systems without and %d with solutions", none, some)
	}
}

// determinant returns that of the inner products of a basis.
func determinant(basis [][]*big.Int) *big.Int {
	r := newReduction(basis)
	return r.det[len(r.det)-1]
}

// span counts the points x0 + K t of a box, for t with entries of up to 12: a reduced basis needs no larger ones.
func span(s *Solutions, limit int64) int {
	return count(s, append([]*big.Int(nil), s.Point...), 0, big.NewInt(limit))
}

func count(s *Solutions, at []*big.Int, k int, limit *big.Int) int {
	if k == len(s.Kernel) {
		for _, v := range at {
			if v.CmpAbs(limit) > 0 {
				return 0
			}
		}
		return 1
	}
	sum := 0
	for t := int64(-12); t <= 12; t++ {
		next := make([]*big.Int, len(at))
		for i := range at {
			next[i] = new(big.Int).Mul(s.Kernel[k][i], big.NewInt(t))
			next[i].Add(next[i], at[i])
		}
		sum += count(s, next, k+1, limit)
	}
	return sum
}

// TestReduce takes a basis of long vectors with a short one in its span.
func TestReduce(t *testing.T) {
	s := &Solutions{Point: integers(1000003, 999, 5), Kernel: [][]*big.Int{
		integers(1000000, 1, 0), integers(1000001, 1, 1), integers(7, 7000000, 1)}}
	s.Reduce(integers(0, 0, 0))
	for _, k := range s.Kernel[:1] {
		if product(k, k).Cmp(big.NewInt(2)) > 0 {
			t.Errorf("the first vector is %v", k)
		}
	}
}
