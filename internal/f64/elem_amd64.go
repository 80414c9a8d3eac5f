//go:build amd64 && !purego

package f64

func add(dst, x, y []float64) {
	switch active {
	case avx512:
		addAVX512(dst, x, y)
	case avx2:
		addAVX2(dst, x, y)
	default:
		addGeneric(dst, x, y)
	}
}

func sub(dst, x, y []float64) {
	switch active {
	case avx512:
		subAVX512(dst, x, y)
	case avx2:
		subAVX2(dst, x, y)
	default:
		subGeneric(dst, x, y)
	}
}

func mul(dst, x, y []float64) {
	switch active {
	case avx512:
		mulAVX512(dst, x, y)
	case avx2:
		mulAVX2(dst, x, y)
	default:
		mulGeneric(dst, x, y)
	}
}

func mulAdd(dst, x, y []float64) {
	switch active {
	case avx512:
		mulAddAVX512(dst, x, y)
	case avx2:
		mulAddAVX2(dst, x, y)
	default:
		mulAddGeneric(dst, x, y)
	}
}

//go:noescape
func addAVX2(dst, x, y []float64)

//go:noescape
func addAVX512(dst, x, y []float64)

//go:noescape
func subAVX2(dst, x, y []float64)

//go:noescape
func subAVX512(dst, x, y []float64)

//go:noescape
func mulAVX2(dst, x, y []float64)

//go:noescape
func mulAVX512(dst, x, y []float64)

//go:noescape
func mulAddAVX2(dst, x, y []float64)

//go:noescape
func mulAddAVX512(dst, x, y []float64)
