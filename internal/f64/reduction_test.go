package f64

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// reduction is a kernel that returns sums over two vectors; terms gives the terms of element i.
type reduction struct {
	name  string
	run   func(x, y []float64) []float64
	terms func(x, y float64) []float64
}

func reductionKernels() []reduction {
	return []reduction{
		{"Dot", func(x, y []float64) []float64 { return []float64{Dot(x, y)} },
			func(x, y float64) []float64 { return []float64{x * y} }},
		{"Sum", func(x, _ []float64) []float64 { return []float64{Sum(x)} },
			func(x, _ float64) []float64 { return []float64{x} }},
	}
}

// TestReductions compares every implementation with the doc's loop within the error bound of any order of
// summation, n 2^-53 sum |term|, and to the bit with itself at another alignment.
func TestReductions(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(21, 22))
		for _, k := range reductionKernels() {
			for n := range 300 {
				if n >= 140 {
					n = n*7 - 800
				}
				x, _ := fillGuarded(rng, n, rng.IntN(8))
				y, _ := fillGuarded(rng, n, rng.IntN(8))
				got := k.run(x, y)
				for r := range got {
					var want, bound float64
					for i := range x {
						v := k.terms(x[i], y[i])[r]
						want += v
						bound += math.Abs(v)
					}
					if err := math.Abs(got[r] - want); !(err <= 2e-16*float64(n+2)*bound) {
						t.Fatalf("%s: result %d at n=%d is %g, want %g", k.name, r, n, got[r], want)
					}
				}
				x2, _ := fillGuarded(rng, n, rng.IntN(8))
				y2, _ := fillGuarded(rng, n, rng.IntN(8))
				copy(x2, x)
				copy(y2, y)
				for r, v := range k.run(x2, y2) {
					if v != got[r] {
						t.Fatalf("%s: result %d at n=%d depends on the alignment: %g, %g", k.name, r, n, got[r], v)
					}
				}
			}
		}
	})
}

func TestGemv(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for m := range 20 {
			for _, n := range []int{0, 1, 2, 3, 5, 8, 17, 33, 100} {
				for _, beta := range []float64{0, 1, -2} {
					lda := n + rng.IntN(4)
					size := 0
					if m > 0 {
						size = (m-1)*lda + n
					}
					a, _ := fillGuarded(rng, size, rng.IntN(4))
					x, _ := fillGuarded(rng, n, rng.IntN(4))
					y, wy := fillGuarded(rng, m, rng.IntN(4))
					u, wu := fillGuarded(rng, n, rng.IntN(4))
					v, _ := fillGuarded(rng, m, rng.IntN(4))
					wantY, wantU := append([]float64(nil), y...), append([]float64(nil), u...)
					gemmNaive(false, false, m, 1, n, 1.5, a, lda, x, 1, beta, wantY, 1)
					gemmNaive(true, false, n, 1, m, 1.5, a, lda, v, 1, beta, wantU, 1)
					if beta == 0 {
						for i := range y {
							y[i] = math.NaN()
						}
					}
					Gemv(m, n, 1.5, a, lda, x, beta, y)
					gemvT(m, n, 1.5, a, lda, v, beta, u)
					name := fmt.Sprintf("m=%d n=%d beta=%g", m, n, beta)
					closeTo(t, "Gemv "+name, y, wantY, 1e-13)
					closeTo(t, "GemvT "+name, u, wantU, 1e-13)
					checkGuards(t, "Gemv "+name, y, wy)
					checkGuards(t, "GemvT "+name, u, wu)
				}
			}
		}
	})
}

// TestGemvBits compares Gemv with calls of Dot and GemvT with calls of Axpy, to the bit.
func TestGemvBits(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(15, 16))
		for m := range 12 {
			for n := range 80 {
				lda := n + rng.IntN(3)
				a, x, y := fill(rng, m*lda+n), fill(rng, n), fill(rng, m)
				wantY, wantX := append([]float64(nil), y...), append([]float64(nil), x...)
				for i := range m {
					wantY[i] += float64(0.7 * Dot(a[i*lda:i*lda+n], x))
					Axpy(0.7*y[i], a[i*lda:i*lda+n], wantX)
				}
				gotY, gotX := append([]float64(nil), y...), append([]float64(nil), x...)
				Gemv(m, n, 0.7, a, lda, x, 1, gotY)
				gemvT(m, n, 0.7, a, lda, y, 1, gotX)
				closeTo(t, fmt.Sprintf("Gemv m=%d n=%d", m, n), gotY, wantY, 0)
				closeTo(t, fmt.Sprintf("GemvT m=%d n=%d", m, n), gotX, wantX, 0)
			}
		}
	})
}

func BenchmarkReduction(b *testing.B) {
	for _, k := range reductionKernels() {
		for _, n := range []int{16, 64, 1024, 65536} {
			b.Run(fmt.Sprintf("%s/%d", k.name, n), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 1))
				x, y := fill(rng, n), fill(rng, n)
				b.SetBytes(int64(16 * n))
				for b.Loop() {
					k.run(x, y)
				}
			})
		}
	}
}

// BenchmarkGemv reports the rate at which the matrix is read.
func BenchmarkGemv(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{16, 64, 512, 2000} {
		a, x, y := fill(rng, n*n), fill(rng, n), make([]float64, n)
		for name, f := range map[string]func(){
			"Gemv":  func() { Gemv(n, n, 1, a, n, x, 0, y) },
			"GemvT": func() { gemvT(n, n, 1, a, n, x, 0, y) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(8 * n * n))
				for b.Loop() {
					f()
				}
			})
		}
	}
}

// TestAddRows compares every implementation with the doc's loop to the bit.
func TestAddRows(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(41, 42))
		for m := range 10 {
			for n := range 70 {
				lda := n + rng.IntN(3)
				a, _ := fillGuarded(rng, max((m-1)*lda+n, 0)*min(m, 1), rng.IntN(4))
				dst, whole := fillGuarded(rng, n, rng.IntN(4))
				want := append([]float64(nil), dst...)
				for i := range m {
					for j := range want {
						want[j] += a[i*lda+j]
					}
				}
				AddRows(dst, m, a, lda)
				closeTo(t, fmt.Sprintf("m=%d n=%d", m, n), dst, want, 0)
				checkGuards(t, "AddRows", dst, whole)
			}
		}
	})
}
