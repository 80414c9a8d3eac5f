//go:build !amd64 || purego

package f64

func axpy(alpha float64, x, y []float64) { axpyGeneric(alpha, x, y) }
func scal(alpha float64, x []float64)    { scalGeneric(alpha, x) }
