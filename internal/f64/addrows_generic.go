package f64

// addRows4Generic adds four rows.
func addRows4Generic(dst, a []float64, lda int) {
	// Slices of equal lengths need no check of their bounds in the loop.
	n := len(dst)
	r0 := a[:n]
	r1 := a[lda : lda+n]
	r2 := a[2*lda : 2*lda+n]
	r3 := a[3*lda : 3*lda+n]

	// The order of the sum is that of the rows.
	for j := range dst {
		dst[j] = (((dst[j] + r0[j]) + r1[j]) + r2[j]) + r3[j]
	}
}
