package f64

func reluGeneric(dst, x []float64) {
	x = x[:len(dst)]
	for i := range dst {
		v := x[i]
		if !(v > 0) {
			v = 0
		}
		dst[i] = v
	}
}

func reluGradGeneric(dx, y, dy []float64) {
	y, dy = y[:len(dx)], dy[:len(dx)]
	for i := range dx {
		d := dy[i]
		if !(y[i] > 0) {
			d = 0
		}
		dx[i] += d
	}
}

func reluMaskGeneric(dy, y []float64) {
	y = y[:len(dy)]
	for i := range dy {
		if !(y[i] > 0) {
			dy[i] = 0
		}
	}
}

func addReluGeneric(x, b []float64) {
	b = b[:len(x)]
	for i := range x {
		v := x[i] + b[i]
		if !(v > 0) {
			v = 0
		}
		x[i] = v
	}
}
