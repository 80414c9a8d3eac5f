//go:build !amd64 || purego

package f64

func relu(dst, x []float64)        { reluGeneric(dst, x) }
func reluGrad(dx, y, dy []float64) { reluGradGeneric(dx, y, dy) }
func reluMask(dy, y []float64)     { reluMaskGeneric(dy, y) }
func addRelu(x, b []float64)       { addReluGeneric(x, b) }
