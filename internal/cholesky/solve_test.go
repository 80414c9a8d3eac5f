package cholesky_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/proxybd/proxybd/internal/cholesky"
)

// orderings are those that a test of all of them uses.
var orderings = []cholesky.Ordering{
	cholesky.Auto, cholesky.MinimumDegree, cholesky.NestedDissection, cholesky.Natural,
}

// TestSolve solves random definite and quasi-definite systems with every ordering.
func TestSolve(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := r.IntN(80)
		m := randomMatrix(r, n, r.Float64()*6, seed%2 == 1, r.IntN(2) == 0)
		opts := cholesky.DefaultOptions()
		opts.Ordering = orderings[seed%uint64(len(orderings))]
		f := factorOf(t, m, opts)

		b := vector(r, n)
		x := slices.Clone(b)
		f.Solve(x)
		if worst := m.residual(x, b); !(worst <= 1e-11) {
			t.Errorf("seed %d: order %d, %v: residual %g", seed, n, opts.Ordering, worst)
		}
	}
}

// factorOf analyses and factorises a matrix.
func factorOf(t *testing.T, m *matrix, opts cholesky.Options) *cholesky.Factor {
	t.Helper()
	s, err := cholesky.Analyse(m.n, m.colPtr, m.rowIdx, opts)
	if err != nil {
		t.Fatal(err)
	}
	f := cholesky.NewFactor(s)
	reg := cholesky.DefaultRegularisation()
	reg.Signs = m.signs
	stats, err := f.Factorize(m.values, reg)
	if err != nil {
		t.Fatal(err)
	}
	if stats.Tiny != 0 {
		t.Errorf("%d tiny pivots of a dominant matrix", stats.Tiny)
	}
	return f
}

// TestLargeFronts solves systems whose fronts have several tiles, in rows, columns and pivots.
func TestLargeFronts(t *testing.T) {
	type build func() (int, []int32, []int32, []float64)
	for name, matrix := range map[string]build{
		"dense-700":  func() (int, []int32, []int32, []float64) { return denseMatrix(700) },
		"dense-1700": func() (int, []int32, []int32, []float64) { return denseMatrix(1700) },
		"cube-16":    func() (int, []int32, []int32, []float64) { return gridMatrix(16, 16, 16) },
		"flat-150":   func() (int, []int32, []int32, []float64) { return gridMatrix(150, 150, 1) },
	} {
		n, colPtr, rowIdx, values := matrix()
		s, err := cholesky.Analyse(n, colPtr, rowIdx, cholesky.Options{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		f := cholesky.NewFactor(s)
		if _, err := f.Factorize(values, cholesky.DefaultRegularisation()); err != nil {
			t.Fatal(err)
		}
		b := vector(rand.New(rand.NewPCG(1, 2)), n)
		x := slices.Clone(b)
		f.Solve(x)

		// The diagonals are about as large as the sums of the rows, so that residuals are of the size of rounding.
		for j := range n {
			for p := colPtr[j]; p < colPtr[j+1]; p++ {
				i := int(rowIdx[p])
				b[i] -= values[p] * x[j]
				if i != j {
					b[j] -= values[p] * x[i]
				}
			}
		}
		worst := 0.0
		for _, r := range b {
			worst = max(worst, math.Abs(r))
		}
		if !(worst <= 1e-11) {
			t.Errorf("%s: residual %g", name, worst)
		}
	}
}

// TestStop ends the analysis and a factorisation at each of their calls of Options.Stop: the error is ErrStopped, and
// without a stop both succeed.
func TestStop(t *testing.T) {
	m := randomMatrix(rand.New(rand.NewPCG(5, 5)), 1500, 1, false, false)
	for _, order := range []cholesky.Ordering{cholesky.Natural, cholesky.MinimumDegree, cholesky.NestedDissection} {
		for _, threads := range []int{1, 2} {
			// Stop counts its calls, and is true from a number of them on.
			var calls, last atomic.Int64
			opts := cholesky.DefaultOptions()
			opts.Ordering = order
			opts.Threads = threads
			opts.Stop = func() bool { return calls.Add(1) > last.Load() }

			for last.Store(0); ; last.Store(2*last.Load() + 1) {
				calls.Store(0)
				s, err := cholesky.Analyse(m.n, m.colPtr, m.rowIdx, opts)
				if err == nil {
					_, err = cholesky.NewFactor(s).Factorize(m.values, cholesky.DefaultRegularisation())
				}
				if err == nil {
					break
				}
				if !errors.Is(err, cholesky.ErrStopped) || calls.Load() <= last.Load() {
					t.Fatalf("%v, %d threads, %d calls: %v", order, threads, last.Load(), err)
				}
			}
			if last.Load() < 10 {
				t.Errorf("%v, %d threads: only %d calls", order, threads, calls.Load())
			}
		}
	}
}
