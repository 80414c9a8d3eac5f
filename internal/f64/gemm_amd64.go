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

	tileVectors = [...]int{generic: 1, avx2: 3, avx512: 2} // in a row of the tile
)

func gemmMR() int { return tileRows[active] }
func gemmNR() int { return tileCols[active] }

// direct reports whether the kernels take factors that are not packed.
func direct() bool { return active != generic }

// gemmTile computes the leading rows x cols part of a tile of C (+)= alpha * A B, k >= 1. It computes in whole vectors
// and groups of 4 rows, which the panels must hold; what lies outside the part goes by way of the spare tile.
func gemmTile(t *tileJob, spare []float64, rows, cols int, a, b, c []float64, next *float64) {
	// The assembly checks no bounds: the last values that it reads and writes are accessed here before.
	if active == avx512 && rows == 12 && cols == 16 {
		_, _, _ = a[11*t.ra+(t.k-1)*t.ca], b[(t.k-1)*t.rb+15], c[11*t.ldc+15]
		gemmTile12x16AVX512(t, &a[0], &b[0], &c[0], next)
		return
	}
	if active == avx2 && rows == 4 && cols == 12 {
		_, _, _ = a[3*t.ra+(t.k-1)*t.ca], b[(t.k-1)*t.rb+11], c[3*t.ldc+11]
		gemmTile4x12AVX2(t, &a[0], &b[0], &c[0], next)
		return
	}
	if active == generic {
		gemmTilePart(t, spare, rows, cols, a, b, c)
		return
	}

	// The tile is cut in parts of whole groups of 4 rows, so that the largest kernel that fits computes each.
	mr := tileRows[active]
	nr := tileCols[active]
	w := roundUp(cols, nr/tileVectors[active])
	_, _, _ = a[(roundUp(rows, 4)-1)*t.ra+(t.k-1)*t.ca], b[(t.k-1)*t.rb+w-1], c[(rows-1)*t.ldc+cols-1]
	for r := 0; r < rows; {
		h := min(roundUp(rows-r, 4), mr)
		if h > rows-r && h > 4 {
			h -= 4
		}
		if h <= rows-r && w <= cols {
			gemmPart(t, h, w, &a[r*t.ra], &b[0], &c[r*t.ldc], next)
		} else {
			whole := *t
			whole.ldc = nr
			whole.add = 0
			gemmPart(&whole, h, w, &a[r*t.ra], &b[0], &spare[0], next)
			storeTile(spare, nr, min(h, rows-r), cols, c[r*t.ldc:], t.ldc, t.add != 0)
		}
		r += h
	}
}

// gemmPart runs the h x w kernel.
func gemmPart(t *tileJob, h, w int, a, b, c, next *float64) {
	switch {
	case active == avx2 && w == 12:
		gemmTile4x12AVX2(t, a, b, c, next)
	case active == avx2 && w == 8:
		gemmTile4x8AVX2(t, a, b, c, next)
	case active == avx2:
		gemmTile4x4AVX2(t, a, b, c, next)
	case h == 12 && w == 16:
		gemmTile12x16AVX512(t, a, b, c, next)
	case h == 12:
		gemmTile12x8AVX512(t, a, b, c, next)
	case h == 8 && w == 16:
		gemmTile8x16AVX512(t, a, b, c, next)
	case h == 8:
		gemmTile8x8AVX512(t, a, b, c, next)
	case w == 16:
		gemmTile4x16AVX512(t, a, b, c, next)
	default:
		gemmTile4x8AVX512(t, a, b, c, next)
	}
}

//go:noescape
func gemmTile4x12AVX2(t *tileJob, a, b, c, next *float64)

//go:noescape
func gemmTile4x8AVX2(t *tileJob, a, b, c, next *float64)

//go:noescape
func gemmTile4x4AVX2(t *tileJob, a, b, c, next *float64)

//go:noescape
func gemmTile12x16AVX512(t *tileJob, a, b, c, next *float64)

//go:noescape
func gemmTile12x8AVX512(t *tileJob, a, b, c, next *float64)

//go:noescape
func gemmTile8x16AVX512(t *tileJob, a, b, c, next *float64)

//go:noescape
func gemmTile8x8AVX512(t *tileJob, a, b, c, next *float64)

//go:noescape
func gemmTile4x16AVX512(t *tileJob, a, b, c, next *float64)

//go:noescape
func gemmTile4x8AVX512(t *tileJob, a, b, c, next *float64)
