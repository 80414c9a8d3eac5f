package f64

// gemvGeneric adds alpha A x to y, row by row.
func gemvGeneric(alpha float64, a []float64, lda int, x, y []float64) {
	// Each row is a product in the order of Dot.
	for i := range y {
		y[i] += float64(alpha * dot(a[i*lda:i*lda+len(x)], x))
	}
}

// gemvT4Generic adds four rows of A, multiplied by v, to y.
func gemvT4Generic(v *[4]float64, a []float64, lda int, y []float64) {
	// Slices of equal lengths need no check of their bounds in the loop.
	n := len(y)
	r0 := a[:n]
	r1 := a[lda : lda+n]
	r2 := a[2*lda : 2*lda+n]
	r3 := a[3*lda : 3*lda+n]

	// The products are rounded, and added in the order of the rows.
	for j := range y {
		y[j] = (((y[j] + float64(v[0]*r0[j])) + float64(v[1]*r1[j])) + float64(v[2]*r2[j])) + float64(v[3]*r3[j])
	}
}
