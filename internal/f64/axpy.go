package f64

// Axpy adds a multiple of x to y:
//
//	for i := range x { y[i] += alpha * x[i] }
//
// The lengths must be equal.
func Axpy(alpha float64, x, y []float64) {
	equalLen("Axpy", len(x), len(y))
	inPlace("Axpy", y, x)
	axpy(alpha, x, y)
}

// Axpby forms a combination in y:
//
//	for i := range x { y[i] = alpha*x[i] + beta*y[i] }
//
// The lengths must be equal.
func Axpby(alpha float64, x []float64, beta float64, y []float64) {
	equalLen("Axpby", len(x), len(y))
	inPlace("Axpby", y, x)
	axpby(alpha, x, beta, y)
}

// Scal scales x in place:
//
//	for i := range x { x[i] *= alpha }
func Scal(alpha float64, x []float64) { scal(alpha, x) }
