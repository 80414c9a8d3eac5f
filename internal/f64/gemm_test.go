package f64

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
)

// fill returns n values in [-1, 1).
func fill(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 2*rng.Float64() - 1
	}
	return x
}

// fillGuarded returns n values between NaNs: any use of what lies outside spoils the result, and any write
// to it is found by checkGuards.
func fillGuarded(rng *rand.Rand, n, off int) (x, whole []float64) {
	const pad = 32
	whole = make([]float64, n+2*pad+off)
	for i := range whole {
		whole[i] = math.NaN()
	}
	x = whole[pad+off : pad+off+n : pad+off+n]
	copy(x, fill(rng, n))
	return x, whole
}

func checkGuards(t *testing.T, name string, x, whole []float64) {
	t.Helper()
	in := 0
	for _, v := range whole {
		if !math.IsNaN(v) {
			in++
		}
	}
	if in > len(x) {
		t.Errorf("%s: wrote outside the slice", name)
	}
}

// gemmNaive is the loop of Gemm's doc.
func gemmNaive(ta, tb bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64,
	c []float64, ldc int) {
	for i := range m {
		for j := range n {
			var s float64
			for p := range k {
				x, y := 0.0, 0.0
				if ta {
					x = a[p*lda+i]
				} else {
					x = a[i*lda+p]
				}
				if tb {
					y = b[j*ldb+p]
				} else {
					y = b[p*ldb+j]
				}
				s += x * y
			}
			v := alpha * s
			if beta != 0 {
				v += beta * c[i*ldc+j]
			}
			c[i*ldc+j] = v
		}
	}
}

func TestGemm(t *testing.T) {
	sizes := []int{0, 1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 16, 17, 23, 24, 25, 31, 33}
	eachImplementation(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		try := func(m, n, k int) {
			ta, tb := rng.IntN(2) == 0, rng.IntN(2) == 0
			alpha := []float64{1, -1, 0.5}[rng.IntN(3)]
			beta := []float64{0, 1, -0.25}[rng.IntN(3)]
			testGemmShape(t, rng, ta, tb, m, n, k, alpha, beta)
		}
		for _, m := range sizes {
			for _, n := range sizes {
				for _, k := range sizes {
					try(m, n, k)
				}
			}
		}
		for _, s := range [][3]int{{40, 50, 257}, {193, 30, 300}, {10, 1600, 20}, {50, 37, 513}, {385, 17, 100}} {
			try(s[0], s[1], s[2])
		}
		// Blocks of A that follow one another; factors read where they are stored, or one of them.
		for _, s := range [][3]int{{200, 70, 90}, {110, 66, 520}, {100, 64, 70}, {40, 100, 30}, {64, 64, 64}} {
			for flags := range 4 {
				testGemmShape(t, rng, flags&1 != 0, flags&2 != 0, s[0], s[1], s[2], 1, float64(flags&1))
			}
		}
	})
}

func testGemmShape(t *testing.T, rng *rand.Rand, ta, tb bool, m, n, k int, alpha, beta float64) {
	t.Helper()
	name := fmt.Sprintf("ta=%v tb=%v m=%d n=%d k=%d alpha=%g beta=%g", ta, tb, m, n, k, alpha, beta)
	stored := func(trans bool, rows, cols int) (int, int, int) {
		if trans {
			rows, cols = cols, rows
		}
		ld := cols + rng.IntN(3)
		return max((rows-1)*ld+cols, 0), ld, cols
	}
	na, lda, _ := stored(ta, m, k)
	nb, ldb, _ := stored(tb, k, n)
	nc, ldc, _ := stored(false, m, n)
	a, _ := fillGuarded(rng, na, rng.IntN(3))
	b, _ := fillGuarded(rng, nb, rng.IntN(3))
	c, whole := fillGuarded(rng, nc, rng.IntN(3))
	if beta == 0 && m > 0 { // C must not be read
		for i := range m {
			for j := range n {
				c[i*ldc+j] = math.Inf(1)
			}
		}
	}
	want := append([]float64(nil), c...)
	gemmNaive(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, want, ldc)
	bias := fill(rng, n)
	c2 := append([]float64(nil), c...)
	Gemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	checkGuards(t, name, c, whole)
	closeTo(t, name, c, want, 1e-14*float64(k+1))
	p := PackB(tb, k, n, b, ldb)
	ep := Epilogue{Bias: bias, Act: Activation(rng.IntN(3))}
	GemmPacked(ta, m, alpha, a, lda, p, beta, c2, ldc, ep)
	if m == 0 || n == 0 {
		return
	}
	for i := range m {
		row := want[i*ldc : i*ldc+n]
		for j := range row {
			row[j] += bias[j]
			switch ep.Act {
			case ReluAct:
				row[j] = max(row[j], 0)
			case SoftplusAct:
				row[j] = math.Log1p(math.Exp(row[j]))
			}
		}
	}
	closeTo(t, "packed "+name, c2, want, 1e-13*float64(k+1))
}

func closeTo(t *testing.T, name string, got, want []float64, tol float64) {
	t.Helper()
	for i := range want {
		if got[i] == want[i] {
			continue
		}
		if err := math.Abs(got[i] - want[i]); !(err <= tol) {
			t.Errorf("%s: element %d is %g, want %g", name, i, got[i], want[i])
			return
		}
	}
}

// TestGemmRepeats checks that a product gives the same bits wherever its rows and columns lie.
func TestGemmRepeats(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		const m, n, k = 37, 29, 300
		a, b := fill(rng, m*k), fill(rng, k*n)
		one, two := make([]float64, m*n), make([]float64, m*(n+5)+7)
		Gemm(false, false, m, n, k, 1, a, k, b, n, 0, one, n)
		Gemm(false, false, m, n, k, 1, append([]float64{1}, a...)[1:], k, b, n, 0, two[7:], n+5)
		for i := range m {
			for j := range n {
				if one[i*n+j] != two[7+i*(n+5)+j] {
					t.Fatalf("element (%d,%d) depends on where C lies", i, j)
				}
			}
		}
	})
}

func TestGemmDoesNotAllocate(t *testing.T) {
	a, b, c := make([]float64, 64*64), make([]float64, 64*64), make([]float64, 64*64)
	bias := make([]float64, 64)
	n := testing.AllocsPerRun(20, func() {
		GemmEpilogue(false, true, 64, 64, 64, 1, a, 64, b, 64, 0, c, 64, Epilogue{Bias: bias, Act: ReluAct})
	})
	if n != 0 {
		t.Errorf("%g allocations a product", n)
	}
}

func TestGemmPanicsOnShape(t *testing.T) {
	for name, f := range map[string]func(){
		"A too short": func() {
			Gemm(false, false, 2, 2, 2, 1, make([]float64, 3), 2, make([]float64, 4), 2, 0, make([]float64, 4), 2)
		},
		"B stride": func() {
			Gemm(false, false, 2, 2, 2, 1, make([]float64, 4), 2, make([]float64, 4), 1, 0, make([]float64, 4), 2)
		},
		"C too short": func() {
			Gemm(false, true, 2, 2, 2, 1, make([]float64, 4), 2, make([]float64, 4), 2, 0, make([]float64, 3), 2)
		},
		"dot lengths": func() { Dot(make([]float64, 2), make([]float64, 3)) },
		"bias lengths": func() {
			GemmEpilogue(false, false, 2, 2, 2, 1, make([]float64, 4), 2, make([]float64, 4), 2, 0, make([]float64, 4), 2, Epilogue{Bias: make([]float64, 1)})
		},
		"C on A": func() {
			x := make([]float64, 6)
			Gemm(false, false, 2, 2, 2, 1, x, 2, make([]float64, 4), 2, 0, x[2:], 2)
		},
		"C on B": func() {
			x := make([]float64, 4)
			Gemm(false, true, 2, 2, 2, 1, make([]float64, 4), 2, x, 2, 0, x, 2)
		},
		"y on x":             func() { x := make([]float64, 4); Gemv(2, 2, 1, make([]float64, 4), 2, x[:2], 0, x[1:3]) },
		"transposed y on A":  func() { x := make([]float64, 4); gemvT(2, 2, 1, x, 2, make([]float64, 2), 0, x[:2]) },
		"row sums on A":      func() { x := make([]float64, 4); AddRows(x[2:], 2, x, 2) },
		"shifted by one":     func() { x := make([]float64, 4); Add(x[1:], x[:3], x[1:]) },
		"axpy shifted":       func() { x := make([]float64, 4); Axpy(1, x[1:], x[:3]) },
		"moment is gradient": func() { x := make([]float64, 4); Adam(make([]float64, 4), x, make([]float64, 4), x, &adamStep{}) },
		"negative rows":      func() { Gemm(false, false, -1, 2, 2, 1, nil, 2, make([]float64, 4), 2, 0, nil, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

func benchmarkGemm(b *testing.B, ta, tb bool, m, n, k int) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y, c := fill(rng, m*k), fill(rng, k*n), make([]float64, m*n)
	lda, ldb := k, n
	if ta {
		lda = m
	}
	if tb {
		ldb = k
	}
	for b.Loop() {
		Gemm(ta, tb, m, n, k, 1, x, lda, y, ldb, 0, c, n)
	}
	b.ReportMetric(2*float64(m)*float64(n)*float64(k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func BenchmarkGemm(b *testing.B) {
	for _, s := range [][3]int{{64, 64, 64}, {128, 128, 128}, {256, 64, 100}, {200, 512, 512}, {512, 512, 400},
		{512, 512, 512}, {512, 512, 898}, {512, 50, 512}} {
		for _, tr := range []struct {
			name   string
			ta, tb bool
		}{{"NN", false, false}, {"NT", false, true}, {"TN", true, false}, {"TT", true, true}} {
			b.Run(fmt.Sprintf("%s/%dx%dx%d", tr.name, s[0], s[1], s[2]), func(b *testing.B) {
				benchmarkGemm(b, tr.ta, tr.tb, s[0], s[1], s[2])
			})
		}
	}
}

// BenchmarkPeakFMA is the rate that BenchmarkGemm is to be read against, in the same run.
func BenchmarkPeakFMA(b *testing.B) {
	flops := 0
	for b.Loop() {
		flops += PeakFMA(1 << 16)
	}
	b.ReportMetric(float64(flops)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

// TestGemmInGaps checks that C may lie between the columns of A.
func TestGemmInGaps(t *testing.T) {
	const m, n, k = 5, 3, 4
	both, b := fill(rand.New(rand.NewPCG(6, 6)), m*(k+n)), fill(rand.New(rand.NewPCG(6, 7)), k*n)
	want := append([]float64(nil), both...)
	gemmNaive(false, false, m, n, k, 1, both, k+n, b, n, 0, want[k:], k+n)
	Gemm(false, false, m, n, k, 1, both, k+n, b, n, 0, both[k:], k+n)
	closeTo(t, "C in the gaps of A", both, want, 1e-14)
}

// TestGemmConcurrent runs products of several shapes at once: workspaces must not be shared.
func TestGemmConcurrent(t *testing.T) {
	var group sync.WaitGroup
	for w := range 12 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 9))
			m, n, k := 30+w, 40+2*w, 50+3*w
			a, b := fill(rng, m*k), fill(rng, k*n)
			got, want := make([]float64, m*n), make([]float64, m*n)
			gemmNaive(false, false, m, n, k, 1, a, k, b, n, 0, want, n)
			for range 50 {
				Gemm(false, false, m, n, k, 1, a, k, b, n, 0, got, n)
				closeTo(t, "concurrent", got, want, 1e-12)
			}
		})
	}
	group.Wait()
}
