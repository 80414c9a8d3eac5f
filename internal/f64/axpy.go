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

// Scal scales x in place:
//
//	for i := range x { x[i] *= alpha }
func Scal(alpha float64, x []float64) { scal(alpha, x) }
