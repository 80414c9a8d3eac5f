package f64

// Add writes the elementwise sum:
//
//	for i := range dst { dst[i] = x[i] + y[i] }
//
// The lengths must be equal.
func Add(dst, x, y []float64) {
	sources("Add", dst, x, y)
	add(dst, x, y)
}

// Sub writes the elementwise difference:
//
//	for i := range dst { dst[i] = x[i] - y[i] }
//
// The lengths must be equal.
func Sub(dst, x, y []float64) {
	sources("Sub", dst, x, y)
	sub(dst, x, y)
}

// Mul writes the elementwise product:
//
//	for i := range dst { dst[i] = x[i] * y[i] }
//
// The lengths must be equal.
func Mul(dst, x, y []float64) {
	sources("Mul", dst, x, y)
	mul(dst, x, y)
}

// MulAdd adds the elementwise product:
//
//	for i := range dst { dst[i] += x[i] * y[i] }
//
// The lengths must be equal.
func MulAdd(dst, x, y []float64) {
	sources("MulAdd", dst, x, y)
	mulAdd(dst, x, y)
}
