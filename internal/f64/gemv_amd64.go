//go:build amd64 && !purego

package f64

// gemvGroup is the number of rows that the kernel takes at a time.
var gemvGroup = [...]int{generic: 1, avx2: 2, avx512: 4}

// gemvAdd adds alpha A x to y; n > 0.
func gemvAdd(alpha float64, a []float64, lda int, x, y []float64) {
	// The kernel takes groups of rows; the last rows are left to Go.
	group := gemvGroup[active]
	whole := len(y) / group * group
	if active == generic || whole == 0 {
		gemvGeneric(alpha, a, lda, x, y)
		return
	}

	// The assembly checks no bounds: the last value that it reads is accessed here before.
	_ = a[(whole-1)*lda+len(x)-1]
	if active == avx512 {
		gemvAVX512(whole, alpha, &a[0], lda, x, y)
	} else {
		gemvAVX2(whole, alpha, &a[0], lda, x, y)
	}
	if whole < len(y) {
		gemvGeneric(alpha, a[whole*lda:], lda, x, y[whole:])
	}
}

// gemvT4 adds four rows of A, multiplied by v, to y; len(y) > 0.
func gemvT4(v *[4]float64, a []float64, lda int, y []float64) {
	// The last value that the assembly reads is accessed here before.
	_ = a[3*lda+len(y)-1]
	switch active {
	case avx512:
		gemvT4AVX512(v, &a[0], lda, y)
	case avx2:
		gemvT4AVX2(v, &a[0], lda, y)
	default:
		gemvT4Generic(v, a, lda, y)
	}
}

//go:noescape
func gemvAVX2(m int, alpha float64, a *float64, lda int, x, y []float64)

//go:noescape
func gemvAVX512(m int, alpha float64, a *float64, lda int, x, y []float64)

//go:noescape
func gemvT4AVX2(v *[4]float64, a *float64, lda int, y []float64)

//go:noescape
func gemvT4AVX512(v *[4]float64, a *float64, lda int, y []float64)
