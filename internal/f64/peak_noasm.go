//go:build !amd64 || purego

package f64

func peak(n int) int { return peakGeneric(n) }
