//go:build !amd64 || purego

package f64

func dot(x, y []float64) float64 { return dotGeneric(x, y) }
func sum(x []float64) float64    { return sumGeneric(x) }
