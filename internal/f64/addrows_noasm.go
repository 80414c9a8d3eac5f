//go:build !amd64 || purego

package f64

func addRows4(dst, a []float64, lda int) { addRows4Generic(dst, a, lda) }
