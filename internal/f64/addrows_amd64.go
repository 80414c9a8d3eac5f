//go:build amd64 && !purego

package f64

func addRows4(dst, a []float64, lda int) {
	// The assembly checks no bounds: the last value that it reads is accessed here before.
	_ = a[3*lda+len(dst)-1]
	switch active {
	case avx512:
		addRows4AVX512(dst, &a[0], lda)
	case avx2:
		addRows4AVX2(dst, &a[0], lda)
	default:
		addRows4Generic(dst, a, lda)
	}
}

//go:noescape
func addRows4AVX2(dst []float64, a *float64, lda int)

//go:noescape
func addRows4AVX512(dst []float64, a *float64, lda int)
