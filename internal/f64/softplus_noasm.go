//go:build !amd64 || purego

package f64

func softplus(dst, x []float64)        { softplusGeneric(dst, x) }
func softplusGrad(dx, y, dy []float64) { softplusGradGeneric(dx, y, dy) }
func softplusMask(dy, y []float64)     { softplusMaskGeneric(dy, y) }
