//go:build !amd64 || purego

package f64

// The largest tile of any kernel in this build.
const (
	maxMR = genericMR
	maxNR = genericNR
)

func gemmMR() int { return genericMR }
func gemmNR() int { return genericNR }

func gemmTile(k int, alpha float64, a, b, c []float64, ldc int, add bool) {
	gemmTileGeneric(k, alpha, a, b, c, ldc, add)
}
