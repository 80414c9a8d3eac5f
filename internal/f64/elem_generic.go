package f64

// addGeneric is Add in Go. In this file the slices get equal lengths, so that the loops need no check of the bounds.
func addGeneric(dst, x, y []float64) {
	x = x[:len(dst)]
	y = y[:len(dst)]

	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

// subGeneric is Sub in Go.
func subGeneric(dst, x, y []float64) {
	x = x[:len(dst)]
	y = y[:len(dst)]

	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

// mulGeneric is Mul in Go.
func mulGeneric(dst, x, y []float64) {
	x = x[:len(dst)]
	y = y[:len(dst)]

	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

// mulAddGeneric is MulAdd in Go.
func mulAddGeneric(dst, x, y []float64) {
	x = x[:len(dst)]
	y = y[:len(dst)]

	// The conversion forbids the compiler to fuse the product with the sum.
	for i := range dst {
		dst[i] += float64(x[i] * y[i])
	}
}
