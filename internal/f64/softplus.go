package f64

// Softplus writes log(1 + exp(x)):
//
//	for i := range dst { dst[i] = max(x[i], 0) + log1p(exp(-|x[i]|)) }
//
// with a relative error below 1e-15, without overflow; results below 1e-304 (x < -700) are given as about 1e-304.
// A NaN stays one. The lengths must be equal.
func Softplus(dst, x []float64) {
	source("Softplus", dst, x)
	softplus(dst, x)
}

// SoftplusGrad adds the gradient of Softplus in terms of its result y >= 0, since 1/(1+exp(-x)) = 1 - exp(-y):
//
//	for i := range dx { dx[i] += (1 - exp(-y[i])) * dy[i] }
//
// where the factor has a relative error below 1e-15. The lengths must be equal.
func SoftplusGrad(dx, y, dy []float64) {
	sources("SoftplusGrad", dx, y, dy)
	softplusGrad(dx, y, dy)
}

// SoftplusMask multiplies a gradient by Softplus's derivative in terms of its result y >= 0:
//
//	for i := range dy { dy[i] *= 1 - exp(-y[i]) }
//
// with the error of SoftplusGrad. The lengths must be equal.
func SoftplusMask(dy, y []float64) {
	source("SoftplusMask", dy, y)
	softplusMask(dy, y)
}
