package f64

func addGeneric(dst, x, y []float64) {
	x = x[:len(dst)]
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

func subGeneric(dst, x, y []float64) {
	x = x[:len(dst)]
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

func mulGeneric(dst, x, y []float64) {
	x = x[:len(dst)]
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

func mulAddGeneric(dst, x, y []float64) {
	x = x[:len(dst)]
	y = y[:len(dst)]
	for i := range dst {
		dst[i] += float64(x[i] * y[i])
	}
}
