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

// gemmTile computes a full tile of C (+)= alpha * A B from panels of k >= 1 steps.
func gemmTile(k int, alpha float64, a, b, c []float64, ldc int, add bool) {
	mr, nr := tileRows[active], tileCols[active]
	_, _, _ = a[k*mr-1], b[k*nr-1], c[(mr-1)*ldc+nr-1]
	switch active {
	case avx512:
		gemmTileAVX512(k, alpha, &a[0], &b[0], &c[0], ldc, add)
	case avx2:
		gemmTileAVX2(k, alpha, &a[0], &b[0], &c[0], ldc, add)
	default:
		gemmTileGeneric(k, alpha, a, b, c, ldc, add)
	}
}

//go:noescape
func gemmTileAVX2(k int, alpha float64, a, b, c *float64, ldc int, add bool)

//go:noescape
func gemmTileAVX512(k int, alpha float64, a, b, c *float64, ldc int, add bool)
