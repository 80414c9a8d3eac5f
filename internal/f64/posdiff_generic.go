package f64

func accumPositiveDiffGeneric(beta []float64, p float64, c []float64) {
	beta = beta[:len(c)]
	for j, v := range c {
		d := p - v
		if !(d > 0) {
			d = 0
		}
		beta[j] += d
	}
}

func positiveDiffGeneric(y []float64, p float64, c []float64) (value, slope float64) {
	var v, s [4]float64
	y = y[:len(c)]
	j := 0
	for ; j+4 <= len(c); j += 4 {
		a, b := c[j:j+4:j+4], y[j:j+4:j+4]
		for r := range 4 {
			if d := p - a[r]; d > 0 {
				v[r] += b[r] * d
				s[r] += b[r]
			}
		}
	}
	value = (v[0] + v[1]) + (v[2] + v[3])
	slope = (s[0] + s[1]) + (s[2] + s[3])
	for ; j < len(c); j++ {
		if d := p - c[j]; d > 0 {
			value += y[j] * d
			slope += y[j]
		}
	}
	return value, slope
}
