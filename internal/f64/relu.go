package f64

// Relu writes the positive part:
//
//	for i := range dst { if x[i] > 0 { dst[i] = x[i] } else { dst[i] = 0 } }
//
// A NaN gives 0, a negative zero gives 0. The lengths must be equal.
func Relu(dst, x []float64) {
	equalLen("Relu", len(dst), len(x))
	inPlace("Relu", dst, x)
	relu(dst, x)
}

// ReluGrad adds the gradient of Relu, 0 at the kink:
//
//	for i := range dx { d := dy[i]; if !(y[i] > 0) { d = 0 }; dx[i] += d }
//
// where y may be Relu's argument or its result. The lengths must be equal.
func ReluGrad(dx, y, dy []float64) {
	equalLen("ReluGrad", len(dx), len(y))
	equalLen("ReluGrad", len(dx), len(dy))
	inPlace("ReluGrad", dx, y)
	inPlace("ReluGrad", dx, dy)
	reluGrad(dx, y, dy)
}

// ReluMask keeps the gradient where the result is positive:
//
//	for i := range dy { if !(y[i] > 0) { dy[i] = 0 } }
//
// The lengths must be equal.
func ReluMask(dy, y []float64) {
	equalLen("ReluMask", len(dy), len(y))
	inPlace("ReluMask", dy, y)
	reluMask(dy, y)
}
