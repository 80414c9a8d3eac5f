//go:build !amd64 || purego

package f64

func packTrans(dst, src []float64, ld, k, wb, w int) { packTransGeneric(dst, src, ld, k, 0, wb, w) }
func packCopy(dst, src []float64, ld, k, w int)      { packCopyGeneric(dst, src, ld, k, w, w) }
