package cholesky_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/internal/cholesky"
)

// TestPatternErrors rejects patterns that are none, with the place of the error.
func TestPatternErrors(t *testing.T) {
	for _, c := range []struct {
		name           string
		n              int
		colPtr, rowIdx []int32
		want           string
	}{
		{"negative order", -1, []int32{}, nil, "order -1"},
		{"few pointers", 2, []int32{0, 1}, []int32{0}, "2 column pointers"},
		{"no start", 1, []int32{1, 1}, []int32{0}, "from 1 to 1"},
		{"wrong end", 1, []int32{0, 2}, []int32{0}, "from 0 to 2"},
		{"descending", 2, []int32{0, 2, 1}, []int32{0}, "column 1"},
		{"negative row", 1, []int32{0, 1}, []int32{-1}, "row -1"},
		{"large row", 1, []int32{0, 1}, []int32{1}, "row 1 of 1"},
		{"twice", 2, []int32{0, 3, 3}, []int32{1, 0, 1}, "row 1 twice"},
		{"diagonal twice", 1, []int32{0, 2}, []int32{0, 0}, "row 0 twice"},
		{"only above", 2, []int32{0, 0, 1}, []int32{0}, "0 entries below"},
		{"no mirror image", 3, []int32{0, 2, 3, 3}, []int32{1, 2, 0}, "(2, 0)"},
	} {
		_, err := cholesky.Analyse(c.n, c.colPtr, c.rowIdx, cholesky.DefaultOptions())
		if !errors.Is(err, cholesky.ErrPattern) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestOptionErrors rejects options outside of their ranges.
func TestOptionErrors(t *testing.T) {
	colPtr, rowIdx := []int32{0, 1, 2}, []int32{0, 1}
	for _, opts := range []cholesky.Options{
		{Ordering: 99},
		{Threads: -1},
		{MaxBytes: -1},
		{MaxFlops: -1},
		{MaxFlops: math.NaN()},
		{Ordering: cholesky.Given},
		{Ordering: cholesky.Given, Permutation: []int32{0, 0}},
		{Ordering: cholesky.Given, Permutation: []int32{0, 2}},
	} {
		if _, err := cholesky.Analyse(2, colPtr, rowIdx, opts); !errors.Is(err, cholesky.ErrOptions) {
			t.Errorf("%+v: %v", opts, err)
		}
	}

	f := factorOf(t, &matrix{n: 2, colPtr: colPtr, rowIdx: rowIdx, values: []float64{1, 1}}, cholesky.DefaultOptions())
	good := cholesky.DefaultRegularisation()
	for name, change := range map[string]func(r *cholesky.Regularisation){
		"signs":       func(r *cholesky.Regularisation) { r.Signs = []int8{1} },
		"sign":        func(r *cholesky.Regularisation) { r.Signs = []int8{1, 0} },
		"shift":       func(r *cholesky.Regularisation) { r.Shift = -1 },
		"absolute":    func(r *cholesky.Regularisation) { r.Absolute = math.NaN() },
		"relative":    func(r *cholesky.Regularisation) { r.Relative = math.Inf(1) },
		"replacement": func(r *cholesky.Regularisation) { r.Replacement = 0 },
	} {
		reg := good
		change(&reg)
		if _, err := f.Factorize([]float64{1, 1}, reg); !errors.Is(err, cholesky.ErrOptions) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := f.Factorize([]float64{1}, good); !errors.Is(err, cholesky.ErrOptions) {
		t.Errorf("one value: %v", err)
	}
}

// TestFullPattern gives both triangles, and expects the bits that the lower one gives.
func TestFullPattern(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 11))
		m := randomMatrix(r, 1+r.IntN(60), 3, false, false)
		full := &matrix{n: m.n, colPtr: []int32{0}, signs: m.signs, dense: m.dense}
		full.compress(r, true)
		x := vector(r, m.n)
		y := slices.Clone(x)
		opts := cholesky.Options{Ordering: cholesky.Natural}
		factorOf(t, m, opts).Solve(x)
		factorOf(t, full, opts).Solve(y)
		if !slices.Equal(x, y) {
			t.Errorf("seed %d: another solution with both triangles", seed)
		}
	}
}

// TestMaxBytes refuses a factor that is too large, with the figure.
func TestMaxBytes(t *testing.T) {
	n, colPtr, rowIdx, _ := gridMatrix(20, 20, 1)
	s, err := cholesky.Analyse(n, colPtr, rowIdx, cholesky.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cholesky.Analyse(n, colPtr, rowIdx, cholesky.Options{Threads: 1, MaxBytes: s.Bytes()}); err != nil {
		t.Error(err)
	}
	_, err = cholesky.Analyse(n, colPtr, rowIdx, cholesky.Options{Threads: 1, MaxBytes: s.Bytes() - 1})
	if !errors.Is(err, cholesky.ErrMemory) || !strings.Contains(err.Error(), " bytes") {
		t.Errorf("a byte less: %v", err)
	}
}

// TestMaxFlops refuses a factor that takes too many operations, and no other: what is known before the ordering is a
// lower bound.
func TestMaxFlops(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 21))
		m := randomMatrix(r, 1+r.IntN(60), 6*r.Float64(), false, seed%2 == 0)
		opts := cholesky.Options{Threads: 1}
		s, err := cholesky.Analyse(m.n, m.colPtr, m.rowIdx, opts)
		if err != nil {
			t.Fatal(err)
		}
		opts.MaxFlops = s.Flops()
		if _, err := cholesky.Analyse(m.n, m.colPtr, m.rowIdx, opts); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		opts.MaxFlops *= 0.999
		if _, err := cholesky.Analyse(m.n, m.colPtr, m.rowIdx, opts); !errors.Is(err, cholesky.ErrFlops) {
			t.Errorf("seed %d: %v of %v operations: %v", seed, opts.MaxFlops, s.Flops(), err)
		}
	}
}

// FuzzPatterns analyses patterns of any bytes, and where one is valid solves a dominant system with it.
func FuzzPatterns(f *testing.F) {
	f.Add(uint8(0), uint8(0), []byte{})
	f.Add(uint8(3), uint8(1), []byte{0, 0, 1, 0, 1, 1, 2, 2})
	f.Add(uint8(4), uint8(2), []byte{1, 0, 0, 1, 3, 2, 2, 3})
	f.Add(uint8(2), uint8(3), []byte{1, 0, 1, 0})
	f.Fuzz(func(t *testing.T, order, method uint8, data []byte) {
		n := int(order) % 60
		columns := make([][]int32, n)
		for len(data) >= 2 && n > 0 {
			column := int(data[1]) % n
			columns[column] = append(columns[column], int32(int(data[0])%n))
			data = data[2:]
		}
		colPtr := []int32{0}
		var rowIdx []int32
		for _, rows := range columns {
			rowIdx = append(rowIdx, rows...)
			colPtr = append(colPtr, int32(len(rowIdx)))
		}
		opts := cholesky.Options{Ordering: orderings[int(method)%len(orderings)]}
		s, err := cholesky.Analyse(n, colPtr, rowIdx, opts)
		if err != nil {
			if !errors.Is(err, cholesky.ErrPattern) {
				t.Fatal(err)
			}
			return
		}
		solveDominant(t, s, n, colPtr, rowIdx)
	})
}

// solveDominant solves a system with -1 off the diagonal and the shift on it, whose solution is known.
func solveDominant(t *testing.T, s *cholesky.Symbolic, n int, colPtr, rowIdx []int32) {
	t.Helper()
	shift := float64(n) + 2
	values := make([]float64, len(rowIdx))
	b := make([]float64, n)
	for i := range b {
		b[i] = shift
	}
	for j := range n {
		for p := colPtr[j]; p < colPtr[j+1]; p++ {
			values[p] = -1
			if i := int(rowIdx[p]); i >= j {
				b[i]--
				if i > j {
					b[j]--
				}
			}
		}
	}
	reg := cholesky.DefaultRegularisation()
	reg.Shift = shift
	f := cholesky.NewFactor(s)
	if _, err := f.Factorize(values, reg); err != nil {
		t.Fatal(err)
	}
	f.Solve(b)
	for i, x := range b {
		if !(math.Abs(x-1) <= 1e-12) {
			t.Fatalf("component %d is %g, want 1", i, x)
		}
	}
}
