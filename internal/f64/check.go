package f64

import (
	"strconv"
	"unsafe"
)

// equalLen panics unless the two lengths agree.
func equalLen(kernel string, a, b int) {
	if a != b {
		panic("f64: " + kernel + ": lengths " + strconv.Itoa(a) + " and " + strconv.Itoa(b) + " differ")
	}
}

// matrixFits panics unless a rows x cols matrix with leading dimension ld lies in a buffer of length size.
func matrixFits(kernel, name string, rows, cols, ld, size int) {
	// The leading dimension is the distance between two rows.
	if rows < 0 || cols < 0 || ld < cols {
		panic("f64: " + kernel + ": matrix " + name + " of " + strconv.Itoa(rows) + " x " + strconv.Itoa(cols) +
			" has leading dimension " + strconv.Itoa(ld))
	}

	// The last row need not be as long as the leading dimension.
	if rows > 0 && cols > 0 && (rows-1)*ld+cols > size {
		panic("f64: " + kernel + ": matrix " + name + " of " + strconv.Itoa(rows) + " x " + strconv.Itoa(cols) +
			" (leading dimension " + strconv.Itoa(ld) + ") needs more than " + strconv.Itoa(size) + " values")
	}
}

// overlap reports whether two slices share memory.
func overlap(a, b []float64) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}

	// Two ranges of memory overlap if each begins before the other one ends.
	p := uintptr(unsafe.Pointer(&a[0]))
	q := uintptr(unsafe.Pointer(&b[0]))
	return p < q+8*uintptr(len(b)) && q < p+8*uintptr(len(a))
}

// inPlace panics if dst and src, of equal length, overlap in a part only.
func inPlace(kernel string, dst, src []float64) {
	if overlap(dst, src) && &dst[0] != &src[0] {
		panic("f64: " + kernel + ": the destination overlaps a source")
	}
}

// source panics unless an elementwise kernel can take src: it has the length of dst and does not overlap it in part.
func source(kernel string, dst, src []float64) {
	equalLen(kernel, len(dst), len(src))
	inPlace(kernel, dst, src)
}

// sources checks two of them.
func sources(kernel string, dst, x, y []float64) {
	source(kernel, dst, x)
	source(kernel, dst, y)
}

// apart panics if dst and src overlap.
func apart(kernel string, dst, src []float64) {
	if overlap(dst, src) {
		panic("f64: " + kernel + ": the destination overlaps a source")
	}
}

// denseApart panics if two matrices without gaps between the rows overlap. Where there are gaps, one matrix may lie in
// the gaps of the other, so nothing is checked.
func denseApart(kernel string, dst []float64, dm, dn, ldd int, src []float64, m, n, ld int) {
	if ldd == dn && ld == n {
		apart(kernel, dst[:dm*dn], src[:m*n])
	}
}
