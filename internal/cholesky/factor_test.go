package cholesky

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomPattern returns a random lower triangle with the diagonal, and a dominant matrix with that pattern whose pivots
// have the given signs.
func randomPattern(r *rand.Rand, n int, degree float64) (colPtr, rowIdx []int32, values []float64, signs []int8) {
	signs = make([]int8, n)
	for i := range signs {
		signs[i] = int8(1 - 2*r.IntN(2))
	}
	colPtr = []int32{0}
	for j := range n {
		rowIdx = append(rowIdx, int32(j))
		values = append(values, float64(signs[j])*(2*degree+10))
		for i := j + 1; i < n; i++ {
			if r.Float64()*float64(n) < 2*degree {
				rowIdx = append(rowIdx, int32(i))
				values = append(values, 2*r.Float64()-1)
			}
		}
		colPtr = append(colPtr, int32(len(rowIdx)))
	}
	return colPtr, rowIdx, values, signs
}

// permuted returns P A P' as a dense matrix.
func permuted(s *Symbolic, colPtr, rowIdx []int32, values []float64) [][]float64 {
	a := make([][]float64, s.n)
	for i := range a {
		a[i] = make([]float64, s.n)
	}
	for j := range s.n {
		for p := colPtr[j]; p < colPtr[j+1]; p++ {
			k, l := s.place[rowIdx[p]], s.place[j]
			a[k][l] = values[p]
			a[l][k] = values[p]
		}
	}
	return a
}

// TestAgainstDense compares each entry of D L' with a dense factorisation, and the predicted counts with those of the
// entries that symbolic elimination makes.
func TestAgainstDense(t *testing.T) {
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 21))
		n := 1 + r.IntN(90)
		colPtr, rowIdx, values, signs := randomPattern(r, n, 5*r.Float64())
		s, err := Analyse(n, colPtr, rowIdx, Options{Ordering: Ordering(seed % 4), Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		f := NewFactor(s)
		reg := DefaultRegularisation()
		reg.Signs = signs
		if _, err := f.Factorize(values, reg); err != nil {
			t.Fatal(err)
		}
		compareWithDense(t, seed, f, permuted(s, colPtr, rowIdx, values))
	}
}

// compareWithDense eliminates the dense matrix a and compares the factor.
func compareWithDense(t *testing.T, seed uint64, f *Factor, a [][]float64) {
	t.Helper()
	n := f.n
	filled := make([][]bool, n)
	for i := range filled {
		filled[i] = make([]bool, n)
		for j := range n {
			filled[i][j] = a[i][j] != 0
		}
	}
	nonZeros := int64(0)
	flops := 0.0
	for p := range n {
		count := 1
		for i := p + 1; i < n; i++ {
			if !filled[p][i] {
				continue
			}
			count++
			l := a[p][i] / a[p][p]
			for j := i; j < n; j++ {
				filled[i][j] = filled[i][j] || filled[p][j]
				a[i][j] -= l * a[p][j]
			}
		}
		nonZeros += int64(count)
		flops += float64(count) * float64(count)
	}
	if f.NonZeros() != nonZeros || f.Flops() != flops {
		t.Errorf("seed %d: predicted %d entries and %g operations, found %d and %g", seed, f.NonZeros(), f.Flops(), nonZeros, flops)
	}

	for k := range f.fronts {
		front := &f.fronts[k]
		rows := f.frontRows(front)
		for i := range int(front.pivots) {
			p := int(front.first) + i
			row := f.values[front.values+i*int(front.size):][:front.size]
			for j := i; j < int(front.size); j++ {
				q := int(front.first) + j
				if j >= int(front.pivots) {
					q = int(rows[j-int(front.pivots)])
				}
				if !(math.Abs(row[j]-a[p][q]) <= 1e-12*(1+math.Abs(a[p][q]))) {
					t.Fatalf("seed %d: entry (%d, %d) is %g, want %g", seed, p, q, row[j], a[p][q])
				}
			}
		}
	}
}

// TestStructure checks the invariants of the analysis: a permutation, fronts that partition the columns in a postorder,
// ascending rows, and memory as predicted.
func TestStructure(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 22))
		n := r.IntN(400)
		colPtr, rowIdx, _, _ := randomPattern(r, n, 2*r.Float64())
		s, err := Analyse(n, colPtr, rowIdx, Options{Ordering: Ordering(seed % 4), Threads: 1 + int(seed%3)})
		if err != nil {
			t.Fatal(err)
		}
		if !isPermutation(s.Permutation(), n) {
			t.Fatalf("seed %d: no permutation", seed)
		}
		next := int32(0)
		for k := range s.fronts {
			front := &s.fronts[k]
			if front.first != next || front.pivots <= 0 || front.parent >= 0 && int(front.parent) <= k {
				t.Fatalf("seed %d: front %d is %+v", seed, k, front)
			}
			next += front.pivots
			rows := s.frontRows(front)
			if !slices.IsSorted(rows) || len(rows) > 0 && (rows[0] < next || front.parent < 0) {
				t.Fatalf("seed %d: front %d has rows %v", seed, k, rows)
			}
		}
		if int(next) != n {
			t.Fatalf("seed %d: fronts of %d columns of %d", seed, next, n)
		}
		if got := NewFactor(s).bytes(); got != s.Bytes() {
			t.Errorf("seed %d: %d bytes, predicted %d", seed, got, s.Bytes())
		}
	}
}

// bytes returns the memory of the numbers of a factor.
func (f *Factor) bytes() int64 {
	total := len(f.values) + len(f.kept) + len(f.diagonal) + len(f.x) + len(f.sums)
	for _, w := range f.workers {
		total += len(w.stack) + len(w.scaled) + len(w.base) + len(w.x) + len(w.y)
	}
	return 8 * int64(total)
}

// TestThreads factorises with several numbers of threads and expects the same bits. The matrices are so large that
// subtrees and tiles do run in parallel.
func TestThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 23))
	for _, c := range []struct {
		n      int
		degree float64
	}{{2000, 2}, {900, 450}, {4000, 1.3}} {
		colPtr, rowIdx, values, signs := randomPattern(r, c.n, c.degree)
		b := make([]float64, c.n)
		for i := range b {
			b[i] = r.NormFloat64()
		}
		var first *Factor
		var solution []float64
		parallel := false
		for _, threads := range []int{1, 2, 3, 7} {
			s, err := Analyse(c.n, colPtr, rowIdx, Options{Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			parallel = parallel || len(s.schedule.subtrees) > 1 && len(s.solution.groups) > 1
			f := NewFactor(s)
			reg := DefaultRegularisation()
			reg.Signs = signs
			for range 2 { // once more, on what the first time has left
				if _, err := f.Factorize(values, reg); err != nil {
					t.Fatal(err)
				}
			}
			x := slices.Clone(b)
			f.Solve(x)
			if first == nil {
				first = f
				solution = x
			}
			if !slices.Equal(solution, x) || !sameFactor(first, f) {
				t.Errorf("order %d: other bits with %d threads", c.n, threads)
			}
		}
		if full := c.degree > 100; !parallel && !full {
			t.Errorf("order %d: no subtrees", c.n)
		}
	}
}

// sameFactor reports whether the upper triangles of all fronts are equal.
func sameFactor(f, g *Factor) bool {
	for k := range f.fronts {
		front := &f.fronts[k]
		for i := range int(front.pivots) {
			at := front.values + i*int(front.size)
			if !slices.Equal(f.values[at+i:at+int(front.size)], g.values[at+i:at+int(front.size)]) {
				return false
			}
		}
	}
	return true
}
