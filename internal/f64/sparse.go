package f64

// ScatterAxpy adds a multiple of a sparse vector to a dense one:
//
//	for k, j := range idx { y[j] += alpha * val[k] }
//
// len(val) must be len(idx). An index out of range panics. Repeated indices are added in order.
func ScatterAxpy(alpha float64, val []float64, idx []int32, y []float64) {
	equalLen("ScatterAxpy", len(val), len(idx))
	for k, j := range idx {
		y[j] += float64(alpha * val[k])
	}
}

// GatherDot returns the product of a sparse and a dense vector, summed in order:
//
//	for k, j := range idx { s += val[k] * x[j] }
//
// len(val) must be len(idx). An index out of range panics. It may fuse.
func GatherDot(val []float64, idx []int32, x []float64) float64 {
	equalLen("GatherDot", len(val), len(idx))
	var s float64
	for k, j := range idx {
		s += val[k] * x[j]
	}
	return s
}

// Gather copies the listed entries:
//
//	for k, j := range idx { dst[k] = x[j] }
//
// len(dst) must be len(idx). An index out of range panics.
func Gather(dst []float64, idx []int32, x []float64) {
	equalLen("Gather", len(dst), len(idx))
	for k, j := range idx {
		dst[k] = x[j]
	}
}

// Scatter writes the listed entries:
//
//	for k, j := range idx { dst[j] = val[k] }
//
// len(val) must be len(idx). An index out of range panics. The last of repeated indices stays.
func Scatter(dst, val []float64, idx []int32) {
	equalLen("Scatter", len(val), len(idx))
	for k, j := range idx {
		dst[j] = val[k]
	}
}

// SumRows adds the listed rows of a matrix, in order:
//
//	for _, r := range idx { for j := range dst { dst[j] += a[int(r)*lda+j] } }
//
// A row that is not in a panics.
func SumRows(dst []float64, idx []int32, a []float64, lda int) {
	n := len(dst)
	for _, r := range idx {
		o := int(r) * lda
		add(dst, dst, a[o:o+n])
	}
}
