package f64

import "math"

// Softplus writes log(1 + exp(x)), computed without overflow:
//
//	for i := range dst { dst[i] = max(x[i], 0) + math.Log1p(math.Exp(-math.Abs(x[i]))) }
//
// The lengths must be equal.
func Softplus(dst, x []float64) {
	equalLen("Softplus", len(dst), len(x))
	for i, v := range x {
		dst[i] = max(v, 0) + math.Log1p(math.Exp(-math.Abs(v)))
	}
}

// SoftplusGrad adds the gradient of Softplus in terms of its result y, since 1/(1+exp(-x)) = 1 - exp(-y):
//
//	for i := range dx { dx[i] += -math.Expm1(-y[i]) * dy[i] }
//
// The lengths must be equal.
func SoftplusGrad(dx, y, dy []float64) {
	equalLen("SoftplusGrad", len(dx), len(y))
	equalLen("SoftplusGrad", len(dx), len(dy))
	for i, v := range y {
		dx[i] += float64(-math.Expm1(-v) * dy[i])
	}
}

// SoftplusMask multiplies a gradient by Softplus's derivative in terms of its result y:
//
//	for i := range dy { dy[i] *= -math.Expm1(-y[i]) }
//
// The lengths must be equal.
func SoftplusMask(dy, y []float64) {
	equalLen("SoftplusMask", len(dy), len(y))
	for i, v := range y {
		dy[i] *= -math.Expm1(-v)
	}
}
