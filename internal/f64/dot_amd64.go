//go:build amd64 && !purego

package f64

func dot(x, y []float64) float64 {
	switch active {
	case avx512:
		return dotAVX512(x, y)
	case avx2:
		return dotAVX2(x, y)
	}
	return dotGeneric(x, y)
}

func sum(x []float64) float64 {
	switch active {
	case avx512:
		return sumAVX512(x)
	case avx2:
		return sumAVX2(x)
	}
	return sumGeneric(x)
}

//go:noescape
func dotAVX2(x, y []float64) float64

//go:noescape
func dotAVX512(x, y []float64) float64

//go:noescape
func sumAVX2(x []float64) float64

//go:noescape
func sumAVX512(x []float64) float64
