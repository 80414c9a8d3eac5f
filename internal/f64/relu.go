package f64

// Relu writes the positive part:
//
//	for i := range dst { if x[i] > 0 { dst[i] = x[i] } else { dst[i] = 0 } }
//
// A NaN gives 0, a negative zero gives 0. The lengths must be equal.
func Relu(dst, x []float64) {
	source("Relu", dst, x)
	relu(dst, x)
}

// ReluGrad adds the gradient of Relu, 0 at the kink:
//
//	for i := range dx { d := dy[i]; if !(y[i] > 0) { d = 0 }; dx[i] += d }
//
// where y may be Relu's argument or its result. The lengths must be equal.
func ReluGrad(dx, y, dy []float64) {
	sources("ReluGrad", dx, y, dy)
	reluGrad(dx, y, dy)
}

// ReluMask keeps the gradient where the result is positive:
//
//	for i := range dy { if !(y[i] > 0) { dy[i] = 0 } }
//
// The lengths must be equal.
func ReluMask(dy, y []float64) {
	source("ReluMask", dy, y)
	reluMask(dy, y)
}
