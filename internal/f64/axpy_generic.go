package f64

// The conversions forbid the compiler to fuse.

func axpyGeneric(alpha float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += float64(alpha * v)
	}
}

func axpbyGeneric(alpha float64, x []float64, beta float64, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = float64(alpha*v) + float64(beta*y[i])
	}
}

func scalGeneric(alpha float64, x []float64) {
	for i := range x {
		x[i] *= alpha
	}
}
