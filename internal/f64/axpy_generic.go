package f64

// The conversions forbid the compiler to fuse.

// axpyGeneric is Axpy in Go.
func axpyGeneric(alpha float64, x, y []float64) {
	// Slices of equal lengths need no check of their bounds in the loop.
	y = y[:len(x)]

	for i, v := range x {
		y[i] += float64(alpha * v)
	}
}

// scalGeneric is Scal in Go.
func scalGeneric(alpha float64, x []float64) {
	for i := range x {
		x[i] *= alpha
	}
}
