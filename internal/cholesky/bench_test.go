package cholesky_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/proxybd/proxybd/internal/cholesky"
	"github.com/proxybd/proxybd/internal/f64"
)

// gridMatrix returns the Laplacian of a grid plus the identity, as a lower triangle.
func gridMatrix(nx, ny, nz int) (n int, colPtr, rowIdx []int32, values []float64) {
	n = nx * ny * nz
	colPtr = []int32{0}
	for z := range nz {
		for y := range ny {
			for x := range nx {
				v := int32((z*ny+y)*nx + x)
				rowIdx = append(rowIdx, v)
				values = append(values, 7)
				for _, e := range []struct {
					inside bool
					step   int
				}{{x+1 < nx, 1}, {y+1 < ny, nx}, {z+1 < nz, nx * ny}} {
					if e.inside {
						rowIdx = append(rowIdx, v+int32(e.step))
						values = append(values, -1)
					}
				}
				colPtr = append(colPtr, int32(len(rowIdx)))
			}
		}
	}
	return n, colPtr, rowIdx, values
}

// denseMatrix returns the lower triangle of a full matrix.
func denseMatrix(n int) (_ int, colPtr, rowIdx []int32, values []float64) {
	colPtr = []int32{0}
	for j := range n {
		for i := j; i < n; i++ {
			rowIdx = append(rowIdx, int32(i))
			value := 1 / float64(1+i-j)
			if i == j {
				value = float64(n)
			}
			values = append(values, value)
		}
		colPtr = append(colPtr, int32(len(rowIdx)))
	}
	return n, colPtr, rowIdx, values
}

// BenchmarkFactorize reports the operations of the factorisation, a multiplication and an addition each counted, to be
// compared with BenchmarkGemm in the same run.
func BenchmarkFactorize(b *testing.B) {
	for _, c := range []struct {
		name   string
		matrix func() (int, []int32, []int32, []float64)
	}{
		{"dense-300", func() (int, []int32, []int32, []float64) { return denseMatrix(300) }},
		{"dense-1000", func() (int, []int32, []int32, []float64) { return denseMatrix(1000) }},
		{"dense-3000", func() (int, []int32, []int32, []float64) { return denseMatrix(3000) }},
		{"flat-300", func() (int, []int32, []int32, []float64) { return gridMatrix(300, 300, 1) }},
		{"cube-20", func() (int, []int32, []int32, []float64) { return gridMatrix(20, 20, 20) }},
		{"cube-35", func() (int, []int32, []int32, []float64) { return gridMatrix(35, 35, 35) }},
	} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%d", c.name, threads), func(b *testing.B) {
				n, colPtr, rowIdx, values := c.matrix()
				s, err := cholesky.Analyse(n, colPtr, rowIdx, cholesky.Options{Threads: threads})
				if err != nil {
					b.Fatal(err)
				}
				f := cholesky.NewFactor(s)
				for b.Loop() {
					if _, err := f.Factorize(values, cholesky.DefaultRegularisation()); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(s.Flops()*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

// BenchmarkGemm is the rate of a large matrix product.
func BenchmarkGemm(b *testing.B) {
	const n = 768
	x := make([]float64, n*n)
	y := make([]float64, n*n)
	z := make([]float64, n*n)
	for b.Loop() {
		f64.Gemm(true, false, n, n, n, 1, x, n, y, n, 0, z, n)
	}
	b.ReportMetric(2*n*n*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

// BenchmarkSolve reports the rate at which the factor is read.
func BenchmarkSolve(b *testing.B) {
	n, colPtr, rowIdx, values := gridMatrix(300, 300, 1)
	s, err := cholesky.Analyse(n, colPtr, rowIdx, cholesky.Options{Threads: runtime.GOMAXPROCS(0)})
	if err != nil {
		b.Fatal(err)
	}
	f := cholesky.NewFactor(s)
	if _, err := f.Factorize(values, cholesky.DefaultRegularisation()); err != nil {
		b.Fatal(err)
	}
	x := make([]float64, n)
	for b.Loop() {
		x[0] = 1
		f.Solve(x)
	}
	b.ReportMetric(2*8*float64(s.NonZeros())*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
}
