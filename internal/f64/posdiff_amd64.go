//go:build amd64 && !purego

package f64

func accumPositiveDiff(beta []float64, p float64, c []float64) {
	switch active {
	case avx512:
		accumPositiveDiffAVX512(beta, p, c)
	case avx2:
		accumPositiveDiffAVX2(beta, p, c)
	default:
		accumPositiveDiffGeneric(beta, p, c)
	}
}

func positiveDiff(y []float64, p float64, c []float64) (value, slope float64) {
	switch active {
	case avx512:
		return positiveDiffAVX512(y, p, c)
	case avx2:
		return positiveDiffAVX2(y, p, c)
	}
	return positiveDiffGeneric(y, p, c)
}

//go:noescape
func accumPositiveDiffAVX2(beta []float64, p float64, c []float64)

//go:noescape
func accumPositiveDiffAVX512(beta []float64, p float64, c []float64)

//go:noescape
func positiveDiffAVX2(y []float64, p float64, c []float64) (value, slope float64)

//go:noescape
func positiveDiffAVX512(y []float64, p float64, c []float64) (value, slope float64)
