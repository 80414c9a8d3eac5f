package f64

// AddRows adds the m rows of a matrix (leading dimension lda) to dst, in order:
//
//	for i := range m { for j := range dst { dst[j] += a[i*lda+j] } }
//
// dst must not overlap a.
func AddRows(dst []float64, m int, a []float64, lda int) {
	matrixFits("AddRows", "A", m, len(dst), lda, len(a))
	denseApart("AddRows", dst, 1, len(dst), len(dst), a, m, len(dst), lda)
	if len(dst) == 0 {
		return
	}

	// Four rows at a time, so that dst is read and written once for them; the last rows follow one by one.
	i := 0
	for ; i+4 <= m; i += 4 {
		addRows4(dst, a[i*lda:], lda)
	}
	for ; i < m; i++ {
		add(dst, dst, a[i*lda:i*lda+len(dst)])
	}
}
