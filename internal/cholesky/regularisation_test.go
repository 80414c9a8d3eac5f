package cholesky_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/internal/cholesky"
)

// normalEquations returns the lower triangle of A A' of a random matrix with m rows, the last ones being copies of the
// first ones, as dense columns.
func normalEquations(r *rand.Rand, m, copies int) *matrix {
	columns := 2 * m
	a := make([][]float64, m)
	for i := range a {
		a[i] = make([]float64, columns)
		for j := range columns {
			if r.IntN(6) == 0 {
				a[i][j] = float64(r.IntN(9) - 4)
			}
		}
		a[i][i] += 10 * float64(m) // rows that are no copies are independent
		if i >= m-copies {
			a[i] = a[i-(m-copies)]
		}
	}
	s := &matrix{n: m, colPtr: []int32{0}, dense: make([][]float64, m)}
	for i := range m {
		s.dense[i] = make([]float64, m)
		for k := range m {
			for j := range columns {
				s.dense[i][k] += a[i][j] * a[k][j]
			}
		}
	}
	s.compress(r, false)
	return s
}

// TestDependentRows replaces the pivot of one of each pair of equal rows, and solves consistent systems all the same.
func TestDependentRows(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 31))
		m := 4 + r.IntN(40)
		copies := 1 + r.IntN(m/4)
		a := normalEquations(r, m, copies)
		s, err := cholesky.Analyse(a.n, a.colPtr, a.rowIdx, cholesky.Options{Ordering: orderings[seed%4]})
		if err != nil {
			t.Fatal(err)
		}
		f := cholesky.NewFactor(s)
		reg := cholesky.DefaultRegularisation()
		reg.Relative = 1e-12
		stats, err := f.Factorize(a.values, reg)
		if err != nil {
			t.Fatal(err)
		}
		if stats.Tiny != copies || len(f.Replaced()) != copies || !slices.IsSorted(f.Replaced()) {
			t.Errorf("seed %d: %d tiny pivots in rows %v, want %d", seed, stats.Tiny, f.Replaced(), copies)
		}
		for _, i := range f.Replaced() {
			if int(i) >= copies && int(i) < m-copies {
				t.Errorf("seed %d: row %d has no copy", seed, i)
			}
		}
		x := vector(r, m)
		b := make([]float64, m)
		for i := range b {
			for j := range x {
				b[i] += a.dense[i][j] * x[j]
			}
		}
		y := slices.Clone(b)
		f.Solve(y)
		if worst := a.residual(y, b); !(worst <= 1e-8) {
			t.Errorf("seed %d: residual %g", seed, worst)
		}
	}
}

// TestTinyPivots checks counts, signs, the shift and the replacement on diagonal matrices.
func TestTinyPivots(t *testing.T) {
	colPtr, rowIdx := []int32{0, 1, 2, 3, 4}, []int32{0, 1, 2, 3}
	s, err := cholesky.Analyse(4, colPtr, rowIdx, cholesky.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	f := cholesky.NewFactor(s)
	reg := cholesky.Regularisation{Signs: []int8{1, -1, 1, -1}, Absolute: 0.5, Replacement: 100, Shift: 0.25}
	stats, err := f.Factorize([]float64{4, -2, 0.125, 3}, reg)
	if err != nil {
		t.Fatal(err)
	}
	want := cholesky.Stats{Tiny: 2, WrongSign: 1, MinPivot: 2.25, MaxPivot: 4.25}
	if stats != want {
		t.Errorf("%+v, want %+v", stats, want)
	}
	x := []float64{4.25, 2.25, 100, 100}
	f.Solve(x)
	if !slices.Equal(x, []float64{1, -1, 1, -1}) {
		t.Errorf("solution %v", x)
	}
	if !slices.Equal(f.Replaced(), []int32{2, 3}) {
		t.Errorf("replaced %v", f.Replaced())
	}
}

// TestNotFinite reports values that are no finite numbers, and the next factorisation is as good as a first one.
func TestNotFinite(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 32))
		m := randomMatrix(r, 2+r.IntN(40), 3, true, false)
		f := factorOf(t, m, cholesky.DefaultOptions())
		reg := cholesky.DefaultRegularisation()
		reg.Signs = m.signs

		bad := slices.Clone(m.values)
		bad[r.IntN(len(bad))] = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[seed%3]
		if _, err := f.Factorize(bad, reg); !errors.Is(err, cholesky.ErrNotFinite) {
			t.Errorf("seed %d: %v", seed, err)
		}
		if _, err := f.Factorize(m.values, reg); err != nil {
			t.Fatal(err)
		}
		x := vector(r, m.n)
		y := slices.Clone(x)
		f.Solve(x)
		factorOf(t, m, cholesky.DefaultOptions()).Solve(y)
		if !slices.Equal(x, y) {
			t.Errorf("seed %d: another solution after an error", seed)
		}
	}
}

// TestSolveMany gives the bits of Solve.
func TestSolveMany(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 33))
	m := randomMatrix(r, 70, 4, true, false)
	f := factorOf(t, m, cholesky.DefaultOptions())
	var xs, ys [][]float64
	for range 7 {
		x := vector(r, m.n)
		xs = append(xs, x)
		ys = append(ys, slices.Clone(x))
	}
	f.SolveMany(xs)
	for k, y := range ys {
		f.Solve(y)
		if !slices.Equal(xs[k], y) {
			t.Errorf("right-hand side %d: another solution", k)
		}
	}
}
