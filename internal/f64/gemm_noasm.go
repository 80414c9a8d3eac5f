//go:build !amd64 || purego

package f64

// The largest tile of any kernel in this build.
const (
	maxMR = genericMR
	maxNR = genericNR
)

func gemmMR() int { return genericMR }
func gemmNR() int { return genericNR }

// gemmTile computes the leading rows x cols part of a tile.
func gemmTile(tile []float64, rows, cols, k int, alpha float64, a, b, c []float64, ldc int, add bool, _ *float64) {
	if rows == genericMR && cols == genericNR {
		gemmTileGeneric(k, alpha, a, b, c, ldc, add)
		return
	}
	gemmTileGeneric(k, alpha, a, b, tile, genericNR, false)
	storeTile(tile, genericNR, rows, cols, c, ldc, add)
}
