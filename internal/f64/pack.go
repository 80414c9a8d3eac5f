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
	for j := 0; j < n; j += w {
		wb := min(w, n-j)
		panel := dst[j*k : j*k+w*k]
		switch {
		case x.trans:
			packTrans(panel, x.data[(j0+j)*x.ld+p0:], x.ld, k, wb, w)
		case wb == w:
			packCopy(panel, x.data[p0*x.ld+j0+j:], x.ld, k, w)
		default:
			packCopyGeneric(panel, x.data[p0*x.ld+j0+j:], x.ld, k, wb, w)
		}
	}
}
