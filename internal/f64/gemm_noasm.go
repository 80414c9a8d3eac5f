//go:build !amd64 || purego

package f64

// The largest tile of any kernel in this build.
const (
	maxMR = genericMR
	maxNR = genericNR
)

func gemmMR() int { return genericMR }
func gemmNR() int { return genericNR }

// direct reports whether the kernels take factors that are not packed.
func direct() bool { return false }

// gemmTile computes the leading rows x cols part of a tile.
func gemmTile(t *tileJob, spare []float64, rows, cols int, a, b, c []float64, _ *float64) {
	gemmTilePart(t, spare, rows, cols, a, b, c)
}
