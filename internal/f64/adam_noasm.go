//go:build !amd64 || purego

package f64

func adam(w, m, v, g []float64, s *adamStep) { adamGeneric(w, m, v, g, s) }
