package f64

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestGemmUpper compares the upper triangle with that of the naive product, for shapes around those of tiles and blocks.
func TestGemmUpper(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, s := range [][3]int{{1, 1, 1}, {3, 5, 2}, {12, 16, 4}, {13, 17, 5}, {40, 20, 7}, {97, 130, 9}, {200, 200, 33},
		{20, 1600, 5}, {100, 110, 520}, {5, 7, 0}} {
		for code := range 4 {
			testGemmUpper(t, rng, s[0], s[1], s[2], code&1 != 0, code&2 != 0)
		}
	}
}

// testGemmUpper adds to C, and overwrites a C of NaNs.
func testGemmUpper(t *testing.T, rng *rand.Rand, m, n, k int, ta, tb bool) {
	t.Helper()
	lda, ldb, ldc := k+2, n+1, n+3
	if ta {
		lda = m + 2
	}
	if tb {
		ldb = k + 1
	}
	a := fill(rng, max(m, k)*lda)
	b := fill(rng, max(n, k)*ldb)
	for _, beta := range []float64{0, 1} {
		c, whole := fillGuarded(rng, m*ldc, 0)
		if beta == 0 {
			for i := range c {
				c[i] = math.NaN()
			}
		}
		want := append([]float64(nil), c...)
		gemmNaive(ta, tb, m, n, k, -1, a, lda, b, ldb, beta, want, ldc)
		GemmUpper(ta, tb, m, n, k, -1, a, lda, b, ldb, beta, c, ldc)
		for i := range m {
			for j := i; j < n; j++ {
				if !(math.Abs(c[i*ldc+j]-want[i*ldc+j]) <= 1e-13*float64(k+1)) {
					t.Fatalf("%s: C[%d][%d] = %g, want %g", fmt.Sprint(m, n, k, ta, tb, beta), i, j, c[i*ldc+j], want[i*ldc+j])
				}
			}
		}
		checkGuards(t, "C", c, whole)
	}
}
