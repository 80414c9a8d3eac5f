//go:build amd64 && !purego

package f64

// packTrans writes dst[p*w+j] = src[j*ld+p] for p < k, j < wb, and zeros for wb <= j < w.
func packTrans(dst, src []float64, ld, k, wb, w int) {
	if active == generic || k < 2 {
		packTransGeneric(dst, src, ld, k, 0, wb, w)
		return
	}

	// The kernel transposes four rows and pairs of columns; an odd last column and the last rows follow in Go.
	even := k &^ 1
	j := 0
	for ; j+4 <= wb; j += 4 {
		// The assembly checks no bounds: the last values that it reads and writes are accessed here before.
		_, _ = dst[(k-1)*w+j+3], src[(j+3)*ld+k-1]
		packTrans4AVX2(&dst[j], &src[j*ld], ld, even, w)
		if even < k {
			for r := j; r < j+4; r++ {
				dst[even*w+r] = src[r*ld+even]
			}
		}
	}
	packTransGeneric(dst, src, ld, k, j, wb, w)
}

// packCopy writes dst[p*w+j] = src[p*ld+j] for p < k, j < w.
func packCopy(dst, src []float64, ld, k, w int) {
	// The last values that the assembly reads and writes are accessed here before.
	_, _ = dst[k*w-1], src[(k-1)*ld+w-1]
	switch {
	case active == generic:
		packCopyGeneric(dst, src, ld, k, w, w)
	case w == 4:
		packCopy4AVX2(&dst[0], &src[0], ld, k)
	case w == 12:
		packCopy12AVX2(&dst[0], &src[0], ld, k)
	default:
		packCopy16AVX2(&dst[0], &src[0], ld, k)
	}
}

//go:noescape
func packTrans4AVX2(dst, src *float64, ld, k, w int)

//go:noescape
func packCopy4AVX2(dst, src *float64, ld, k int)

//go:noescape
func packCopy12AVX2(dst, src *float64, ld, k int)

//go:noescape
func packCopy16AVX2(dst, src *float64, ld, k int)
