package f64

// packTransGeneric writes dst[p*w+j] = src[j*ld+p] for p < k, from <= j < wb, and zeros for wb <= j < w.
func packTransGeneric(dst, src []float64, ld, k, from, wb, w int) {
	// A row of src becomes a column of the panel.
	for j := from; j < wb; j++ {
		o := j
		for _, v := range src[j*ld : j*ld+k] {
			dst[o] = v
			o += w
		}
	}

	// The columns beyond wb are zeros.
	for j := wb; j < w; j++ {
		for o := j; o < k*w; o += w {
			dst[o] = 0
		}
	}
}

// packCopyGeneric writes dst[p*w+j] = src[p*ld+j] for p < k, j < wb, and zeros for wb <= j < w.
func packCopyGeneric(dst, src []float64, ld, k, wb, w int) {
	for p := range k {
		// The copy fills the front of the row, the rest is cleared.
		row := dst[p*w : p*w+w]
		clear(row[copy(row, src[p*ld:p*ld+wb]):])
	}
}
