package f64

// dotGeneric keeps four sums: each has every fourth product, so that additions do not wait for one another.
func dotGeneric(x, y []float64) float64 {
	// Four values of both slices at a time, with one check of the bounds.
	var s0, s1, s2, s3 float64
	y = y[:len(x)]
	i := 0
	for ; i+4 <= len(x); i += 4 {
		a := x[i : i+4 : i+4]
		b := y[i : i+4 : i+4]
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
	}

	// The four sums are added in pairs, then the last products in order.
	s := (s0 + s1) + (s2 + s3)
	for ; i < len(x); i++ {
		s += x[i] * y[i]
	}
	return s
}

// sumGeneric keeps four sums, as dotGeneric does.
func sumGeneric(x []float64) float64 {
	// The parts are those of dotGeneric.
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		a := x[i : i+4 : i+4]
		s0 += a[0]
		s1 += a[1]
		s2 += a[2]
		s3 += a[3]
	}

	// The same order as in dotGeneric.
	s := (s0 + s1) + (s2 + s3)
	for ; i < len(x); i++ {
		s += x[i]
	}
	return s
}
