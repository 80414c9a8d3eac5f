//go:build !amd64 || purego

package f64

func gemvAdd(alpha float64, a []float64, lda int, x, y []float64) { gemvGeneric(alpha, a, lda, x, y) }
func gemvT4(v *[4]float64, a []float64, lda int, y []float64)     { gemvT4Generic(v, a, lda, y) }
