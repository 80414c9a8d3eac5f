package f64

// Gemv multiplies a row-major m x n matrix (leading dimension lda) by a vector:
//
//	for i := range m { y[i] = alpha*Dot(a[i*lda:i*lda+n], x) + beta*y[i] }
//
// len(x) must be n and len(y) m; x and y must not overlap. y is not read when beta is 0.
func Gemv(m, n int, alpha float64, a []float64, lda int, x []float64, beta float64, y []float64) {
	matrixFits("Gemv", "A", m, n, lda, len(a))
	equalLen("Gemv", len(x), n)
	equalLen("Gemv", len(y), m)
	scaleBy(beta, y)
	for i := range y {
		y[i] += alpha * dot(a[i*lda:i*lda+n], x)
	}
}

// GemvT multiplies the transpose of a row-major m x n matrix by a vector, as m calls of Axpy in order:
//
//	y *= beta
//	for i := range m { for j := range n { y[j] += (alpha*x[i]) * a[i*lda+j] } }
//
// len(x) must be m and len(y) n; x and y must not overlap. y is not read when beta is 0.
func GemvT(m, n int, alpha float64, a []float64, lda int, x []float64, beta float64, y []float64) {
	matrixFits("GemvT", "A", m, n, lda, len(a))
	equalLen("GemvT", len(x), m)
	equalLen("GemvT", len(y), n)
	scaleBy(beta, y)
	for i, v := range x {
		axpy(alpha*v, a[i*lda:i*lda+n], y)
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
