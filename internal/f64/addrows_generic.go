package f64

// addRows4Generic adds four rows.
func addRows4Generic(dst, a []float64, lda int) {
	n := len(dst)
	r0 := a[:n]
	r1 := a[lda : lda+n]
	r2 := a[2*lda : 2*lda+n]
	r3 := a[3*lda : 3*lda+n]
	for j := range dst {
		dst[j] = (((dst[j] + r0[j]) + r1[j]) + r2[j]) + r3[j]
	}
}
