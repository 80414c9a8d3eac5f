//go:build amd64 && !purego

package f64

func axpy(alpha float64, x, y []float64) {
	switch active {
	case avx512:
		axpyAVX512(alpha, x, y)
	case avx2:
		axpyAVX2(alpha, x, y)
	default:
		axpyGeneric(alpha, x, y)
	}
}

func scal(alpha float64, x []float64) {
	switch active {
	case avx512:
		scalAVX512(alpha, x)
	case avx2:
		scalAVX2(alpha, x)
	default:
		scalGeneric(alpha, x)
	}
}

//go:noescape
func axpyAVX2(alpha float64, x, y []float64)

//go:noescape
func axpyAVX512(alpha float64, x, y []float64)

//go:noescape
func scalAVX2(alpha float64, x []float64)

//go:noescape
func scalAVX512(alpha float64, x []float64)
