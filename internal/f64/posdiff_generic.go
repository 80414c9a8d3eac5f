package f64

func accumPositiveDiffGeneric(beta []float64, p float64, c []float64) {
	beta = beta[:len(c)]
	for j, v := range c {
		d := p - v
		beta[j] += above(d, d)
	}
}

// positiveDiffGeneric masks both factors, so that what lies outside does not matter, infinite or not.
func positiveDiffGeneric(y []float64, p float64, c []float64) (value, slope float64) {
	var v0, v1, s0, s1 float64
	y = y[:len(c)]
	j := 0
	for ; j+2 <= len(c); j += 2 {
		d0, d1 := p-c[j], p-c[j+1]
		y0, y1 := above(d0, y[j]), above(d1, y[j+1])
		v0 += y0 * above(d0, d0)
		v1 += y1 * above(d1, d1)
		s0 += y0
		s1 += y1
	}
	value, slope = v0+v1, s0+s1
	if j < len(c) {
		d := p - c[j]
		w := above(d, y[j])
		value += w * above(d, d)
		slope += w
	}
	return value, slope
}
