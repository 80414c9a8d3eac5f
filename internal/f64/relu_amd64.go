//go:build amd64 && !purego

package f64

func relu(dst, x []float64) {
	switch active {
	case avx512:
		reluAVX512(dst, x)
	case avx2:
		reluAVX2(dst, x)
	default:
		reluGeneric(dst, x)
	}
}

func reluGrad(dx, y, dy []float64) {
	switch active {
	case avx512:
		reluGradAVX512(dx, y, dy)
	case avx2:
		reluGradAVX2(dx, y, dy)
	default:
		reluGradGeneric(dx, y, dy)
	}
}

func reluMask(dy, y []float64) {
	switch active {
	case avx512:
		reluMaskAVX512(dy, y)
	case avx2:
		reluMaskAVX2(dy, y)
	default:
		reluMaskGeneric(dy, y)
	}
}

func addRelu(x, b []float64) {
	switch active {
	case avx512:
		addReluAVX512(x, b)
	case avx2:
		addReluAVX2(x, b)
	default:
		addReluGeneric(x, b)
	}
}

//go:noescape
func reluAVX2(dst, x []float64)

//go:noescape
func reluAVX512(dst, x []float64)

//go:noescape
func reluGradAVX2(dx, y, dy []float64)

//go:noescape
func reluGradAVX512(dx, y, dy []float64)

//go:noescape
func reluMaskAVX2(dy, y []float64)

//go:noescape
func reluMaskAVX512(dy, y []float64)

//go:noescape
func addReluAVX2(x, b []float64)

//go:noescape
func addReluAVX512(x, b []float64)
