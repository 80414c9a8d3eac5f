package f64

// packA lays rows i0..i0+m of columns p0..p0+k out in panels of mr rows, each stored by columns and filled
// up with zeros.
func packA(dst []float64, a operand, i0, m, p0, k int) {
	packPanels(dst, operand{a.data, a.ld, !a.trans}, p0, k, i0, m, gemmMR())
}

// packB lays rows p0..p0+k of columns j0..j0+n out in panels of nr columns, each stored by rows and filled
// up with zeros.
func packB(dst []float64, b operand, p0, k, j0, n int) {
	packPanels(dst, b, p0, k, j0, n, gemmNR())
}

// packPanels lays the k x n part of x at (p0, j0) out in panels of width w. k >= 1.
func packPanels(dst []float64, x operand, p0, k, j0, n, w int) {
	// A transposed part is read column by column, in strips of columns.
	if x.trans {
		for j := 0; j < n; j += w {
			for p := 0; p < k; p += packStrip {
				kb := min(packStrip, k-p)
				packTrans(dst[j*k+p*w:j*k+(p+kb)*w], x.data[(j0+j)*x.ld+p0+p:], x.ld, kb, min(w, n-j), w)
			}
		}
		return
	}

	// A part that is stored by rows is copied a few rows at a time, panel by panel.
	for p := 0; p < k; p += packRows {
		kb := min(packRows, k-p)
		src := x.data[(p0+p)*x.ld+j0:]
		for j := 0; j < n; j += w {
			panel := dst[j*k+p*w : j*k+(p+kb)*w]
			// The last panel may be narrower, and is filled up with zeros.
			if j+w <= n {
				packCopy(panel, src[j:], x.ld, kb, w)
			} else {
				packCopyGeneric(panel, src[j:], x.ld, kb, n-j, w)
			}
		}
	}
}

// A matrix is packed in strips, so that it is read in long runs and each cache line is written while it is
// near: packRows rows of all panels, or packStrip columns of the rows that make a panel.
const (
	packRows  = 8
	packStrip = 32
)
