package f64

import "math"

// above returns x if y > 0, else 0. On the integers the compiler selects without a branch, which random signs
// would make it mispredict half the time.
func above(y, x float64) float64 {
	b := math.Float64bits(x)
	if !(y > 0) {
		b = 0
	}
	return math.Float64frombits(b)
}

// reluGeneric is Relu in Go.
func reluGeneric(dst, x []float64) {
	x = x[:len(dst)]

	for i := range dst {
		dst[i] = above(x[i], x[i])
	}
}

// reluGradGeneric is ReluGrad in Go.
func reluGradGeneric(dx, y, dy []float64) {
	y = y[:len(dx)]
	dy = dy[:len(dx)]

	for i := range dx {
		dx[i] += above(y[i], dy[i])
	}
}

// reluMaskGeneric is ReluMask in Go.
func reluMaskGeneric(dy, y []float64) {
	y = y[:len(dy)]

	for i := range dy {
		dy[i] = above(y[i], dy[i])
	}
}

// addReluGeneric adds b to x and keeps the positive part.
func addReluGeneric(x, b []float64) {
	b = b[:len(x)]

	for i := range x {
		v := x[i] + b[i]
		x[i] = above(v, v)
	}
}
