package f64

import "strconv"

// equalLen panics unless the two lengths agree.
func equalLen(kernel string, a, b int) {
	if a != b {
		panic("f64: " + kernel + ": lengths " + strconv.Itoa(a) + " and " + strconv.Itoa(b) + " differ")
	}
}

// matrixFits panics unless a rows x cols matrix with leading dimension ld lies in a buffer of length size.
func matrixFits(kernel, name string, rows, cols, ld, size int) {
	if rows < 0 || cols < 0 || ld < cols {
		panic("f64: " + kernel + ": matrix " + name + " of " + strconv.Itoa(rows) + " x " + strconv.Itoa(cols) +
			" has leading dimension " + strconv.Itoa(ld))
	}
	if rows > 0 && cols > 0 && (rows-1)*ld+cols > size {
		panic("f64: " + kernel + ": matrix " + name + " of " + strconv.Itoa(rows) + " x " + strconv.Itoa(cols) +
			" (leading dimension " + strconv.Itoa(ld) + ") needs more than " + strconv.Itoa(size) + " values")
	}
}
