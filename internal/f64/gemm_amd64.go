//go:build amd64 && !purego

package f64

// The largest tile of any kernel in this build.
const (
	maxMR = 12
	maxNR = 16
)

// Rows and columns of the micro-kernel's tile.
var (
	tileRows = [...]int{generic: genericMR, avx2: 4, avx512: 12}
	tileCols = [...]int{generic: genericNR, avx2: 12, avx512: 16}
)

func gemmMR() int { return tileRows[active] }
func gemmNR() int { return tileCols[active] }

// gemmTile computes the leading rows x cols part of a tile of C (+)= alpha * A B from packed panels of k >= 1
// steps. It computes in whole vectors and groups of 4 rows; what lies outside the part goes by way of the
// spare tile.
func gemmTile(tile []float64, rows, cols, k int, alpha float64, a, b, c []float64, ldc int, add bool, next *float64) {
	mr, nr := tileRows[active], tileCols[active]
	_, _, _ = a[k*mr-1], b[k*nr-1], c[(rows-1)*ldc+cols-1]
	if rows == mr && cols == nr {
		switch active {
		case avx512:
			gemmTile12x16AVX512(k, alpha, &a[0], &b[0], &c[0], ldc, add, next)
		case avx2:
			gemmTile4x12AVX2(k, alpha, &a[0], &b[0], &c[0], ldc, add, next)
		default:
			gemmTileGeneric(k, alpha, a, b, c, ldc, add)
		}
		return
	}
	for r := 0; r < rows; {
		h, w := gemmPartShape(rows-r, cols)
		if h <= rows-r && w <= cols {
			gemmPart(h, w, k, alpha, a[r:], b, c[r*ldc:], ldc, add, next)
		} else {
			gemmPart(h, w, k, alpha, a[r:], b, tile, nr, false, next)
			storeTile(tile, nr, min(h, rows-r), cols, c[r*ldc:], ldc, add)
		}
		r += h
	}
}

// gemmPartShape returns the smallest kernel that covers the leading columns, and the rows or a good part of them.
func gemmPartShape(rows, cols int) (h, w int) {
	switch active {
	case avx512:
		if rows > 8 {
			return 12, roundUp(cols, 8)
		}
		return 4, roundUp(cols, 8)
	case avx2:
		return 4, roundUp(cols, 4)
	}
	return genericMR, genericNR
}

// gemmPart runs the h x w kernel.
func gemmPart(h, w, k int, alpha float64, a, b, c []float64, ldc int, add bool, next *float64) {
	if active == generic {
		gemmTileGeneric(k, alpha, a, b, c, ldc, add)
		return
	}
	pa, pb, pc := &a[0], &b[0], &c[0]
	switch {
	case active == avx2 && w == 12:
		gemmTile4x12AVX2(k, alpha, pa, pb, pc, ldc, add, next)
	case active == avx2 && w == 8:
		gemmTile4x8AVX2(k, alpha, pa, pb, pc, ldc, add, next)
	case active == avx2:
		gemmTile4x4AVX2(k, alpha, pa, pb, pc, ldc, add, next)
	case h == 12 && w == 16:
		gemmTile12x16AVX512(k, alpha, pa, pb, pc, ldc, add, next)
	case h == 12:
		gemmTile12x8AVX512(k, alpha, pa, pb, pc, ldc, add, next)
	case w == 16:
		gemmTile4x16AVX512(k, alpha, pa, pb, pc, ldc, add, next)
	default:
		gemmTile4x8AVX512(k, alpha, pa, pb, pc, ldc, add, next)
	}
}

//go:noescape
func gemmTile4x12AVX2(k int, alpha float64, a, b, c *float64, ldc int, add bool, next *float64)

//go:noescape
func gemmTile4x8AVX2(k int, alpha float64, a, b, c *float64, ldc int, add bool, next *float64)

//go:noescape
func gemmTile4x4AVX2(k int, alpha float64, a, b, c *float64, ldc int, add bool, next *float64)

//go:noescape
func gemmTile12x16AVX512(k int, alpha float64, a, b, c *float64, ldc int, add bool, next *float64)

//go:noescape
func gemmTile12x8AVX512(k int, alpha float64, a, b, c *float64, ldc int, add bool, next *float64)

//go:noescape
func gemmTile4x16AVX512(k int, alpha float64, a, b, c *float64, ldc int, add bool, next *float64)

//go:noescape
func gemmTile4x8AVX512(k int, alpha float64, a, b, c *float64, ldc int, add bool, next *float64)
