//go:build !amd64 || purego

package f64

func accumPositiveDiff(beta []float64, p float64, c []float64) { accumPositiveDiffGeneric(beta, p, c) }

func positiveDiff(y []float64, p float64, c []float64) (value, slope float64) {
	return positiveDiffGeneric(y, p, c)
}
