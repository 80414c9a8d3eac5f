package f64

// Add writes the elementwise sum:
//
//	for i := range dst { dst[i] = x[i] + y[i] }
//
// The lengths must be equal.
func Add(dst, x, y []float64) {
	equalLen("Add", len(dst), len(x))
	equalLen("Add", len(dst), len(y))
	inPlace("Add", dst, x)
	inPlace("Add", dst, y)
	add(dst, x, y)
}

// Sub writes the elementwise difference:
//
//	for i := range dst { dst[i] = x[i] - y[i] }
//
// The lengths must be equal.
func Sub(dst, x, y []float64) {
	equalLen("Sub", len(dst), len(x))
	equalLen("Sub", len(dst), len(y))
	inPlace("Sub", dst, x)
	inPlace("Sub", dst, y)
	sub(dst, x, y)
}

// Mul writes the elementwise product:
//
//	for i := range dst { dst[i] = x[i] * y[i] }
//
// The lengths must be equal.
func Mul(dst, x, y []float64) {
	equalLen("Mul", len(dst), len(x))
	equalLen("Mul", len(dst), len(y))
	inPlace("Mul", dst, x)
	inPlace("Mul", dst, y)
	mul(dst, x, y)
}

// MulAdd adds the elementwise product:
//
//	for i := range dst { dst[i] += x[i] * y[i] }
//
// The lengths must be equal.
func MulAdd(dst, x, y []float64) {
	equalLen("MulAdd", len(dst), len(x))
	equalLen("MulAdd", len(dst), len(y))
	inPlace("MulAdd", dst, x)
	inPlace("MulAdd", dst, y)
	mulAdd(dst, x, y)
}
