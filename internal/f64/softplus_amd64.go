//go:build amd64 && !purego

package f64

func softplus(dst, x []float64) {
	switch active {
	case avx512:
		softplusAVX512(dst, x)
	case avx2:
		softplusAVX2(dst, x)
	default:
		softplusGeneric(dst, x)
	}
}

func softplusGrad(dx, y, dy []float64) {
	switch active {
	case avx512:
		softplusGradAVX512(dx, y, dy)
	case avx2:
		softplusGradAVX2(dx, y, dy)
	default:
		softplusGradGeneric(dx, y, dy)
	}
}

func softplusMask(dy, y []float64) {
	switch active {
	case avx512:
		softplusMaskAVX512(dy, y)
	case avx2:
		softplusMaskAVX2(dy, y)
	default:
		softplusMaskGeneric(dy, y)
	}
}

//go:noescape
func softplusAVX2(dst, x []float64)

//go:noescape
func softplusAVX512(dst, x []float64)

//go:noescape
func softplusGradAVX2(dx, y, dy []float64)

//go:noescape
func softplusGradAVX512(dx, y, dy []float64)

//go:noescape
func softplusMaskAVX2(dy, y []float64)

//go:noescape
func softplusMaskAVX512(dy, y []float64)
