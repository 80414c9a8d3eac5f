package f64

// Gemv multiplies a row-major m x n matrix (leading dimension lda) by a vector:
//
//	y *= beta
//	for i := range m { y[i] += alpha * Dot(a[i*lda:i*lda+n], x) }
//
// with the bits of m calls of Dot. len(x) must be n and len(y) m; x and y must not overlap. y is not read when beta is
// 0.
func Gemv(m, n int, alpha float64, a []float64, lda int, x []float64, beta float64, y []float64) {
	matrixFits("Gemv", "A", m, n, lda, len(a))
	equalLen("Gemv", len(x), n)
	equalLen("Gemv", len(y), m)
	apart("Gemv", y, x)
	denseApart("Gemv", y, 1, m, m, a, m, n, lda)

	// A zero beta clears y, so that its old values are not read.
	scaleBy(beta, y)
	if m > 0 && n > 0 {
		gemvAdd(alpha, a, lda, x, y)
	}
}

// gemvT multiplies the transpose of a row-major m x n matrix by a vector, with the bits of m calls of Axpy in order:
//
//	y *= beta
//	for i := range m { for j := range n { y[j] += (alpha*x[i]) * a[i*lda+j] } }
//
// len(x) must be m and len(y) n; x and y must not overlap. y is not read when beta is 0.
func gemvT(m, n int, alpha float64, a []float64, lda int, x []float64, beta float64, y []float64) {
	matrixFits("gemvT", "A", m, n, lda, len(a))
	equalLen("GemvT", len(x), m)
	equalLen("GemvT", len(y), n)
	apart("GemvT", y, x)
	denseApart("GemvT", y, 1, n, n, a, m, n, lda)
	scaleBy(beta, y)
	if n == 0 {
		return
	}

	// Four rows at a time, so that y is read and written once for them.
	i := 0
	for ; i+4 <= m; i += 4 {
		v := [4]float64{alpha * x[i], alpha * x[i+1], alpha * x[i+2], alpha * x[i+3]}
		gemvT4(&v, a[i*lda:], lda, y)
	}
	for ; i < m; i++ {
		axpy(alpha*x[i], a[i*lda:i*lda+n], y)
	}
}

// scaleBy multiplies y by beta; a zero beta clears y whatever it holds.
func scaleBy(beta float64, y []float64) {
	switch beta {
	case 0:
		clear(y)
	case 1:
	default:
		scal(beta, y)
	}
}
