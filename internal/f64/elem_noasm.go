//go:build !amd64 || purego

package f64

func add(dst, x, y []float64)    { addGeneric(dst, x, y) }
func sub(dst, x, y []float64)    { subGeneric(dst, x, y) }
func mul(dst, x, y []float64)    { mulGeneric(dst, x, y) }
func mulAdd(dst, x, y []float64) { mulAddGeneric(dst, x, y) }
